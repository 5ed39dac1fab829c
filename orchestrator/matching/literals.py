"""Whole words and phrases, as the people who list them mean them.

A keyword that holds a letter or digit must not touch another one: "C++" is not in "C++Builder",
".NET" is not in "ASP.NET", "café" is not in "caféteria". Two exceptions: a keyword of a script
that writes no spaces is found anywhere (but does not end inside a syllable), and so is one of
symbols alone. Underscores count as letters, hyphens do not, as `\\b` has it for ASCII.

One RE2 set finds the candidates of all keywords in one pass. Its ASCII `\\b` is exact for an
ASCII text and never too strict for another, where each candidate is then looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

import re2

from orchestrator.matching.patterns import Patterns, encode
from orchestrator.matching.words import fold, is_mark, is_segmented, is_unspaced, normal


class Edge(Enum):
    WORD = "touches no other letter or digit"
    SYLLABLE = "not followed by a combining mark"
    FREE = "anywhere"


class Literals:
    """Which of many keywords occur in a text."""

    def __init__(self, keywords: Sequence[str], *, case_sensitive: bool = False) -> None:
        self._prepare = normal if case_sensitive else fold
        self._keywords = [self._prepare(keyword.strip()) for keyword in keywords]
        self._edges = [_edge(keyword) for keyword in self._keywords]
        self._patterns = Patterns([*map(_candidate, self._keywords, self._edges)])

    def found(self, text: str) -> list[int]:
        """Positions in `keywords`, in no order."""
        text = self._prepare(text)
        candidates = self._patterns.found(encode(text))
        if text.isascii():
            return candidates
        return [i for i in candidates if next(self._occurrences(i, text), None) is not None]

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and stop of each occurrence, in the text without its case; in no order."""
        text = self._prepare(text)
        for i in self._patterns.found(encode(text)):
            for start in self._occurrences(i, text):
                yield start, start + len(self._keywords[i])

    def count(self, text: str) -> int:
        """Occurrences of all keywords, summed; those of one keyword do not overlap."""
        text = self._prepare(text)
        candidates = self._patterns.found(encode(text))
        return sum(1 for i in candidates for _ in self._occurrences(i, text))

    def _occurrences(self, index: int, text: str) -> Iterator[int]:
        keyword, edge = self._keywords[index], self._edges[index]
        start = text.find(keyword)
        while start >= 0:
            end = start + len(keyword)
            free = _is_free(text, start, end, edge)
            if free:
                yield start
            start = text.find(keyword, end if free else start + 1)


def _edge(keyword: str) -> Edge:
    if is_unspaced(keyword):
        return Edge.SYLLABLE
    return Edge.WORD if any(map(is_segmented, keyword)) else Edge.FREE


def _candidate(keyword: str, edge: Edge) -> str:
    pattern: str = re2.escape(keyword)
    if edge is not Edge.WORD:
        return pattern
    # Next to a symbol, "no ASCII letter or digit" is spelt \B.
    first, last = (r"\b" if c.isascii() and is_segmented(c) else r"\B" for c in _ends(keyword))
    return f"{first}{pattern}{last}"


def _ends(keyword: str) -> tuple[str, str]:
    return keyword[0], keyword[-1]


def _is_free(text: str, start: int, end: int, edge: Edge) -> bool:
    if edge is Edge.FREE:
        return True
    after = text[end : end + 1]
    if edge is Edge.SYLLABLE:
        return not (after and is_mark(after))
    before = text[start - 1 : start] if start else ""
    return not (before and is_segmented(before)) and not (after and is_segmented(after))
