"""A model of the repository, asked by NVIDIA's perf_analyzer (perf/install_perf_analyzer.sh).

It is run once for a cell, over three windows of time. Its --request-count would ask for a number
instead, but counts its time in whole seconds then, which makes the rate of a short cell too low.
"""

from __future__ import annotations

import asyncio
import csv
import json
import os
import struct
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc

from perf.arms import Load, Ready, Seen, Unavailable
from perf.arms.loop import PATIENCE_S, TURNS
from perf.arms.repositories import steps
from perf.arms.triton import Served, Statistics, inputs
from perf.embedding_load import cpu_seconds
from perf.requests import Item
from perf.scenario import Triton

INSTALLED = Path(__file__).parents[2] / "build/perf_analyzer/perf_analyzer"
WINDOWS = 3  # it reports the last three
LONGER = 1.2  # a window takes than it is told
TRIALS = 10  # windows at most, where some are empty or apart by more than DEVIATION
DEVIATION = 100_000  # percent: noise is for the rounds to show
UNSETTLED = (2, 3)  # its exit codes for windows too far apart, and for a window without an answer
LENGTHEN = (1, 4, 16)  # the time of a cell, until its windows are long enough
READ_BYTES = 64 << 20  # of inputs, where there are pictures; asked again and again


@dataclass(frozen=True, slots=True)
class Told:
    """What perf_analyzer reports of a load."""

    rate: float  # answers a second
    p50_ms: float
    p95_ms: float


async def start(arm: Triton, server: Served, folder: Path) -> Ready:
    """`folder` is for its files. Raises Unavailable."""
    program = _program()
    given = folder / f"{arm.model}.json"

    async def drive(items: Sequence[Item], load: Load, seconds: float) -> Seen:
        given.write_text(input_data(arm.model, items), encoding="utf-8")
        async with grpc.aio.insecure_channel(server.url) as channel:
            statistics = Statistics(channel, steps(arm.model)[-1])
            for times in LENGTHEN:
                before, used = await statistics.read(), cpu_seconds(server.pid)
                parts = command(program, arm.model, server.url, load, seconds * times, given)
                told = await _run(parts, folder / "report.csv", seconds * times)
                used = cpu_seconds(server.pid) - used
                batch = await statistics.batch_since(before, 1 if told else 0)
                asked = (await statistics.read())[0] - before[0]
                if told and asked >= TURNS * load.at_once:
                    cpu_ms = 1e3 * used / asked
                    return Seen(told.rate, told.p50_ms, told.p95_ms, cpu_ms, batch, failures=0)
        raise SystemExit(
            f"perf_analyzer saw too few answers of {arm.model} at {load}: a cell took "
            f"{seconds * LENGTHEN[-1]:g} s at last; --seconds makes it longer"
        )

    return Ready(drive, f"perf_analyzer {_release(program)}")


def _program() -> Path:
    """Where it is installed, or what PERF_ANALYZER names. Raises Unavailable."""
    path = Path(os.environ.get("PERF_ANALYZER") or INSTALLED)
    if not os.access(path, os.X_OK):
        raise Unavailable(f"no perf_analyzer at {path}: run perf/install_perf_analyzer.sh")
    return path


def _release(program: Path) -> str:
    """As installed; a program from elsewhere only knows its commit, in a version 0.0.0."""
    noted = program.parent / "release"
    return noted.read_text(encoding="utf-8").strip() if noted.is_file() else f"at {program}"


def input_data(model: str, items: Sequence[Item]) -> str:
    """The requests as its --input-data: a tensor of BYTES is lengths and bytes, in base64."""
    data: list[Mapping[str, Mapping[str, str]]] = []
    size = 0
    for item in items:
        tensors = inputs(model, item)
        size += sum(map(len, tensors.values()))
        if data and size > READ_BYTES:
            break
        data.append(
            {
                name: {"b64": b64encode(struct.pack("<I", len(value)) + value).decode()}
                for name, value in tensors.items()
            }
        )
    return json.dumps({"data": data})


def command(
    program: Path, model: str, url: str, load: Load, seconds: float, given: Path
) -> list[str]:
    """Of one run; the report's file is not in it."""
    window_ms = max(1, round(1e3 * seconds / WINDOWS / LONGER))
    return [
        *[str(program), "-m", model, "-u", url, "-i", "grpc", "--async"],
        *["--input-data", str(given)],
        *["--measurement-interval", str(window_ms)],
        *["--max-trials", str(TRIALS), "--stability-percentage", str(DEVIATION)],
        *_hard(load),
    ]


def _hard(load: Load) -> list[str]:
    if load.at_once:
        return ["--concurrency-range", str(load.at_once)]
    return ["--request-rate-range", f"{load.rate:g}", "--request-distribution", "poisson"]


async def _run(command: Sequence[str], report: Path, seconds: float) -> Told | None:
    """None: its windows were too short. Raises SystemExit where it fails, as at a failed request:
    it ends at the first.
    """
    report.unlink(missing_ok=True)
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        *command, "-f", str(report), stdout=asyncio.subprocess.DEVNULL, stderr=pipe
    )
    limit = seconds * TRIALS / WINDOWS + PATIENCE_S
    try:
        _, said = await asyncio.wait_for(child.communicate(), limit)
    except TimeoutError:
        raise SystemExit(
            f"perf_analyzer did not end in {limit:.0f} s: the load may be more than is answered"
        ) from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode in UNSETTLED:
        return None
    lines = [line for line in said.decode(errors="replace").splitlines() if line.strip()]
    if child.returncode != 0:
        raise SystemExit(f"perf_analyzer ended with {child.returncode}: {' '.join(lines[-2:])}")
    return parsed(report.read_text(encoding="utf-8"))


def parsed(report: str) -> Told:
    """Of its CSV for a single load. Raises SystemExit where that is another one."""
    rows = list(csv.DictReader(report.splitlines()))
    try:
        (row,) = rows
        p50, p95 = (float(row[f"p{share} latency"]) for share in (50, 95))
        return Told(float(row["Inferences/Second"]), p50 / 1e3, p95 / 1e3)
    except (KeyError, ValueError) as error:
        raise SystemExit(f"perf_analyzer wrote an unknown report: {report[:300]!r}") from error
