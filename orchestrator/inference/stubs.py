"""The Python processes of a tritonserver, read from /proc.

A reload after a stub has died leaves the other stubs of the old generation behind, each with its
copy of the weights, until the server ends (measured with release 24.10).
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.inference.installation import STUB

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Stub:
    pid: int
    model: str  # path of its model.py
    instance: str  # "text_embedding_0_1"
    started: int  # clock ticks since boot


def stubs(shm_prefix: str) -> list[Stub]:
    """Of the server whose shared memory has this prefix."""
    found = []
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):  # it ended while we looked
                found += _read(entry, shm_prefix)
    return found


def outdated(shm_prefix: str) -> frozenset[Stub]:
    """Stubs that a younger one of the same model instance has replaced."""
    youngest: dict[tuple[str, str], Stub] = {}
    running = sorted(stubs(shm_prefix), key=lambda stub: (stub.started, stub.pid))
    for stub in running:
        youngest[stub.model, stub.instance] = stub
    return frozenset(running) - frozenset(youngest.values())


def end(doomed: Iterable[Stub]) -> None:
    for stub in doomed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(stub.pid, signal.SIGKILL)


def _read(entry: Path, shm_prefix: str) -> list[Stub]:
    # <stub> <model.py> <shm region> <size> <growth> <server pid> <backend> <handle> <instance> …
    arguments = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
    if len(arguments) < 9 or not arguments[0].endswith(STUB):
        return []
    if not arguments[2].startswith(shm_prefix):
        return []
    # Fields after the command name, which may hold spaces: state is the first, starttime the 20th.
    fields = (entry / "stat").read_text().rpartition(")")[2].split()
    if fields[0] == "Z":
        return []
    return [Stub(int(entry.name), arguments[1], arguments[8], int(fields[19]))]
