import base64
import json
import os

import pydantic
import pytest

from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from perf.arms import Load, Unavailable, analyzer
from perf.arms.analyzer import Files, Told
from perf.arms.loop import due_times
from perf.arms.triton import Served
from perf.requests import Item
from perf.scenario import Triton

# As perf_analyzer 2.60.0 wrote it.
HEAD = (
    "Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,"
    "Server Compute Input,Server Compute Infer,Server Compute Output,Client Recv,"
    "p50 latency,p90 latency,p95 latency,p99 latency"
)
ROW = "4,24.9707,8,5351,6576,125,105266,2041,3,108854,195276,197418,225057"
REPORT = f"{HEAD}\n{ROW}\n"
ARM = Triton(name="texts", kind="triton", model="text_embedding", driver="perf_analyzer")


def script(path, body):
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def tensors(model, items):
    """Input -> bytes, of each request that is written."""
    rows = json.loads(analyzer.requests(model, items))["data"]
    return [{name: base64.b64decode(told["b64"]) for name, told in row.items()} for row in rows]


@pytest.mark.parametrize(
    "report",
    [
        pytest.param("", id="empty"),
        pytest.param(f"{HEAD}\n", id="no row"),
        pytest.param(f"{REPORT}{ROW}\n", id="two loads"),
        pytest.param(REPORT.replace("p95", "p96"), id="another percentile"),
        pytest.param(REPORT.replace("24.9707", "fast"), id="a word for a number"),
    ],
)
def test_a_report_of_another_form_is_told(report):
    with pytest.raises(SystemExit, match="another report"):
        analyzer.parsed(report)


def test_a_report_is_read_in_milliseconds():
    assert analyzer.parsed(REPORT) == Told(24.9707, 108.854, 197.418)


def test_requests_are_lengths_and_bytes():
    picture = bytes(range(256))

    assert tensors("text_embedding", [Item("a"), Item("é")]) == [
        {"TEXT": b"\x01\0\0\0a"},
        {"TEXT": b"\x02\0\0\0\xc3\xa9"},
    ]
    assert tensors("text_signals", [Item("a")])[0].keys() == {"TEXT", "TASKS"}
    assert tensors("image_signals", [Item(picture=picture)]) == [{"IMAGE": b"\0\1\0\0" + picture}]


def test_of_large_pictures_the_first_are_written():
    large = Item(picture=bytes(analyzer.READ_BYTES // 2 - 1))

    assert len(tensors("image_signals", [large] * 3)) == 2
    assert len(tensors("image_signals", [Item(picture=bytes(analyzer.READ_BYTES + 1))] * 2)) == 1


@pytest.mark.parametrize(
    ("load", "asked"),
    [
        pytest.param(Load(at_once=8), ["--concurrency-range", "8"], id="closed"),
        pytest.param(Load(rate=2.5), ["--request-intervals", "f/gaps.txt"], id="open"),
    ],
)
def test_the_command_has_three_windows_in_the_time_of_a_cell(tmp_path, load, asked):
    files = Files(tmp_path.relative_to(tmp_path) / "f")
    told = analyzer.command(tmp_path / "pa", "text_embedding", "host:1", load, 3.6, files)

    assert told == [
        *[
            f"{tmp_path}/pa",
            "-m",
            "text_embedding",
            "-u",
            "host:1",
            "-i",
            "grpc",
            "--async",
            *asked,
        ],
        *["--input-data", "f/requests.json", "-f", "f/report.csv", "--measurement-interval"],
        *["1000", "--max-trials", "10", "--stability-percentage", "100000"],
    ]


def test_an_open_loop_has_the_gaps_of_the_other_driver():
    gaps = [int(line) for line in analyzer.gaps_of(Load(rate=50.0), 20).splitlines()]

    due = due_times(50.0, 20)

    assert len(gaps) == 1000
    assert sum(gaps) == pytest.approx(1e6 * due[-1], abs=1000)
    assert gaps[0] == round(1e6 * due[0])
    assert analyzer.gaps_of(Load(at_once=1), 20) == ""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(
            "echo; echo 'Failed to retrieve results.' >&2; echo 'Thread [0] had error: no task' >&2"
            "\nexit 99",
            "ended with 99: Failed to retrieve results. Thread [0] had error: no task",
            id="a request fails",
        ),
        pytest.param("kill -SEGV $$", "ended with -11: ", id="it crashes"),
        pytest.param(f"echo '{HEAD}' > {{report}}", "another report", id="no row"),
    ],
)
def test_what_goes_wrong_is_one_line(tmp_path, body, message):
    files = Files(tmp_path)
    program = script(tmp_path / "pa", body.format(report=files.report))

    with pytest.raises(SystemExit) as error:
        analyzer.run([program], files, 1.0)

    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("exit 2", id="windows too far apart"),
        pytest.param("exit 3", id="a window without an answer"),
        pytest.param(
            f"echo '{analyzer.UNCOUNTED}' >&2; exit 99", id="an answer is not counted yet"
        ),
    ],
)
def test_windows_that_are_too_short_are_no_error(tmp_path, body):
    program = script(tmp_path / "pa", body)

    assert analyzer.run([program], Files(tmp_path), 1.0) is None


def test_an_old_report_is_not_read_again(tmp_path):
    files = Files(tmp_path)
    files.report.write_text(REPORT)

    with pytest.raises(SystemExit, match="another report: ''"):
        analyzer.run([script(tmp_path / "pa", "exit 0")], files, 1.0)


async def test_without_the_program_the_arm_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PERF_ANALYZER", str(tmp_path / "none"))

    with pytest.raises(Unavailable, match=r"run perf/install_perf_analyzer\.sh"):
        await analyzer.start(ARM, Served("127.0.0.1:1", 1), tmp_path)


def test_copies_are_not_for_perf_analyzer():
    with pytest.raises(pydantic.ValidationError, match="copies need the driver tritonclient"):
        Triton(name="six", kind="triton", model="text_embedding", driver="perf_analyzer", copies=6)


@pytest.mark.triton
@pytest.mark.skipif(
    not os.access(analyzer.INSTALLED, os.X_OK),
    reason="perf_analyzer is not installed: perf/install_perf_analyzer.sh",
)
@pytest.mark.parametrize("load", [Load(at_once=2), Load(rate=20.0)], ids=str)
async def test_a_real_triton_is_asked(tmp_path, load):
    state = tmp_path / "state"
    server = EmbeddedTriton(default_repository(), ["text_embedding"], state_dir=state)
    await server.start()
    try:
        arm = await analyzer.start(ARM, Served(server.url, server.pid), tmp_path)
        seen = await arm.drive([Item("a cat"), Item("a dog")], load, 1.0)
    finally:
        await server.stop()

    assert arm.by.startswith("perf_analyzer 2.60")
    assert seen.rate > 0
    assert 0 < seen.p50_ms <= seen.p95_ms
    assert seen.cpu_ms > 0
    assert seen.batch >= 1
    assert seen.failures == 0
