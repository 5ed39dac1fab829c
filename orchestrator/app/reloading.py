"""The policy in force, and how another one takes its place while requests are served.

The new one is built whole beside the old one: read, checked, connected, its models proved and its
candidates embedded. Then one assignment puts it in force. Who is served by the old one is served
to the end by it; its pools and clients close after the last. Whatever goes wrong before the
assignment leaves the old one as it was.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from orchestrator.app.attempts import Attempts
from orchestrator.app.policies import Compiled, compile_policies
from orchestrator.app.readers import Readers
from orchestrator.app.running import Running
from orchestrator.config.load import digest_of, examine_at, text_of
from orchestrator.config.versions import Version, Versions
from orchestrator.errors import ConfigError, NotReloaded, NotStarted, Problem, RouterError
from orchestrator.server.middleware import log_bug
from orchestrator.server.policy_file import Changed, Checked, Edit, Held

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

    def restarts(self, compiled: Compiled) -> tuple[Problem, ...]:
        """What of it waits for a restart. Raises ConfigError."""
        ...

    def retired(self, old: Compiled, in_force: Compiled) -> None:
        """`old` is closed: nobody uses it any more, or it never came into force."""
        ...


@dataclass(slots=True, eq=False)
class _Built(Generic[Face]):
    router: Running
    face: Face
    stack: AsyncExitStack


class Reloader(Generic[Face]):
    """`path` is where policies are read and written; None: only the first one can be in force."""

    def __init__(
        self,
        surroundings: Surroundings[Face],
        readers: Readers,
        attempts: Attempts,
        path: Path | None,
    ) -> None:
        self._surroundings = surroundings
        self._readers = readers
        self._attempts = attempts
        self._path = path
        self._versions = Versions(path) if path else None
        self._lock = asyncio.Lock()  # one attempt at a time
        self._built: _Built[Face] | None = None
        self._waiting: set[asyncio.Task[None]] = set()  # for requests to end
        self._retiring: set[asyncio.Task[None]] = set()
        self._changing: set[asyncio.Task[Changed]] = set()

    @property
    def router(self) -> Running:
        """In force."""
        return self._in_force.router

    @property
    def _in_force(self) -> _Built[Face]:
        if self._built is None:
            raise NotStarted("the router is starting")
        return self._built

    async def start(self, compiled: Compiled) -> None:
        """Put the first policy in force. Raises what the surroundings raise."""
        async with self._lock:
            self._swap(await self._build(compiled, patient=False))
            self._attempts.started(compiled.digest, ())

    async def close(self) -> None:
        """After the last request: every policy that is open still."""
        for task in (*self._changing, *self._waiting):
            task.cancel()
        await asyncio.gather(*self._changing, *self._retiring, return_exceptions=True)
        if self._built is not None:
            await self._built.stack.aclose()

    async def reload(self, why: str, force: bool = False) -> bool:
        """Put in force what the file says now, and report it. False: another time it may succeed.

        `force`: also where its text is the one in force, since other files may have changed.
        """
        async with self._lock:
            try:
                outcome, checked = await self._reload(force)
            except ConfigError as error:
                self._attempts.refused(why, error)
                return True
            except RouterError as error:
                self._attempts.failed(why, str(error))
                return False
            except Exception as error:  # noqa: BLE001 - a bug in a new policy must not end the old
                log_bug("a new policy", error)
                self._attempts.failed(why, f"internal error ({type(error).__name__}), see the log")
                return False
            if outcome == "applied" or force or self._attempts.troubled:
                self._attempts.done(why, outcome, checked)
            return True

    async def _reload(self, force: bool) -> tuple[str, Checked]:
        text = await asyncio.to_thread(text_of, self._file)
        held = self.held()
        if held.digest == digest_of(text) and not force:
            return "unchanged", self._attempts.in_force
        compiled, checked = await self._compile(lambda _: text)
        built = await self._build(compiled, patient=True)
        if held.digest != checked.digest and self._versions is not None:
            try:
                await asyncio.to_thread(self._versions.keep, held.text)
            except ConfigError as error:
                logger.info("the policy that is replaced is not kept: %s", error)
        self._swap(built)
        return "applied", checked

    # ---- what the management plane asks (server/policy_file.py)

    def held(self) -> Held:
        compiled = self.router.compiled
        return Held(compiled.text, compiled.digest)

    async def check(self, edit: Edit) -> Checked:
        return (await self._compile(edit))[1]

    async def change(self, edit: Edit, agreed: Callable[[str], None], why: str) -> Changed:
        # A client that leaves must not end it between the file and the swap.
        task = asyncio.create_task(self._change(edit, agreed, why))
        _hold(task, self._changing)
        return await asyncio.shield(task)

    def versions(self) -> tuple[Version, ...]:
        return self._versions.all() if self._versions else ()

    def version(self, version_id: str) -> str | None:
        return self._versions.text(version_id) if self._versions else None

    async def _change(self, edit: Edit, agreed: Callable[[str], None], why: str) -> Changed:
        async with self._lock:
            agreed(self.held().digest)
            try:
                changed = await self._changed(edit)
            except ConfigError as error:
                self._attempts.refused(why, error, lasting=False)
                raise
            except NotReloaded as error:
                self._attempts.failed(why, str(error), lasting=False)
                raise
            self._attempts.done(why, changed.outcome, changed.checked)
            return changed

    async def _changed(self, edit: Edit) -> Changed:
        compiled, checked = await self._compile(edit)
        if checked.digest == self.held().digest == await asyncio.to_thread(self._digest):
            return Changed("unchanged", checked)
        built = await self._build(compiled, patient=True)
        try:
            version = await asyncio.to_thread(self._write, self.held(), compiled.text)
        except BaseException as error:
            await built.stack.aclose()
            if isinstance(error, ConfigError):
                raise NotReloaded(str(error)) from error
            raise
        self._swap(built)
        return Changed("applied", checked, version.id)

    def _digest(self) -> str | None:
        """Of the file, which may differ from what is in force: it was refused, or is new."""
        try:
            return digest_of(text_of(self._file))
        except ConfigError:
            return None

    def _write(self, held: Held, text: str) -> Version:
        """Raises ConfigError; nothing is replaced that was not kept."""
        versions = self._versions or Versions(self._file)
        try:
            found = text_of(self._file)
        except ConfigError:
            found = held.text
        if digest_of(found) not in (held.digest, digest_of(text)):
            versions.keep(found)
        kept = versions.keep(held.text)
        versions.write(text)
        return kept

    # ---- building and replacing

    @property
    def _file(self) -> Path:
        if self._path is None:
            raise NotReloaded("the policy did not come from a file")
        return self._path

    async def _compile(self, edit: Edit) -> tuple[Compiled, Checked]:
        """Raises ConfigError with every problem."""
        path, text = self._file, self.held().text

        def compiled() -> Compiled:
            return compile_policies(examine_at(edit(text), path))

        # In a thread: a large policy takes seconds.
        made = await asyncio.to_thread(compiled)
        return made, Checked(made.digest, made.warnings, self._surroundings.restarts(made))

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
            _hold(left, self._waiting)
            _hold(asyncio.create_task(self._retire(left, old)), self._retiring)

    async def _retire(self, left: asyncio.Task[None], old: _Built[Face]) -> None:
        await asyncio.wait({left})  # done, or cancelled by `close`
        await old.stack.aclose()


def _hold(task: asyncio.Task[Made], tasks: set[asyncio.Task[Made]]) -> None:
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
