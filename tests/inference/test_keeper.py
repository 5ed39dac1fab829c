"""The keeper with a shell script for a server; no Triton."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from orchestrator.inference import keeper

LIMIT_S = 20.0
# A "server" with a process of its own that ignores SIGTERM and shared memory that it leaves.
SERVER = """
trap '{on_term}' TERM
(trap '' TERM; echo $BASHPID > "$1/orphan"; touch "$2-left"; while :; do sleep 0.05; done) &
while [ ! -e "$2-left" ]; do sleep 0.01; done
touch "$1/up"
{then}
"""


@pytest.fixture
def start(tmp_path):
    prefix = f"tsr-test-{uuid.uuid4()}"
    started = []
    orphans = []

    def start(then="while :; do sleep 0.05; done", on_term="exit 0", grace=5.0):
        lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
        script = SERVER.format(then=then, on_term=on_term)
        process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", keeper.__file__, str(grace), str(lock)),
                *(str(tmp_path / "pid"), prefix, "/bin/bash", "-c", script, "server"),
                *(str(tmp_path), str(keeper.SHARED_MEMORY / prefix)),
            ],
            stdin=subprocess.PIPE,
            pass_fds=(lock,),
            start_new_session=True,
        )
        os.close(lock)
        started.append(process)
        until((tmp_path / "up").exists)
        orphans.append(int((tmp_path / "orphan").read_text()))
        return process, int((tmp_path / "pid").read_text()), orphans[-1]

    start.prefix = prefix
    yield start
    for process in started:
        process.kill()
        process.stdin.close()
        process.wait()
    for orphan in filter(alive, orphans):  # of a keeper that was killed itself
        os.kill(orphan, signal.SIGKILL)
    for path in keeper.SHARED_MEMORY.glob(f"{prefix}*"):
        path.unlink()


def until(condition):
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, "too late"
        time.sleep(0.01)


def shared(prefix):
    return list(keeper.SHARED_MEMORY.glob(f"{prefix}*"))


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_server_gets_no_input_of_ours(start, tmp_path):
    """A bash below it that finds a socket there reads ~/.bashrc."""
    start(then='readlink /proc/self/fd/0 > "$1/input"; while :; do sleep 0.05; done')
    until((tmp_path / "input").exists)
    until(lambda: (tmp_path / "input").read_text())

    assert (tmp_path / "input").read_text().strip() == os.devnull


@pytest.mark.parametrize(
    ("end", "options", "status"),
    [
        pytest.param(lambda p: p.stdin.close(), {}, 0, id="router gone"),
        pytest.param(lambda p: p.terminate(), {}, 0, id="told to stop"),
        pytest.param(lambda p: p.terminate(), {"on_term": "exit 7"}, 7, id="stops with an error"),
        pytest.param(
            lambda p: p.terminate(), {"on_term": ":", "grace": 0.2}, 137, id="will not stop"
        ),
        pytest.param(
            lambda p: (p.send_signal(signal.SIGINT), p.terminate()), {}, 0, id="Ctrl-C is ignored"
        ),
    ],
)
def test_nothing_is_left(start, end, options, status):
    process, server, orphan = start(**options)
    end(process)

    assert process.wait(LIMIT_S) == status
    assert not alive(server)
    assert not alive(orphan)
    assert shared(start.prefix) == []


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGKILL, 137), (signal.SIGSEGV, 139)], ids=["killed", "crashed"]
)
def test_a_server_that_dies_takes_its_processes_along(start, number, status):
    process, server, orphan = start()
    os.kill(server, number)

    assert process.wait(LIMIT_S) == status
    assert not alive(orphan)
    assert shared(start.prefix) == []


def test_a_server_that_ends_by_itself(start, tmp_path):
    process, _, orphan = start(then='while [ ! -e "$1/go" ]; do sleep 0.01; done; exit 3')
    (tmp_path / "go").touch()

    assert process.wait(LIMIT_S) == 3
    assert not alive(orphan)


def test_a_killed_keeper_takes_the_server_along(start):
    process, server, _ = start()
    process.kill()

    until(lambda: not alive(server))


def test_a_command_that_does_not_exist(tmp_path):
    command = [sys.executable, "-I", "-S", keeper.__file__, "1", "0", str(tmp_path / "pid")]
    with subprocess.Popen(
        [*command, "tsr-none-", str(tmp_path / "nothing here")],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        status = process.wait(LIMIT_S)  # the router stays: its end of the pipe is open
        said = process.stderr.read()

    assert status == 127
    assert said == f"error: {tmp_path}/nothing here: No such file or directory\n"
