"""What makes a router read its policy file again: the file, and SIGHUP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from orchestrator.app.watching import watch
from orchestrator.inference.background import Background


class Reloads(Protocol):
    async def reload(self, why: str, force: bool = False) -> bool: ...


@asynccontextmanager
async def followed(
    reloads: Reloads, path: Path | None, watched: bool, hangup: asyncio.Event
) -> AsyncIterator[None]:
    """Until the block ends. `hangup` is set at each SIGHUP; a policy of no `path` never changes."""
    background = Background()

    async def changed() -> bool:
        return await reloads.reload("the file changed")

    async def hung_up() -> None:
        while True:
            await hangup.wait()
            hangup.clear()
            await reloads.reload("SIGHUP", force=True)

    if path is not None:
        background.start("reload at SIGHUP", hung_up)
        if watched:
            background.start(f"watch {path}", lambda: watch(path, changed))
    try:
        yield
    finally:
        await background.stop()
