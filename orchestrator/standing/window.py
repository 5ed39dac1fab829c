"""The last numbers of a kind, and which of them lies at a percentile."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque

MOST = 1_000  # observations kept (spec/algorithms.md 5.1, latency_aware)
FEWEST = 3  # below, a percentile says nothing


class Window:
    """`add` costs a few microseconds, as the numbers are kept in order of size as well."""

    def __init__(self, most: int = MOST) -> None:
        self._order: deque[float] = deque()
        self._sorted: list[float] = []
        self._most = most

    def add(self, value: float) -> None:
        """Numbers below 0, or that are none, are left out: a clock may have been set back."""
        if not (math.isfinite(value) and value >= 0):
            return
        if len(self._order) == self._most:
            del self._sorted[bisect_left(self._sorted, self._order.popleft())]
        self._order.append(value)
        insort(self._sorted, value)

    def percentile(self, percent: float) -> float | None:
        """By the nearest rank: the smallest number that `percent` of all do not exceed.

        None where there are fewer than three.
        """
        if len(self._sorted) < FEWEST:
            return None
        rank = math.ceil(percent / 100 * len(self._sorted))
        return self._sorted[min(max(rank, 1), len(self._sorted)) - 1]
