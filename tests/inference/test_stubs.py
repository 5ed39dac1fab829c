"""Stub processes are told by their command line; here a shell runs under one."""

import signal
import subprocess

import pytest

from orchestrator.inference.installation import STUB
from orchestrator.inference.stubs import end, outdated, stubs

PREFIX = "tsr-stubtest-"


@pytest.fixture
def spawn(tmp_path):
    running = []

    def spawn(instance, *, region=f"{PREFIX}1", model="m", program=f"/a folder/{STUB}"):
        script = tmp_path / f"{model}.py"
        script.write_text("echo up; read -r line")
        arguments = [str(script), region, "1", "1", "1", "backends", "1", instance, "DEFAULT"]
        process = subprocess.Popen(
            [program, *arguments],
            executable="/bin/bash",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        process.stdout.readline()
        running.append(process)
        return process

    yield spawn
    for process in running:
        process.kill()
        process.communicate()


def pids(found):
    return {stub.pid for stub in found}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"region": "tsr-another-1"}, id="another server's"),
        pytest.param({"region": f"x{PREFIX}1"}, id="prefix inside"),
        pytest.param({"program": "/bin/editor"}, id="another program"),
    ],
)
def test_other_processes_are_not_ours(spawn, other):
    spawn("m_0_0", **other)

    assert stubs(PREFIX) == []


def test_ours_are_found_with_their_instance(spawn, tmp_path):
    made = spawn("m_0_0"), spawn("m_0_1")
    found = stubs(PREFIX)

    assert pids(found) == {process.pid for process in made}
    assert {stub.instance for stub in found} == {"m_0_0", "m_0_1"}
    assert {stub.model for stub in found} == {str(tmp_path / "m.py")}


def test_dead_ones_are_not_found(spawn):
    process = spawn("m_0_0")
    process.kill()
    process.wait()

    assert stubs(PREFIX) == []


def test_one_of_each_instance_is_current(spawn):
    old, leftover = spawn("m_0_0"), spawn("m_0_1")
    spawn("m_0_0", model="n")  # another model's, with the same instance name
    new = spawn("m_0_0"), spawn("m_0_1")

    assert pids(outdated(PREFIX)) == {old.pid, leftover.pid}
    end(outdated(PREFIX))
    assert [old.wait(), leftover.wait()] == [-signal.SIGKILL] * 2
    assert outdated(PREFIX) == frozenset()
    assert [process.poll() for process in new] == [None, None]


def test_ending_one_that_is_gone_is_no_error(spawn):
    process = spawn("m_0_0")
    found = stubs(PREFIX)
    process.kill()
    process.wait()

    end(found)
