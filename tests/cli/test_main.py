"""The entry point: no mistake of a user ends in a traceback."""

import asyncio
import signal
import socket
import sys
from importlib.metadata import version

import pytest

from orchestrator.cli import application
from tests.processes import LIMIT_S, ROOT, ended, free_ports

VERBS = (
    "serve",
    "triton",
    "check",
    "explain",
    "probe",
    "diff",
    "evaluate",
    "reference",
    "probe-labels",
    "parity",
    "train-selector",
    "demo-upstream",
)


def test_the_verbs(tsr):
    assert tuple(command.name for command in application.registered_commands) == VERBS
    told = tsr("--help")
    assert told.code == 0
    assert all(verb in told.out for verb in VERBS)


def test_nothing_is_a_call_for_help(tsr):
    told = tsr()

    assert told.code == 2
    assert "Usage" in told.out + told.err


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example(tsr, verb):
    told = tsr(verb, "--help")

    assert told.code == 0
    assert f"Example: tsr {verb} " in told.out


WRONG_CALLS = [
    pytest.param(("nonsense",), "nonsense", id="no such verb"),
    pytest.param(("check",), "Missing argument", id="no file"),
    pytest.param(("check", "{policy}", "--format", "xml"), "--format", id="format"),
    pytest.param(
        ("train-selector", "--algorithm", "static", "--data", "x", "--out", "y"),
        "is not one of kmeans, knn, mlp, svm",
        id="an algorithm that is not trained",
    ),
    pytest.param(("check", "{policy}", "--nonsense"), "--nonsense", id="no such option"),
    pytest.param(("serve",), "--config", id="no config"),
    pytest.param(("triton",), "--config", id="no config for Triton"),
    pytest.param(("triton", "--config", "{policy}", "--port", "0"), "--port", id="Triton, port 0"),
    pytest.param(("serve", "--config", "{policy}", "--port", "0"), "--port", id="port 0"),
    pytest.param(("serve", "--config", "{policy}", "--port", "65536"), "--port", id="large port"),
    pytest.param(("serve", "--config", "{policy}", "--port", "http"), "--port", id="word"),
    pytest.param(
        ("serve", "--config", "{policy}", "--management-port", "-1"),
        "--management-port",
        id="negative port",
    ),
    pytest.param(
        ("serve", "--config", "{policy}", "--log-level", "loud"), "--log-level", id="log level"
    ),
    pytest.param(
        ("serve", "--config", "{policy}", "--triton-url", "http://triton:8001"),
        "host:port",
        id="an http URL for Triton",
    ),
    pytest.param(
        ("explain", "hi", "--config", "{policy}", "--triton-url", "triton"),
        "host:port",
        id="no port for Triton",
    ),
    pytest.param(
        ("probe", "{policy}", "--config", "{policy}", "--triton-url", "triton:99999"),
        "host:port",
        id="a port beyond all ports for Triton",
    ),
    pytest.param(("probe", "{policy}"), "--config", id="nothing to probe"),
    pytest.param(("demo-upstream", "--port", "99999"), "--port", id="demo port"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG_CALLS)
def test_a_wrong_call_is_told_with_exit_2(tsr, policy, arguments, said):
    told = tsr(*(argument.format(policy=policy) for argument in arguments))

    assert told.code == 2
    assert said in told.err
    assert "Traceback" not in told.err


FILES = {
    "missing": "No such file or directory",
    "folder": "Is a directory",
    "binary": "not UTF-8 text",
    "broken": "not valid YAML",
    "empty": "empty",
    "list": "not a mapping",
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "broken").write_text("routing: [1\nb: }")
    (tmp_path / "empty").write_text("")
    (tmp_path / "list").write_text("- routing\n")
    return tmp_path


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "verb",
    [
        pytest.param(("check", "{file}"), id="check"),
        pytest.param(("serve", "--config", "{file}"), id="serve"),
        pytest.param(("explain", "hi", "--config", "{file}"), id="explain"),
        pytest.param(("probe", "{file}", "--config", "{policy}"), id="probe"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tsr, files, policy, name, verb):
    told = tsr(*(part.format(file=files / name, policy=policy) for part in verb))

    assert told.code == 1
    (line, *rest) = (told.out + told.err).splitlines()
    assert FILES[name] in line or (verb[0], name, "mapping" in line) == ("probe", "empty", True)
    assert str(files / name) in line
    assert "error: " in line
    assert "error: : " not in line
    assert rest == ([f"{files / name}: not usable, 1 error, 0 warnings"] * (verb[0] == "check"))


@pytest.mark.parametrize(
    ("verb", "advice"),
    [
        pytest.param(
            ("serve", "--config", "{policy}", "--port", "{taken}"),
            "; choose another with --port",
            id="serve",
        ),
        pytest.param(
            ("serve", "--config", "{policy}", "--port", "{free}", "--management-port", "{taken}"),
            "; choose another with --management-port",
            id="management",
        ),
        pytest.param(("demo-upstream", "--port", "{taken}"), "", id="demo-upstream"),
    ],
)
def test_a_taken_port_is_one_line(tsr, policy, verb, advice):
    (free,) = free_ports(1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        told = tsr(*(part.format(policy=policy, taken=taken, free=free) for part in verb))

    assert told.code == 1
    said = f"error: cannot listen on 127.0.0.1:{taken}: Address already in use{advice}"
    assert told.lines == [said]


async def test_as_a_module_it_behaves_the_same():
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "orchestrator", "check", "/nonsense\udcff.yaml"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with ended(process):
        out, _ = await asyncio.wait_for(process.communicate(), LIMIT_S)

    assert process.returncode == 1
    assert b"No such file or directory" in out
    assert b"Traceback" not in out


INTERRUPTED = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "orchestrator.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from orchestrator.__main__ import main
main()
"""


async def test_ctrl_c_during_the_imports_is_no_traceback():
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", INTERRUPTED),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with ended(process):
        out, _ = await asyncio.wait_for(process.communicate(), LIMIT_S)

    assert process.returncode == -signal.SIGINT
    assert out == b""


def test_the_version(tsr):
    told = tsr("--version")

    assert told.code == 0
    assert told.out == f"tsr {version('triton-semantic-router')}\n"
