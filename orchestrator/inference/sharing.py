"""One piece of work for each key, however many wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from orchestrator.errors import InferenceError, InferenceUnavailable

K = TypeVar("K")
V = TypeVar("V")


class _Flight(Generic[V]):
    def __init__(self, task: asyncio.Task[V]) -> None:
        self.task = task
        self.callers = 0


class Shared(Generic[K, V]):
    """Keys compare by their contents; nothing is kept once the work is done."""

    def __init__(self) -> None:
        self._flights: dict[K, _Flight[V]] = {}

    async def get(self, key: K, make: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """What `make` gives, or what an earlier one with the same key is about to give.

        A failure is raised for every caller. The last one to give up takes the work back.
        """
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = self._begin(key, make)
        flight.callers += 1
        try:
            await asyncio.wait([flight.task])
        finally:
            flight.callers -= 1
            if not flight.callers and not flight.task.done():
                self._forget(key, flight)  # nobody joins what is being cancelled
                flight.task.cancel()
        return _result(flight.task)

    def _begin(self, key: K, make: Callable[[], Coroutine[Any, Any, V]]) -> _Flight[V]:
        flight = _Flight(asyncio.ensure_future(make()))
        flight.task.add_done_callback(lambda task: self._landed(key, flight))
        return flight

    def _landed(self, key: K, flight: _Flight[V]) -> None:
        self._forget(key, flight)
        if not flight.task.cancelled():
            flight.task.exception()  # read: callers that are gone are no news for the log

    def _forget(self, key: K, flight: _Flight[V]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


def _result(task: asyncio.Task[V]) -> V:
    """Each caller gets an exception of its own, because raising one writes into it."""
    if task.cancelled():  # by a source that closes: nobody else may be ended
        raise InferenceUnavailable("the request was given up")
    error = task.exception()
    if isinstance(error, InferenceError):
        raise type(error)(str(error)) from error
    return task.result()
