"""The command of the bench: what it answers where something is wrong, and that nothing stays."""

import asyncio
import json
import signal
import sys

import pytest
import yaml

from perf.arms import Load, Seen
from perf.bench import main, row
from perf.scenario import Scenario
from tests.processes import LIMIT_S, alive, descendants

INPUTS = {"short": [{"tokens": 16}], "agents": [{"tokens": 16, "tools": 2, "stream": True}]}
BARE = {"name": "bare", "kind": "bare_proxy", "floor": True}
LITELLM = {"name": "other", "kind": "litellm"}


@pytest.fixture
def scenario(tmp_path):
    def write(**changed):
        right = {"about": "", "rounds": 1, "seconds": 0.1, "at_once": [2], "rates": [50]}
        path = tmp_path / "one.yaml"
        whole = right | {"inputs": INPUTS, "arms": [BARE]} | changed
        path.write_text(yaml.safe_dump(whole), encoding="utf-8")
        return str(path)

    return write


async def started(*arguments):
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "perf.bench", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@pytest.fixture
def ended(capsys):
    """Exit status of the command with these arguments, and what stood on stderr."""

    def run(*arguments):
        try:
            main(arguments)
        except SystemExit as end:
            told = capsys.readouterr().err
            return (end.code, told) if isinstance(end.code, int) else (1, f"{told}{end.code}")
        return 0, capsys.readouterr().err

    return run


def test_a_scenario_is_measured_and_written(scenario, ended, tmp_path):
    output = tmp_path / "found.json"
    arms = [BARE, LITELLM]
    status, errors = ended(scenario(arms=arms), "--output", str(output))
    assert status == 0, errors
    found = json.loads(output.read_text())
    assert found["absent"] == {"other": "--litellm names no virtual environment that has it"}
    assert {(one["input"], one["load"]) for one in found["rows"]} == {
        (name, load) for name in INPUTS for load in ("2 at once", "50 a second")
    }
    for one in found["rows"]:
        assert one["failures"] == 0
        assert one["first byte p50 ms"] <= one["p50 ms"]
        assert one["to the floor"]["p50"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["txt"], "no scenario is called txt; there are: bls, drivers", id="a name"),
        pytest.param(["none.yaml"], "no scenario is called none.yaml", id="a file"),
        pytest.param(
            ["text", "smoke", "--output", "x.json"], "--output is for one scenario", id="two"
        ),
        pytest.param(["text", "--rounds", "0"], "rounds: Input should be greater", id="no round"),
    ],
)
def test_wrong_arguments_are_refused(arguments, said, ended):
    status, errors = ended(*arguments)
    assert status == 2
    assert said in errors


def test_a_wrong_field_is_named_with_its_place(scenario, ended):
    status, errors = ended(scenario(arms=[BARE | {"policy": "heuristic"}]))
    assert status == 2
    assert "arms[0].bare_proxy.policy: Extra inputs are not permitted" in errors


@pytest.mark.parametrize(
    ("program", "said"),
    [
        pytest.param("#!/bin/sh\necho no key; exit 3\n", "ended:\nno key", id="ends"),
        pytest.param("#!/none/python", "cannot be run: ", id="is no program"),
    ],
)
def test_a_server_that_does_not_start_is_named_with_what_it_said(
    program, said, scenario, ended, tmp_path
):
    path = tmp_path / "bin/litellm"
    path.parent.mkdir()
    path.write_text(program)
    path.chmod(0o755)
    output = tmp_path / "found.json"
    arguments = ("--litellm", str(tmp_path), "--output", str(output))
    status, errors = ended(scenario(arms=[BARE, LITELLM]), *arguments)
    assert status == 1
    assert said in errors
    assert str(path) in errors
    assert not output.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=("Ctrl-C", "SIGTERM"))
async def test_interrupted_it_ends_the_servers_that_it_has_started(number, scenario, tmp_path):
    output = tmp_path / "found.json"
    running = await started(scenario(seconds=0.1, rounds=1000), "--output", str(output))
    async with asyncio.timeout(LIMIT_S):
        assert (await running.stderr.readline()).startswith(b"round 1 of 1000")
        servers = descendants(running.pid)
        running.send_signal(number)
        _, errors = await running.communicate()
    assert len(servers) == 2, servers  # the proxy and its backend
    assert running.returncode == 1
    assert b"interrupted" in errors
    assert b"Traceback" not in errors
    assert not any(map(alive, servers))
    assert not output.exists()


SCENARIO = Scenario.model_validate(
    {
        "about": "",
        "at_once": [1],
        "inputs": {"short": [{"tokens": 16}]},
        "arms": [BARE, BARE | {"name": "ours", "floor": False}],
    }
)
CELL = Load(at_once=1)


def seen(rate, **changed):
    return Seen(rate, 1e3 / rate, 2e3 / rate, 1.0, None, 0, **changed)


FAILED = Seen(0.0, float("nan"), float("nan"), 1.0, None, 5, why="status 500")


def rows(ours, bare):
    return row(
        SCENARIO,
        ("short", CELL, "ours"),
        {("short", CELL, "ours"): ours, ("short", CELL, "bare"): bare},
    )


def test_a_row_holds_medians_and_medians_of_ratios():
    found = rows([seen(10), seen(40), seen(20)], [seen(100), seen(100), seen(50)])
    assert found["requests/s"] == 20
    assert found["requests/s, least and most"] == [10, 40]
    assert found["to the floor"] == {"requests/s": 0.4, "p50": 2.5, "CPU": 1.0}
    assert {"batch", "first byte p50 ms", "failed with"}.isdisjoint(found)


@pytest.mark.parametrize(
    ("ours", "bare"),
    [
        pytest.param([seen(10), FAILED], [seen(10), seen(10)], id="ours"),
        pytest.param([seen(10), seen(10)], [FAILED, seen(10)], id="the floor"),
        pytest.param([FAILED, FAILED], [FAILED, FAILED], id="both"),
    ],
)
def test_a_round_in_which_all_failed_has_no_ratio(ours, bare):
    found = rows(ours, bare)
    assert found["to the floor"] == {"requests/s": None, "p50": None, "CPU": 1.0}
    if FAILED in ours:
        assert found["p50 ms"] is None
        assert found["failed with"] == "status 500"
    json.dumps(found, allow_nan=False)
