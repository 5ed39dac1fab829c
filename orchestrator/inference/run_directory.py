"""One folder for each running tritonserver, and the proof that it is running.

`<state>/run-XXXX/` holds the log, the pid and links; the server's shared memory carries the same
XXXX in its names. Its owners (the router and the keeper) hold a lock on `lock` in it, which the
kernel drops when both are gone, however they went. So what a dead run left is known for certain
and removed by the next start; a run that lives, here or in another container, is never touched.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from orchestrator.inference.installation import SHARED_MEMORY

_PREFIX = "run-"
_LOCK = "lock"
LAST_LOG = "tritonserver.previous.log"  # of a run that did not end by itself


def default_state_dir() -> Path:
    """The user's; holds the Python backend, one folder for each running server, the last log."""
    return Path.home() / ".local" / "state" / "triton-semantic-router"


@dataclass(frozen=True, slots=True)
class RunDirectory:
    path: Path
    lock: int  # file descriptor, inherited by the keeper

    @property
    def shm_prefix(self) -> str:
        return _shm_prefix(self.path)

    @property
    def log(self) -> Path:
        return self.path / "tritonserver.log"

    @property
    def pid_file(self) -> Path:
        return self.path / "pid"

    def close(self) -> None:
        """Remove the folder, and the shared memory that a killed keeper could not."""
        _remove_shared_memory(self.path)
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock)


def open_run_directory(state_dir: Path) -> RunDirectory:
    """Remove what dead runs left in `state_dir`, then make a folder. Raises OSError."""
    state_dir.mkdir(parents=True, exist_ok=True)
    for folder in state_dir.glob(f"{_PREFIX}*"):
        _remove_if_dead(folder, state_dir)
    path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=state_dir))
    # Locked under another name first: a lock that others can see is a lock that is held.
    draft = path / ".lock"
    lock = os.open(draft, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    draft.rename(path / _LOCK)
    return RunDirectory(path, lock)


def _remove_if_dead(folder: Path, state_dir: Path) -> None:
    with contextlib.suppress(OSError):  # held by a living run, or another start was faster
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove_shared_memory(folder)
            with contextlib.suppress(FileNotFoundError):
                (folder / "tritonserver.log").replace(state_dir / LAST_LOG)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)


def _shm_prefix(folder: Path) -> str:
    return f"tsr-{folder.name.removeprefix(_PREFIX)}-"


def _remove_shared_memory(folder: Path) -> None:
    for leftover in SHARED_MEMORY.glob(f"{_shm_prefix(folder)}*"):
        leftover.unlink(missing_ok=True)
