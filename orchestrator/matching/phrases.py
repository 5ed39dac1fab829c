"""Phrases that are looked for as they are written, and harmless ones that they may be part of.

Case and the kind and number of white space do not matter. Whole words only, see `literals.py`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from orchestrator.matching.literals import Literals


class Phrases:
    """`wanted` phrases, save where one is inside an occurrence of an `exempt` phrase."""

    def __init__(self, wanted: Sequence[str], exempt: Sequence[str] = ()) -> None:
        self._wanted = Literals([_collapsed(phrase) for phrase in wanted])
        self._exempt = Literals([_collapsed(phrase) for phrase in exempt]) if exempt else None

    def found(self, text: str) -> bool:
        text = _collapsed(text)
        if self._exempt is None:
            return bool(self._wanted.found(text))
        harmless = sorted(self._exempt.spans(text))
        starts = [start for start, _ in harmless]
        # Of all that begin there or before, how far the longest reaches.
        reach = [0, *accumulate((stop for _, stop in harmless), max)]
        return any(
            reach[bisect_right(starts, start)] < stop for start, stop in self._wanted.spans(text)
        )


def _collapsed(text: str) -> str:
    return " ".join(text.split())
