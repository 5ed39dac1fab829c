"""Which server of a model is asked, and which ones are left alone for a while."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from random import Random

from orchestrator.upstream.endpoints import Endpoint

# Envoy's outlier detection, whose settings our users' configs carry (spec/config.md 1.2).
FAILURES = 5
SECONDS = 30.0


class Pool:
    """The servers of one model.

    After `failures` in a row (5xx, refused, died, timed out) a server is asked last for
    `seconds`; then it is on probation, and its next failure ejects it again at once. Where all
    are ejected none is, so a pool never refuses to try. `failures=0` never ejects.
    """

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        random: Random,
        failures: int = FAILURES,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.endpoints = tuple(endpoints)
        self._random = random
        self._limit = failures
        self._seconds = seconds
        self._clock = clock
        # By identity of the endpoint: two servers may have one name, which only people read.
        self._streaks: dict[int, int] = {}  # failures in a row
        self._until: dict[int, float] = {}  # end of an ejection

    def order(self) -> list[Endpoint]:
        """Every server, in the order to try: by weighted chance, the ejected ones last."""
        if len(self.endpoints) == 1:
            return list(self.endpoints)
        # Efraimidis and Spirakis 2006: sorting by log(u) / weight draws without replacement.
        chance = {
            id(one): math.log(1.0 - self._random.random()) / one.weight for one in self.endpoints
        }
        ejected = self._ejected()
        return sorted(self.endpoints, key=lambda one: (id(one) in ejected, -chance[id(one)]))

    def ejected(self) -> tuple[Endpoint, ...]:
        """The servers that are left alone for now, in file order."""
        ejected = self._ejected()
        return tuple(one for one in self.endpoints if id(one) in ejected)

    def _ejected(self) -> frozenset[int]:
        now = self._clock()
        found = frozenset(one for one, until in self._until.items() if until > now)
        return found if len(found) < len(self.endpoints) else frozenset()

    def succeeded(self, endpoint: Endpoint) -> None:
        """`endpoint`, here and in `failed`: one that `order` gave, not a copy."""
        if self._streaks:
            self._streaks.pop(id(endpoint), None)
            self._until.pop(id(endpoint), None)

    def failed(self, endpoint: Endpoint) -> None:
        streak = self._streaks[id(endpoint)] = self._streaks.get(id(endpoint), 0) + 1
        if self._limit and streak >= self._limit:
            self._until[id(endpoint)] = self._clock() + self._seconds
