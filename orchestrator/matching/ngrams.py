"""Keywords by shared character n-grams (spec/signals.md 2.1, method ngram).

Padded with n - 1 blanks on both ends, counted as multisets. With `same` shared and `all` in the
union, similarity = (all² - (all - same)²) / all². Each keyword is compared with every word of the
text, and one of several words with the text as a whole too, which is only ever similar when the
text is short.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.matching.words import MARKS, fold, normal

DEFAULT_ARITY = 3
DEFAULT_THRESHOLD = 0.4

_WORD = re.compile(rf"[\w{MARKS}-]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A keyword and how it is compared. 0 stands for the default."""

    keyword: str
    arity: int = 0  # n, 2 or more
    threshold: float = 0.0  # in [0, 1]
    case_sensitive: bool = False


class NGrams:
    """Which of many keywords are similar to a part of a text."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        kinds: dict[tuple[int, bool], list[int]] = {}
        for index, entry in enumerate(entries):
            kinds.setdefault((entry.arity or DEFAULT_ARITY, entry.case_sensitive), []).append(index)
        self._banks = [
            _Bank(arity, case, [(i, entries[i]) for i in indices])
            for (arity, case), indices in kinds.items()
        ]

    def found(self, text: str) -> set[int]:
        """Positions in `entries`."""
        hits: set[int] = set()
        for bank in self._banks:
            hits |= bank.found(text)
        return hits


class _Bank:
    """Entries of one arity and case, indexed by gram so that a word meets only its likes."""

    def __init__(
        self, arity: int, case_sensitive: bool, entries: Sequence[tuple[int, Entry]]
    ) -> None:
        self._arity = arity
        self._prepare = normal if case_sensitive else fold
        self._sizes: dict[int, int] = {}
        self._thresholds = {i: entry.threshold or DEFAULT_THRESHOLD for i, entry in entries}
        self._phrases: set[int] = set()
        self._postings: dict[str, list[tuple[int, int]]] = {}
        low, high = math.inf, 0.0
        for index, entry in entries:
            keyword = self._prepare(entry.keyword.strip())
            if len(_WORD.findall(keyword)) > 1:
                self._phrases.add(index)
            grams = Counter(_grams(keyword, self._arity))
            self._sizes[index] = grams.total()
            for gram, count in grams.items():
                self._postings.setdefault(gram, []).append((index, count))
            # Below this ratio of sizes the threshold is out of reach: same <= the smaller
            # size, all >= the larger. It keeps a word of a megabyte from being looked at.
            ratio = 1 - math.sqrt(1 - self._thresholds[index])
            low = min(low, grams.total() * ratio)
            high = max(high, grams.total() / ratio if ratio else math.inf)
        self._low, self._high = low, high

    def found(self, text: str) -> set[int]:
        text = self._prepare(text)
        hits: set[int] = set()
        for word in set(_WORD.findall(text)):
            hits.update(self._similar(word))
        if self._phrases:
            hits.update(i for i in self._similar(text) if i in self._phrases)
        return hits

    def _similar(self, text: str) -> Iterator[int]:
        size = len(text) + self._arity - 1
        if not self._low <= size <= self._high:
            return
        grams = [*_grams(text, self._arity)]
        if self._postings.keys().isdisjoint(grams):
            return
        shared: dict[int, int] = {}
        for gram, count in Counter(grams).items():
            for index, other in self._postings.get(gram, ()):
                shared[index] = shared.get(index, 0) + min(count, other)
        for index, same in shared.items():
            if similarity(same, size + self._sizes[index] - same) >= self._thresholds[index]:
                yield index


def similarity(same: int, union: int) -> float:
    """0 (nothing shared) to 1 (equal)."""
    return (union**2 - (union - same) ** 2) / union**2


def _grams(text: str, arity: int) -> Iterator[str]:
    blanks = " " * (arity - 1)
    padded = f"{blanks}{text}{blanks}"
    return (padded[i : i + arity] for i in range(len(padded) - arity + 1))
