"""When nobody uses what was in force any more (read-copy-update).

Whoever began before something was replaced may have got hold of it; whoever begins later cannot.
So it may be closed once all who began before have left, whatever they did with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware


class _Epoch:
    def __init__(self) -> None:
        self.users = 0
        self.over = False
        self.empty = asyncio.Event()

    def settle(self) -> None:
        if self.over and self.users == 0:
            self.empty.set()


class Readers:
    """Those that are inside now."""

    def __init__(self) -> None:
        self._now = _Epoch()
        self._before: list[_Epoch] = []

    @contextmanager
    def inside(self) -> Iterator[None]:
        epoch = self._now
        epoch.users += 1
        try:
            yield
        finally:
            epoch.users -= 1
            epoch.settle()

    def turn(self) -> asyncio.Task[None]:
        """Something was replaced just now; the task ends when all who are inside have left."""
        over, self._now = self._now, _Epoch()
        over.over = True
        over.settle()
        self._before = [one for one in (*self._before, over) if not one.empty.is_set()]
        return asyncio.create_task(_left(tuple(self._before)), name="wait for requests")


async def _left(epochs: tuple[_Epoch, ...]) -> None:
    for epoch in epochs:
        await epoch.empty.wait()


def counted(readers: Readers) -> Middleware:
    """A request is inside from its headers to the end of its answer."""

    @web.middleware
    async def count(request: web.Request, handler: Handler) -> web.StreamResponse:
        with readers.inside():
            return await handler(request)

    return count
