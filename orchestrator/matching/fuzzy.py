"""Keywords with typing errors in them.

Edit distance is optimal string alignment (Levenshtein, and two swapped neighbours are one edit),
by rapidfuzz. A keyword of n words is compared with every window of n and of n - 1 words of the
text ("creditcard"), case folded, punctuation between words counting as one space.

A threshold up to 10 is a number of edits; more is a similarity in percent of the longer string
(82: at most 18 % of its characters differ), as the reference configuration writes it. Edits are
capped by the keyword's length, because among short words everything is two edits from everything:
up to 3 characters none, 4 and 5 one, then a third of the length (6: 2, 9: 3). A percentage needs
no cap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import OSA

from orchestrator.matching.words import fold, is_unspaced, words

DEFAULT_EDITS = 2
MOST_EDITS = 10  # a larger threshold is a percentage


@dataclass(frozen=True, slots=True)
class _Entry:
    text: str
    sizes: tuple[int, ...]  # windows, in words
    edits: int | None  # None: by similarity
    similarity: float  # 0..1

    def is_in(self, windows: Sequence[str]) -> bool:
        if self.edits is None:
            return (
                process.extractOne(
                    self.text,
                    windows,
                    scorer=OSA.normalized_similarity,
                    score_cutoff=self.similarity,
                )
                is not None
            )
        return (
            process.extractOne(self.text, windows, scorer=OSA.distance, score_cutoff=self.edits)
            is not None
        )


class Fuzzy:
    """Which of many keywords occur almost."""

    def __init__(self, entries: Sequence[tuple[str, int]]) -> None:
        """Pairs of keyword and threshold (0: the default of 2 edits)."""
        self._entries = [_entry(keyword, threshold) for keyword, threshold in entries]

    def found(self, text: str, among: Iterable[int]) -> list[int]:
        """Those of the positions `among` whose keyword occurs. Scripts without spaces have no
        words to compare: their keywords are never found here."""
        tokens = words(fold(text))
        windows: dict[int, list[str]] = {}
        hits = []
        for index in among:
            entry = self._entries[index]
            if entry is None:
                continue
            for size in entry.sizes:
                if size not in windows:
                    windows[size] = _windows(tokens, size)
                if entry.is_in(windows[size]):
                    hits.append(index)
                    break
        return hits


def _entry(keyword: str, threshold: int) -> _Entry | None:
    tokens = words(fold(keyword))
    if not tokens or is_unspaced(keyword):
        return None
    text = " ".join(tokens)
    sizes = (len(tokens),) if len(tokens) == 1 else (len(tokens), len(tokens) - 1)
    if threshold > MOST_EDITS:
        return _Entry(text, sizes, None, threshold / 100)
    return _Entry(text, sizes, min(threshold or DEFAULT_EDITS, _cap(len(text))), 0.0)


def _cap(length: int) -> int:
    return 0 if length < 4 else max(1, length // 3)


def _windows(tokens: Sequence[str], size: int) -> list[str]:
    if size == 1:
        return list(dict.fromkeys(tokens))
    shifted = (tokens[i:] for i in range(size))
    return list(dict.fromkeys(map(" ".join, zip(*shifted, strict=False))))
