"""What a tritonserver holds: its processes by /proc, its shared memory by /dev/shm. In bytes."""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.stubs import stubs

SHARED = Path("/dev/shm")


def shared(server: EmbeddedTriton) -> int:
    return sum(one.stat().st_blocks * 512 for one in SHARED.glob(f"{server.shm_prefix}*"))


def processes(server: EmbeddedTriton) -> dict[str, int]:
    """Name -> process id, of tritonserver and of the instances of its models."""
    assert server.pid is not None
    return {one.instance: one.pid for one in stubs(server.shm_prefix)} | {"server": server.pid}


def resident(pid: int) -> int:
    """Without shared memory, which `shared` counts."""
    return _row(pid, "RssAnon") + _row(pid, "RssFile")


def peak(pid: int) -> int:
    """The most that was resident since `forget_peak`, shared memory included."""
    return _row(pid, "VmHWM")


def forget_peak(pid: int) -> None:
    """The kernel's own counter begins again from what is resident now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def _row(pid: int, name: str) -> int:
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    (found,) = re.findall(rf"{name}:\s+(\d+) kB", text)
    return 1024 * int(found)
