"""What an extension promises of every reading that it gives, whatever the request.

Signals and projections state these beside their own rules (`Signal.claims`, `Signal.numbers`,
`Projection.claims`); the analysis proves with them what a policy can and cannot do. A claim that
is too weak costs a proof, a claim that is wrong makes a false one: in doubt, none is made.

Names are those in a reading of one family. *Holds* means matched; what is unknown neither holds
nor fails, and no reading may break a claim whatever the unknown names turn out to be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from `low` to `high`; `above` and `below` leave that end out."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    below: bool = False

    @classmethod
    def of(
        cls,
        gt: float | None = None,
        gte: float | None = None,
        lt: float | None = None,
        lte: float | None = None,
    ) -> Interval:
        """All bounds that are given hold; of two on a side, the narrower one."""
        lows = [(low, above) for low, above in ((gt, True), (gte, False)) if low is not None]
        highs = [
            (high, not below) for high, below in ((lt, True), (lte, False)) if high is not None
        ]
        low, above = max(lows, default=(-math.inf, False))
        high, closed = min(highs, default=(math.inf, True))
        return cls(low, high, above, not closed)

    def plus(self, other: Interval) -> Interval:
        """Sums of a number of each; the ends count as being in."""
        return Interval(self.low + other.low, self.high + other.high)

    def times(self, weight: float) -> Interval:
        if weight == 0:
            return Interval(0.0, 0.0)  # an infinity times 0 is no number
        low, high = sorted((self.low * weight, self.high * weight))
        return Interval(low, high)

    def with_(self, *numbers: float) -> Interval:
        """The shortest one that has these numbers too; the ends count as being in."""
        return Interval(min(self.low, *numbers), max(self.high, *numbers))

    def __str__(self) -> str:
        low, high = (f"{round(end, 6) + 0.0:g}" for end in (self.low, self.high))
        if low == high:
            return low
        if math.isinf(self.high):
            return "any" if math.isinf(self.low) else f"{'>' if self.above else '>='} {low}"
        if math.isinf(self.low):
            return f"{'<' if self.below else '<='} {high}"
        ends = "(" if self.above else "[", ")" if self.below else "]"
        return f"{ends[0]}{low}, {high}{ends[1]}"


UNIT = Interval(0.0, 1.0)
COUNT = Interval(low=0.0)
COSINES = Interval(-2.0, 2.0)  # of a cosine, or of a difference of two


@dataclass(frozen=True, slots=True)
class Number:
    """A number that readings hold. Two of one family with equal keys are the same number in
    every reading.

    `always`: it is there wherever its rule is not unknown. `of_match`: it is there only where its
    rule holds.
    """

    key: str
    within: Interval = Interval()
    whole: bool = False
    always: bool = False
    of_match: bool = False
    label: str = ""  # for people; the key where there is none

    @property
    def called(self) -> str:
        return self.label or self.key


@dataclass(frozen=True, slots=True)
class AtMost:
    """No more than `most` of these groups hold at a time; a group holds when any name in it does.

    While one of `lapses` is unknown, nothing is promised.
    """

    groups: tuple[tuple[str, ...], ...]
    why: str
    most: int = 1
    lapses: frozenset[str] = frozenset()

    @classmethod
    def one_of(cls, names: Iterable[str], why: str) -> AtMost:
        return cls(tuple((name,) for name in names), why)


@dataclass(frozen=True, slots=True)
class Some:
    """Of these names at least one holds, unless one of them is unknown."""

    names: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Implies:
    """Where the first holds, so does the second."""

    name: str
    other: str
    why: str


@dataclass(frozen=True, slots=True)
class Reads:
    """Where the name holds, the number is in `within`, and in none of `outside`.

    `exact`: and where that is so, the name holds, unless it is unknown.
    """

    name: str
    number: Number
    within: Interval
    outside: tuple[Interval, ...] = field(default=())
    exact: bool = False
    why: str = ""


Claim: TypeAlias = AtMost | Some | Implies | Reads
