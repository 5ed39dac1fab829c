"""Runs one tritonserver and outlives the router by as long as it takes to clean up.

A script of its own (standard library only, `python -I -S keeper.py …`), started by `server.py`:

    keeper.py GRACE LOCK_FD PID_FILE SHM_PREFIX COMMAND…

It ends the server when it gets SIGTERM or when its standard input closes, which the kernel does
for every way a router can die. Python stubs are processes of their own that outlive a killed
tritonserver by seconds (measured 2026-11 with release 24.10: 2 to 3 s, and without bound where a
stub hangs) and never unlink their shared memory then; the keeper does both. It exits with the
server's exit status, or 128 + the signal that ended it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
PR_SET_PDEATHSIG = 1  # linux/prctl.h
PR_SET_CHILD_SUBREAPER = 36
REAP_S = 5.0  # how long processes that got SIGKILL may take to go


def prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def launch(command: list[str], keeper: int) -> int:
    """Start `command` in a process group of its own; it dies with the keeper."""
    child = os.fork()
    if child:
        with contextlib.suppress(OSError):  # the child has done it, or is gone
            os.setpgid(child, child)
        return child
    try:
        os.setpgid(0, 0)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(1)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        # Ours is a socket (uvloop's pipes are), and where SHLVL is not set the bash by which Triton
        # starts a stub takes that for a login from afar: it reads ~/.bashrc, and the PATH there.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.execv(command[0], command)
    except OSError as error:
        os.write(2, f"error: {command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)  # only reached when exec failed


def gone(child: int) -> int | None:
    """The exit status of `child`; None while it runs. Reaps adopted orphans on the way."""
    status = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, code = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == child:
                status = os.waitstatus_to_exitcode(code)
    return status


def wait(child: int, grace: float, wakeup: int) -> int:
    """Until `child` ends; it is told to when the router is gone or says so."""
    watched = [0, wakeup]
    deadline: float | None = None
    while (status := gone(child)) is None:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            os.killpg(child, signal.SIGKILL)
            left = REAP_S
        ready, _, _ = select.select(watched, [], [], left)
        if wakeup in ready and signal.SIGTERM in os.read(wakeup, 4096):
            watched = [wakeup]
            deadline = deadline or time.monotonic() + grace
            os.kill(child, signal.SIGTERM)
        elif 0 in ready and not os.read(0, 4096):
            watched = [wakeup]
            deadline = deadline or time.monotonic() + grace
            os.kill(child, signal.SIGTERM)
    return status


def sweep(group: int, prefix: str) -> None:
    """End what the server left behind: its stubs, then their shared memory."""
    deadline = time.monotonic() + REAP_S
    while time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
        except ChildProcessError:
            break
    for leftover in SHARED_MEMORY.glob(f"{prefix}*"):
        leftover.unlink(missing_ok=True)


def main(arguments: list[str]) -> int:
    grace, lock, pid_file, prefix, *command = arguments
    os.set_inheritable(int(lock), False)  # held open here: "this run is alive"
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # orphaned stubs become our children
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is the router's to handle
    child = launch(command, os.getpid())
    Path(pid_file).write_text(str(child))
    status = wait(child, float(grace), readable)
    sweep(child, prefix)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
