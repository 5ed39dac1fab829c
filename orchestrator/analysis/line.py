"""A number as a chain of cuts: whoever is above one is above all before it."""

from __future__ import annotations

import math
from bisect import bisect_left, insort

from orchestrator.analysis.prover import Literal, Prover
from orchestrator.claims import Interval, Number

Cut = tuple[float, bool]  # at least this number; or, with True, above it


class Line:
    """One number. Its range is part of it, and a reason of its own."""

    def __init__(self, prover: Prover, number: Number, within: Interval) -> None:
        self._prover = prover
        self._whole = number.whole
        self._cuts: list[Cut] = []
        self._literals: dict[Cut, Literal] = {}
        self._inside: dict[Interval, Literal] = {}
        if within != Interval():
            prover.add(self.inside(within), why=f"{number.called} is {within}")

    def inside(self, interval: Interval) -> Literal:
        """Holds exactly where the number is in there."""
        if interval not in self._inside:
            after = self._beyond(interval.low, interval.above)
            before = -self._beyond(interval.high, not interval.below)
            self._inside[interval] = self._prover.gate([after, before], every=True)
        return self._inside[interval]

    def _beyond(self, at: float, above: bool) -> Literal:
        """At least `at`, or above it."""
        if math.isinf(at):
            return self._prover.true if at < 0 else -self._prover.true
        if self._whole:
            at, above = (math.floor(at) + 1 if above else math.ceil(at)), False
        cut = (at, above)
        if cut not in self._literals:
            self._insert(cut)
        return self._literals[cut]

    def _insert(self, cut: Cut) -> None:
        new = self._literals[cut] = self._prover.variable()
        position = bisect_left(self._cuts, cut)
        if position:
            self._prover.add(-new, self._literals[self._cuts[position - 1]])
        if position < len(self._cuts):
            self._prover.add(-self._literals[self._cuts[position]], new)
        insort(self._cuts, cut)
