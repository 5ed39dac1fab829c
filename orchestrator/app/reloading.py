"""From a text to the policy in force: what the watcher, SIGHUP and the management plane call.

A text is compiled in a thread while the old policy serves; `replacing` puts it in force.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Generic

from orchestrator.app.attempts import Attempts
from orchestrator.app.policies import Compiled, compile_policies
from orchestrator.app.readers import Readers
from orchestrator.app.replacing import Face, InForce, Surroundings, hold
from orchestrator.app.running import Running
from orchestrator.config.document import Document
from orchestrator.config.load import Examined, digest_of, examine_at, text_of
from orchestrator.config.versions import Version, Versions
from orchestrator.errors import (
    ConfigError,
    FileGone,
    NotReloaded,
    NotWritten,
    RouterError,
    ServerStartError,
)
from orchestrator.inference.background import completed
from orchestrator.server.policy_file import Changed, Checked, Edit, Held

logger = logging.getLogger("tsr")


class Reloader(Generic[Face]):
    """`path` is where policies are read and written; None: only the first one can be in force.
    `compiling` makes one of what was read; it raises ConfigError.
    """

    def __init__(
        self,
        surroundings: Surroundings[Face],
        readers: Readers,
        attempts: Attempts,
        path: Path | None,
        compiling: Callable[[Examined], Compiled] = compile_policies,
    ) -> None:
        self._surroundings = surroundings
        self._compiling = compiling
        self._in_force = InForce(surroundings, readers)
        self._attempts = attempts
        self._path = path
        self._versions = Versions(path) if path else None
        self._lock = asyncio.Lock()  # one attempt at a time
        self._changing: set[asyncio.Task[Changed]] = set()

    @property
    def router(self) -> Running:
        """In force. Raises NotStarted."""
        return self._in_force.router

    async def start(self, compiled: Compiled) -> None:
        """Put the first policy in force. Raises what the surroundings raise."""
        async with self._lock:
            await self._in_force.start(compiled)
            self._attempts.started(compiled.digest, ())

    async def close(self) -> None:
        """After the last request: every policy that is open still."""
        for task in self._changing:
            task.cancel()
        await asyncio.gather(*self._changing, return_exceptions=True)
        await self._in_force.close()

    async def reload(self, why: str, force: bool = False) -> bool:
        """Put in force what the file says now, and report it. False: another time it may succeed.

        `force`: also where its text is the one in force, since other files may have changed.
        """
        dealt_with = False

        async def attempt() -> None:
            nonlocal dealt_with
            dealt_with = await self._attempt(why, force)

        async with self._lock:
            # A bug that a new policy brings to light must not end the old one.
            if not await completed("reload the policy", attempt):
                self._attempts.failed(why, "internal error, see the log")
            return dealt_with

    async def _attempt(self, why: str, force: bool) -> bool:
        try:
            outcome, checked = await self._reload(force)
        except FileGone as error:
            self._attempts.gone(why, str(error))
            return True  # its return is a change
        except ConfigError as error:
            self._attempts.refused(why, error)
            return True
        except RouterError as error:
            self._attempts.failed(why, str(error))
            return False
        if outcome == "applied" or force or self._attempts.troubled:
            self._attempts.done(why, outcome, checked)
        return True

    async def _reload(self, force: bool) -> tuple[str, Checked]:
        text = await asyncio.to_thread(text_of, self._file)
        self._attempts.found()
        held = self.held()
        if held.digest == digest_of(text) and not force:
            return "unchanged", self._attempts.in_force
        compiled, checked = await self._compile(lambda _: text)
        async with self._in_force.replaced_by(compiled):
            if held.digest != checked.digest and self._versions is not None:
                try:
                    await asyncio.to_thread(self._versions.keep, held.text)
                except NotWritten as error:
                    logger.info("the policy that is replaced is not kept: %s", error)
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
        hold(task, self._changing)
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
        try:
            async with self._in_force.replaced_by(compiled):
                version = await asyncio.to_thread(self._write, self.held(), compiled.text)
        except (NotWritten, ServerStartError) as error:
            raise NotReloaded(str(error)) from error
        return Changed("applied", checked, version.id)

    def _digest(self) -> str | None:
        """Of the file, which may differ from what is in force: it was refused, or is new."""
        try:
            return digest_of(text_of(self._file))
        except ConfigError:
            return None

    def _write(self, held: Held, text: str) -> Version:
        """Raises NotWritten; nothing is replaced that was not kept."""
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

    @property
    def _file(self) -> Path:
        if self._path is None:
            raise NotReloaded("the policy did not come from a file")
        return self._path

    async def _compile(self, edit: Edit) -> tuple[Compiled, Checked]:
        """Raises ConfigError with every problem."""
        path, text = self._file, self.held().text

        def compiled() -> tuple[Compiled, Document]:
            examined = examine_at(edit(text), path)
            return self._compiling(examined), examined.source

        # In a thread: a large policy takes seconds.
        made, source = await asyncio.to_thread(compiled)
        restart = self._surroundings.restarts(made, source)
        return made, Checked(made.digest, made.warnings, restart)
