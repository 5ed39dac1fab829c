"""Work beside the requests that a fault of ours does not end.

A task that dies unseen is the worst end of a watch: what it last found would be believed for ever.
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Awaitable, Callable

FIRST_PAUSE_S = 1.0  # before the work begins again; doubles
LONGEST_PAUSE_S = 30.0
STABLE_S = 60.0  # at work for so long: the next crash is a new story

Work = Callable[[], Awaitable[None]]

log = logging.getLogger(__name__)


async def nothing() -> None:
    """What most work has to do after a crash."""


class Background:
    """Tasks that run until their work is done or `stop`.

    Work that raises is begun again after a pause, which grows. `on_crash` runs before the pause.
    """

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    def start(
        self, name: str, work: Work, on_crash: Work = nothing, *, pause_s: float = FIRST_PAUSE_S
    ) -> asyncio.Task[None]:
        task = asyncio.create_task(_persist(name, work, on_crash, pause_s), name=name)
        self._tasks.append(task)
        return task

    async def stop(self) -> None:
        """Cancel the tasks and wait for their ends. Cancelling the caller is not swallowed."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _persist(name: str, work: Work, on_crash: Work, first_pause: float) -> None:
    pause, begun = first_pause, time.monotonic()
    while not await completed(name, work):
        await completed(f"{name}, after a crash", on_crash)
        if time.monotonic() - begun > STABLE_S:
            pause = first_pause
        await asyncio.sleep(pause)
        pause, begun = min(2 * pause, LONGEST_PAUSE_S), time.monotonic()


async def completed(name: str, work: Work) -> bool:
    """Whether `work` came to its end; False where it raised, which is logged."""
    try:
        await work()
    except Exception as error:  # noqa: BLE001 - a bug in a watch must be told and must not end it
        # The exception's text may quote a prompt; its type and its place may not.
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = type(error).__qualname__
        log.error("%s: %s at %s:%s", name, kind, place.filename, place.lineno)
        return False
    return True
