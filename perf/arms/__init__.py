"""Who answers requests: one file for each kind of arm, and what they have in common here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from perf.requests import Item


@dataclass(frozen=True, slots=True)
class Load:
    """How hard to ask: a closed loop of `at_once` requests, or `rate` a second come what may."""

    at_once: int = 0
    rate: float = 0.0

    def __str__(self) -> str:
        return f"{self.at_once} at once" if self.at_once else f"{self.rate:g} a second"


@dataclass(frozen=True, slots=True)
class Seen:
    """What one cell of one round saw."""

    rate: float  # answers a second
    p50_ms: float
    p95_ms: float
    cpu_ms: float  # of all processes that serve, a request
    batch: float | None  # requests an execution of the model, by Triton's statistics
    failures: int  # errors, and answers of another status than 200
    first_ms: float | None = None  # p50 to the first byte of the body, where it is known
    why: str = ""  # of the last failure


# Requests, how hard, for so many seconds at least.
Drive = Callable[[Sequence[Item], Load, float], Awaitable[Seen]]


@dataclass(frozen=True, slots=True)
class Ready:
    """An arm that has been started."""

    drive: Drive
    by: str  # what asks: "asyncio", "tritonclient 2.51", "perf_analyzer 2.60.0"


class Unavailable(Exception):
    """An arm that cannot run here; the message says why."""


class NotStarted(Exception):
    """A server that should have run here; the message says which, and what it said."""
