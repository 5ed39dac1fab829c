"""One value that needs the model server, made once and shared.

Signals that compare a request with example phrases embed the phrases before traffic. The server
may be late or away by then: the work is repeated, by one attempt at a time, until it succeeds.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from orchestrator.errors import InferenceError, InferenceTimeout

T = TypeVar("T")

LIMIT = 30.0  # seconds one attempt may take: some 400 phrases on one slow core
FIRST_PAUSE = 1.0  # seconds; doubles with every failure
LONGEST_PAUSE = 30.0

log = logging.getLogger(__name__)


class Attempt(Generic[T]):
    """Holds the value of `make`, or the reason why there is none yet."""

    def __init__(
        self,
        subject: str,
        make: Callable[[], Awaitable[T]],
        *,
        limit: float = LIMIT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._subject = subject
        self._make = make
        self._limit = limit
        self._clock = clock
        self._value: tuple[T] | None = None
        self._failure: InferenceError | None = None
        self._running: asyncio.Task[None] | None = None
        self._pause = FIRST_PAUSE
        self._resume = 0.0

    async def start(self) -> None:
        """Try now, whatever the pause says. A failure is kept and logged, not raised."""
        if self._value is None:
            await self._join()

    async def value(self) -> T:
        """The value; tries again when the pause is over. Raises the last InferenceError."""
        while self._value is None:
            if self._running is None and self._failure and self._clock() < self._resume:
                raise type(self._failure)(str(self._failure)) from self._failure
            await self._join()
        return self._value[0]

    def forget(self) -> None:
        """Drop a value that no longer fits the model; the next request makes a new one."""
        self._value = None

    async def _join(self) -> None:
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name=f"prepare {self._subject}")
        # A request that gives up must not take the others' attempt with it.
        await asyncio.shield(self._running)

    async def _run(self) -> None:
        try:
            async with asyncio.timeout(self._limit):
                value = await self._make()
        except TimeoutError:
            self._failed(InferenceTimeout(f"{self._subject}: not ready after {self._limit:g} s"))
        except InferenceError as error:
            self._failed(error)
        else:
            self._value, self._failure, self._pause = (value,), None, FIRST_PAUSE
        finally:
            self._running = None

    def _failed(self, error: InferenceError) -> None:
        log.warning("%s: %s; next attempt in %g s", self._subject, error, self._pause)
        self._failure = error
        self._resume = self._clock() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
