"""What Triton's dynamic batching is worth, and what Triton itself costs.

    python -m perf.triton_batching

The same texts of mixed lengths go to four arms, in interleaved rounds on one machine: Triton as
shipped, without dynamic batching, with its response cache, and ONNX Runtime in this process (two
sessions of one thread, each in a thread, tokenizing and batching with the served code; the best of
several batch sizes counts). The load generator shares the cores with Triton. Medians over the
rounds go to perf/results/triton_batching.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from orchestrator.inference.server import EmbeddedTriton
from perf.embedding_load import (
    MODEL,
    REPOSITORY,
    Client,
    Load,
    drive_encoders,
    encoders,
    texts_of_mixed_lengths,
    with_repeats,
)

CONCURRENCY = 32
BATCHES = (16, 32, 64)  # in process
REPEATED = 0.25  # of the texts in the workload of the cache were asked before

Rounds = dict[str, list[Load]]


def variants(folder: Path) -> Path:
    """A copy of the repository whose model also has the configs `nobatch` and `cache`."""
    repository = folder / "models"
    shutil.copytree(REPOSITORY / MODEL, repository / MODEL)
    config = (repository / MODEL / "configs" / "cpu.pbtxt").read_text(encoding="utf-8")
    configs = repository / MODEL / "configs"
    configs.mkdir(exist_ok=True)
    alone, removed = re.subn(r"dynamic_batching \{[^}]*\}", "", config)
    assert removed == 1
    (configs / "nobatch.pbtxt").write_text(alone)
    (configs / "cache.pbtxt").write_text(config + "response_cache { enable: true }\n")
    return repository


async def measure(rounds: int, count: int, sequential: int) -> dict[str, Any]:
    seen: Rounds = {}
    batches: list[float] = []
    async with AsyncExitStack() as stack:
        clients = await _clients(stack)
        local = encoders(2)
        for turn in range(rounds):
            texts = texts_of_mixed_lengths(count, seed=turn)
            few = texts[:sequential]
            batch, load = await _batched(clients["shipped"], texts)
            batches.append(batch)
            found = {
                "triton": load,
                "triton, no batching": await clients["nobatch"].drive(texts, CONCURRENCY),
                **{f"in process, {size}": drive_encoders(local, texts, size) for size in BATCHES},
                "triton, one at a time": await clients["shipped"].drive(few, 1),
                "in process, one at a time": drive_encoders(local[:1], few, 1),
                **await _cached(clients, count, turn),
            }
            for name, load in found.items():
                seen.setdefault(name, []).append(load)
            print(f"round {turn + 1} of {rounds}", file=sys.stderr)
    return _summary(seen, batches)


async def _clients(stack: AsyncExitStack) -> dict[str, Client]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    repository = variants(folder)
    clients = {}
    for name, config in (("shipped", "cpu"), ("nobatch", "nobatch"), ("cache", "cache")):
        server = EmbeddedTriton(repository, [MODEL], state_dir=folder / name, config_name=config)
        stack.push_async_callback(server.stop)
        await server.start()
        assert server.pid is not None
        clients[name] = Client(server.url, server.pid)
        stack.push_async_callback(clients[name].close)
    return clients


async def _batched(client: Client, texts: list[str]) -> tuple[float, Load]:
    before = await client.counts()
    load = await client.drive(texts, CONCURRENCY)
    after = await client.counts()
    return (after[0] - before[0]) / (after[1] - before[1]), load


async def _cached(clients: dict[str, Client], count: int, turn: int) -> dict[str, Load]:
    """Texts that no server has seen, a share of them repeated or none."""
    fresh = texts_of_mixed_lengths(2 * count, seed=10_000 + turn)
    repeated, new = with_repeats(fresh[:count], REPEATED, seed=turn), fresh[count:]
    return {
        f"{label}, {kind}": await clients[name].drive(texts, CONCURRENCY)
        for kind, texts in (("a quarter repeated", repeated), ("none repeated", new))
        for label, name in (("triton", "shipped"), ("triton with cache", "cache"))
    }


def _summary(seen: Rounds, batches: list[float]) -> dict[str, Any]:
    """Ratios are medians over the rounds of arms that ran close to each other."""
    rates = {name: [load.rate for load in loads] for name, loads in seen.items()}
    cpu = {name: [load.cpu_ms for load in loads] for name, loads in seen.items()}
    latency = {name: median(load.median_ms for load in loads) for name, loads in seen.items()}
    best = max((f"in process, {size}" for size in BATCHES), key=lambda name: median(rates[name]))
    off = "triton, no batching"
    return {
        "inferences per execution": round(median(batches), 2),
        "throughput, batching on / off": _ratio(rates["triton"], rates[off]),
        "server CPU a text, batching off / on": _ratio(cpu[off], cpu["triton"]),
        "throughput, triton / in process": _ratio(rates["triton"], rates[best]),
        "p50 one at a time, triton, ms": round(latency["triton, one at a time"], 2),
        "p50 one at a time, in process, ms": round(latency["in process, one at a time"], 2),
        **{
            f"throughput, cache on / off, {kind}": _ratio(
                rates[f"triton with cache, {kind}"], rates[f"triton, {kind}"]
            )
            for kind in ("a quarter repeated", "none repeated")
        },
        "arms": {
            name: {
                "texts/s": [round(value, 1) for value in (min(of), median(of), max(of))],
                "p50 ms": round(latency[name], 2),
                "CPU ms a text": round(median(cpu[name]), 2),
            }
            for name, of in rates.items()
        },
    }


def _ratio(left: list[float], right: list[float]) -> float:
    return round(median(a / b for a, b in zip(left, right, strict=True)), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--texts", type=int, default=256, help="for each arm, each round")
    parser.add_argument("--sequential", type=int, default=64, help="of them one at a time")
    output = Path(__file__).parent / "results/triton_batching.json"
    parser.add_argument("--output", type=Path, default=output)
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    figures = asyncio.run(measure(options.rounds, options.texts, options.sequential))
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    names = re.findall(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit.stdout.strip(),
        "machine": f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores",
        "load average before": round(busy, 2),  # beyond 0.2, somebody else used the cores
        "rounds": options.rounds,
        "texts": options.texts,
        "concurrency": CONCURRENCY,
        **figures,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
