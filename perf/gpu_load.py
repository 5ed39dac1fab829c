"""The GPU form of the text classifiers under load, against what is expected of it.

    python -m perf.gpu_load --url 127.0.0.1:8001 --records FOLDER --output report.json

Every text is a new one of the same length, all tasks are asked, one text a call. Exits 1 where an
expectation (gpu_expectations.toml) is missed or cannot be judged. Started by gpu_check.sh.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from perf.embedding_load import Client, Question, prose_of_length
from perf.gpu_judge import Run, Verdict, judged
from perf.record import circumstances

EXPECTATIONS = Path(__file__).parent / "gpu_expectations.toml"
MODEL = "text_signals"
WARM_S, MEASURED_S = 2.0, 6.0
TEXTS = 400  # different ones; repeated where a run needs more


@dataclass(frozen=True, slots=True)
class Served:
    """What a server says of the model."""

    steps: tuple[str, ...]  # the platforms of an ensemble's steps
    tasks: tuple[str, ...]
    outputs: tuple[str, ...]


async def measure(client: Client, texts: Sequence[str], concurrency: int, seconds: float) -> Run:
    """`concurrency` calls at any time, for so long."""
    taken: list[float] = []
    queue = (texts[at % len(texts)] for at in range(10**9))
    began = time.perf_counter()

    async def worker() -> None:
        for text in queue:
            sent = time.perf_counter()
            if sent - began >= seconds:
                return
            await client.ask(text)
            taken.append(time.perf_counter() - sent)

    await asyncio.gather(*(worker() for _ in range(concurrency)))
    p50, p95 = (float(1e3 * np.percentile(taken, share)) for share in (50, 95))
    rate = len(taken) / (time.perf_counter() - began)
    return Run(concurrency, round(rate, 1), round(p50, 3), round(p95, 3), len(taken))


async def run(url: str, expected: Mapping[str, Any], seconds: float) -> tuple[Served, list[Run]]:
    """At each number of calls that something is expected of."""
    probe = Client(url, 0)
    try:
        served = await described(probe)
    finally:
        await probe.close()
    client = Client(url, 0, [Question(MODEL, served.outputs, ",".join(served.tasks))])
    counts = {int(one) for one in expected["latency"] if one.isdigit()}
    texts = prose_of_length(expected["latency"]["tokens"], TEXTS, seed=7)
    try:
        runs = []
        for concurrency in sorted(counts | {1, int(expected["throughput"]["concurrency"])}):
            await measure(client, texts, concurrency, WARM_S if seconds > WARM_S else seconds)
            runs.append(await measure(client, texts, concurrency, seconds))
        return served, runs
    finally:
        await client.close()


async def described(client: Client) -> Served:
    """Tasks are read off the outputs, platforms off the configs of an ensemble's steps."""
    config = await client.config(MODEL)
    steps = dict.fromkeys(one.model_name for one in config.ensemble_scheduling.step)
    parts = [await client.config(name) for name in steps]
    names = tuple(one.name for one in config.output)
    tasks = [name.split("_", 1)[1] for name in names if name.startswith(("PROBS_", "SPANS_"))]
    kinds = tuple(one.platform or one.backend for one in parts)
    return Served(kinds, tuple(tasks), names)


def records(folder: Path) -> dict[str, dict[str, Any]]:
    """`engine.json` of every engine in a repository."""
    return {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*/engine.json"))
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True, help="host:port of gRPC")
    parser.add_argument("--records", type=Path, required=True, help="the model repository")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=MEASURED_S, help="of each run")
    options = parser.parse_args()
    expected = tomllib.loads(EXPECTATIONS.read_text(encoding="utf-8"))
    stands = circumstances(rounds=1)
    served, runs = asyncio.run(run(options.url, expected, options.seconds))
    engines = records(options.records)
    verdicts = judged(expected, engines, served.steps, runs)
    report = stands | {
        "served by": served.steps,
        "runs": [asdict(one) for one in runs],
        "engines": engines,
        "verdicts": [asdict(one) for one in verdicts],
    }
    options.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(table(verdicts))
    sys.exit(0 if all(one.met for one in verdicts) else 1)


def table(verdicts: Sequence[Verdict]) -> str:
    """One line an expectation."""
    return "\n".join(
        f"{'ok    ' if one.met else 'MISSED'}  {one.what}: {one.found} (wanted {one.wanted})"
        for one in verdicts
    )


if __name__ == "__main__":
    main()
