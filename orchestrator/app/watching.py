"""A file that is looked at every second.

Looking needs no support of the file system: it sees what editors do (write, or write beside and
rename), what Kubernetes does (a symbolic link to a folder is exchanged), and network file systems.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

Look = tuple[int, ...] | None  # None: no such file


def look(path: Path) -> Look:
    """What changes when the file does, links followed."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds."""

    between: float = 1.0  # looks
    settled: float = 0.25  # without a further change, for a file to be whole
    longest: float = 5.0  # that a file which never settles, or is away, is waited for
    again: float = 30.0  # until what did not succeed for reasons outside of the file is tried again


async def watch(
    path: Path, changed: Callable[[], Awaitable[bool]], pace: Pace | None = None
) -> None:
    """For ever. `changed` is called at first and after each change, and says whether it was dealt
    with; it is called again later where not.
    """
    pace = pace or Pace()
    seen: Look = None
    due = time.monotonic()
    while True:
        now = await asyncio.to_thread(look, path)
        if now != seen or time.monotonic() >= due:
            seen = await _settled(path, now, pace)
            due = float("inf") if await changed() else time.monotonic() + pace.again
        await asyncio.sleep(pace.between)


async def _settled(path: Path, now: Look, pace: Pace) -> Look:
    end = time.monotonic() + pace.longest
    while time.monotonic() < end:
        await asyncio.sleep(pace.settled)
        before, now = now, await asyncio.to_thread(look, path)
        if now == before and now is not None:
            break
    return now
