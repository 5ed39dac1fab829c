"""A model of the repository, asked by NVIDIA's perf_analyzer (perf/install_perf_analyzer.sh).

It is run once for a cell, over three windows of time. Two of its options are not used, for short
cells would be wrong: with --request-count it counts its time in whole seconds, and its Poisson
process begins the same in each run, with 20 requests at 0.62 of the rate. It sends those of
perf.arms.loop instead.
"""

from __future__ import annotations

import asyncio
import csv
import json
import os
import struct
import subprocess
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc
import numpy as np

from perf.arms import Load, Ready, Seen, Unavailable
from perf.arms.loop import PATIENCE_S, TURNS, due_times
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
UNCOUNTED = "failed to find the requested model version"  # Triton counts after it has answered
LENGTHEN = 4  # the time of a cell by so much, until its windows are long enough
LONGEST_S = 60.0  # or this is passed
READ_BYTES = 64 << 20  # of inputs, where there are pictures; asked again and again


@dataclass(frozen=True, slots=True)
class Told:
    """What perf_analyzer reports of a load."""

    rate: float  # answers a second
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Files:
    """What it reads and writes, in a folder."""

    folder: Path

    @property
    def requests(self) -> Path:
        return self.folder / "requests.json"

    @property
    def gaps(self) -> Path:
        return self.folder / "gaps.txt"

    @property
    def report(self) -> Path:
        return self.folder / "report.csv"


async def start(arm: Triton, server: Served, folder: Path) -> Ready:
    """`folder` is for its files. Raises Unavailable."""
    program = _program()

    async def drive(items: Sequence[Item], load: Load, seconds: float) -> Seen:
        files = Files(folder)
        files.requests.write_text(requests(arm.model, items), encoding="utf-8")
        async with grpc.aio.insecure_channel(server.url) as channel:
            statistics = Statistics(channel, steps(arm.model)[-1])
            long = seconds
            while True:
                files.gaps.write_text(gaps_of(load, long), encoding="utf-8")
                before, used = await statistics.read(), cpu_seconds(server.pid)
                asking = command(program, arm.model, server.url, load, long, files)
                told = await asyncio.to_thread(run, asking, files, long)
                used = cpu_seconds(server.pid) - used
                batch = await statistics.batch_since(before, 1 if told else 0)
                asked = (await statistics.read())[0] - before[0]
                if told and asked >= TURNS * load.at_once:
                    cpu_ms = 1e3 * used / asked
                    return Seen(told.rate, told.p50_ms, told.p95_ms, cpu_ms, batch, failures=0)
                if long >= LONGEST_S:
                    raise SystemExit(
                        f"perf_analyzer saw {asked} answers of {arm.model} in {long:g} s, {load}"
                    )
                long *= LENGTHEN

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


def requests(model: str, items: Sequence[Item]) -> str:
    """As its --input-data: a tensor of BYTES is its length and its bytes, in base64."""
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


def gaps_of(load: Load, seconds: float) -> str:
    """As its --request-intervals: µs, a line each; empty for a closed loop."""
    if load.at_once:
        return ""
    gaps = np.diff(due_times(load.rate, seconds), prepend=0.0)
    return "".join(f"{round(1e6 * gap)}\n" for gap in gaps)


def command(
    program: Path, model: str, url: str, load: Load, seconds: float, files: Files
) -> list[str]:
    """Of one run."""
    hard = ["--request-intervals", str(files.gaps)]
    if load.at_once:
        hard = ["--concurrency-range", str(load.at_once)]
    return [
        *[str(program), "-m", model, "-u", url, "-i", "grpc", "--async", *hard],
        *["--input-data", str(files.requests), "-f", str(files.report)],
        *["--measurement-interval", str(max(1, round(1e3 * seconds / WINDOWS / LONGER)))],
        *["--max-trials", str(TRIALS), "--stability-percentage", str(DEVIATION)],
    ]


def run(command: Sequence[str], files: Files, seconds: float) -> Told | None:
    """None: the windows were too short. Raises SystemExit where it fails, which it does at the
    first failed request.
    """
    files.report.unlink(missing_ok=True)
    limit = seconds * TRIALS / WINDOWS + PATIENCE_S
    try:
        # In a thread: uvloop would fork, which the clients that are open note on stderr.
        ended = subprocess.run(command, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise SystemExit(
            f"perf_analyzer did not end in {limit:.0f} s: the load may be more than is answered"
        ) from None
    said = ended.stderr.decode(errors="replace")
    if ended.returncode in UNSETTLED or (ended.returncode and UNCOUNTED in said):
        return None
    if ended.returncode != 0:
        last = [line.strip() for line in said.splitlines() if line.strip()][-2:]
        raise SystemExit(f"perf_analyzer ended with {ended.returncode}: {' '.join(last)}")
    return parsed(files.report.read_text(encoding="utf-8") if files.report.is_file() else "")


def parsed(report: str) -> Told:
    """Of its CSV for one load. Raises SystemExit where that is none."""
    try:
        (row,) = csv.DictReader(report.splitlines())
        p50, p95 = (float(row[f"p{share} latency"]) for share in (50, 95))
        return Told(float(row["Inferences/Second"]), p50 / 1e3, p95 / 1e3)
    except (KeyError, ValueError) as error:
        raise SystemExit(f"perf_analyzer wrote another report: {report[:300]!r}") from error
