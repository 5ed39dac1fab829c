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
        self._streaks: dict[str, int] = {}  # failures in a row, by endpoint name
        self._until: dict[str, float] = {}  # end of an ejection, by endpoint name

    def order(self) -> list[Endpoint]:
        """Every server, in the order to try: by weighted chance, the ejected ones last."""
        if len(self.endpoints) == 1:
            return list(self.endpoints)
        # Efraimidis and Spirakis 2006: sorting by log(u) / weight draws without replacement.
        chance = {
            one.name: math.log(1.0 - self._random.random()) / one.weight for one in self.endpoints
        }
        ejected = self.ejected()
        return sorted(self.endpoints, key=lambda one: (one.name in ejected, -chance[one.name]))

    def ejected(self) -> frozenset[str]:
        now = self._clock()
        names = frozenset(name for name, until in self._until.items() if until > now)
        return names if len(names) < len(self.endpoints) else frozenset()

    def succeeded(self, endpoint: Endpoint) -> None:
        if self._streaks:
            self._streaks.pop(endpoint.name, None)
            self._until.pop(endpoint.name, None)

    def failed(self, endpoint: Endpoint) -> None:
        streak = self._streaks[endpoint.name] = self._streaks.get(endpoint.name, 0) + 1
        if self._limit and streak >= self._limit:
            self._until[endpoint.name] = self._clock() + self._seconds
