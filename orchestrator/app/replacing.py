"""The policy in force, and how another one takes its place while requests are served.

The new one is built whole beside the old one. Then one assignment puts it in force. Who is served
by the old one is served to the end by it; its pools and clients close after the last. Whatever
goes wrong before the assignment leaves the old one as it was.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from orchestrator.app.policies import Compiled
from orchestrator.app.readers import Readers
from orchestrator.app.running import Running
from orchestrator.config.document import Document
from orchestrator.errors import NotReloaded, NotStarted, Problem, RouterError

logger = logging.getLogger("tsr")

Face = TypeVar("Face")  # what the ports show of a policy
Made = TypeVar("Made")


class Surroundings(Protocol[Face]):
    """What the router does with policies; none of it knows of files or of others before."""

    def make(self, compiled: Compiled, patient: bool) -> AbstractAsyncContextManager[Running]:
        """A policy that could be in force; leaving the context closes what it holds."""
        ...

    def face(self, router: Running) -> Face:
        """Raises RouterError where something is missing that a policy asks for."""
        ...

    def install(self, face: Face) -> None:
        """From now on; cannot fail."""
        ...

    def restarts(self, compiled: Compiled, source: Document) -> tuple[Problem, ...]:
        """What of it, as written in `source`, waits for a restart. Raises ConfigError."""
        ...

    def retired(self, old: Compiled, in_force: Compiled) -> None:
        """`old` is closed: nobody uses it any more, or it never came into force."""
        ...


@dataclass(slots=True, eq=False)
class _Built(Generic[Face]):
    router: Running
    face: Face
    stack: AsyncExitStack


class InForce(Generic[Face]):
    """Not for two changes at once."""

    def __init__(self, surroundings: Surroundings[Face], readers: Readers) -> None:
        self._surroundings = surroundings
        self._readers = readers
        self._built: _Built[Face] | None = None
        self._waiting: set[asyncio.Task[None]] = set()  # for requests to end
        self._retiring: set[asyncio.Task[None]] = set()

    @property
    def router(self) -> Running:
        """Raises NotStarted."""
        if self._built is None:
            raise NotStarted("the router is starting")
        return self._built.router

    async def start(self, compiled: Compiled) -> None:
        """The first policy. Raises what the surroundings raise."""
        self._swap(await self._build(compiled, patient=False))

    @asynccontextmanager
    async def replaced_by(self, compiled: Compiled) -> AsyncIterator[None]:
        """The new policy is built before the block and comes into force after it; where the block
        raises, it is closed again. Raises RouterError where it cannot be built.
        """
        built = await self._build(compiled, patient=True)
        try:
            yield
        except BaseException:
            await built.stack.aclose()
            raise
        self._swap(built)

    async def close(self) -> None:
        """After the last request: every policy that is open still."""
        for task in self._waiting:
            task.cancel()
        await asyncio.gather(*self._retiring, return_exceptions=True)
        if self._built is not None:
            await self._built.stack.aclose()

    async def _build(self, compiled: Compiled, patient: bool) -> _Built[Face]:
        """Raises RouterError, and leaves nothing open then."""
        async with AsyncExitStack() as stack:
            stack.callback(self._retired, compiled)  # first in, last out
            made = self._surroundings.make(compiled, patient)
            router = await stack.enter_async_context(made)
            if self._built is not None:
                _as_ready_as(self._built.router, router)
            return _Built(router, self._surroundings.face(router), stack.pop_all())
        raise AssertionError("the block above returns or raises")

    def _retired(self, compiled: Compiled) -> None:
        if self._built is not None and self.router.compiled is not compiled:
            self._surroundings.retired(compiled, self.router.compiled)

    def _swap(self, built: _Built[Face]) -> None:
        old, self._built = self._built, built
        self._surroundings.install(built.face)
        if old is not None:
            left = self._readers.turn()
            hold(left, self._waiting)
            hold(asyncio.create_task(self._retire(left, old)), self._retiring)

    async def _retire(self, left: asyncio.Task[None], old: _Built[Face]) -> None:
        await asyncio.wait({left})  # done, or cancelled by `close`
        await old.stack.aclose()


def hold(task: asyncio.Task[Made], tasks: set[asyncio.Task[Made]]) -> None:
    """Until it is done; what nobody waits for any more is told."""

    def done(task: asyncio.Task[Made]) -> None:
        tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, RouterError):
            logger.error("%s: %s", task.get_name(), type(error).__qualname__)

    tasks.add(task)
    task.add_done_callback(done)


def _as_ready_as(old: Running, new: Running) -> None:
    """Raises NotReloaded where a model would be missing that is not missing now."""
    missing = {one.model for one in old.plane.status().models if not one.trusted}
    worse = [
        f"{one.model}: {one.reason}"
        for one in new.plane.status().models
        if not one.trusted and one.model not in missing
    ]
    if worse:
        raise NotReloaded(f"models that the policy needs are not ready: {'; '.join(worse)}")
