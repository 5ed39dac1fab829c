"""The same comparison through Triton, and what batching is worth with all tasks.

CPU is that of Triton's Python processes, from /proc, in steps of 10 ms.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

from orchestrator.inference.server import EmbeddedTriton
from perf.embedding_load import (
    EMBEDDING,
    MODEL,
    REPOSITORY,
    Client,
    Load,
    Question,
    cpu_seconds,
    prose_of_length,
    texts_of_mixed_lengths,
)
from perf.record import ratio
from perf.signals_process import ALL, NONE, SEPARATE, SIGNALS, SINGLE, everything

LENGTHS = {64: 32, 256: 12}  # tokens -> texts, each round and arm
CONCURRENCY = 32
MIXED = 256  # texts of mixed lengths, each round and arm
COPIES = tuple(f"separate_{number}" for number in range(6))


async def measure(rounds: int) -> dict[str, Any]:
    """One at a time, one instance of each model."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        names = [MODEL, SIGNALS, *COPIES]
        server = await _server(stack, _single_instances(folder), names, folder / "state")
        arms = {
            SINGLE: [EMBEDDING],
            ALL: [everything()],
            NONE: [Question(SIGNALS, ("EMBEDDING",), "")],
            SEPARATE: [Question(name, ("EMBEDDING",)) for name in COPIES],
        }
        clients = {name: Client(server.url, _pid(server), asked) for name, asked in arms.items()}
        pids = {
            name: [_stub(_pid(server), question.model) for question in asked]
            for name, asked in arms.items()
        }
        for client in clients.values():
            stack.push_async_callback(client.close)
        found: dict[int, dict[str, list[tuple[Load, float]]]] = {tokens: {} for tokens in LENGTHS}
        for turn in range(rounds):
            for tokens, count in LENGTHS.items():
                texts = prose_of_length(tokens, count, seed=turn)
                for name, client in _turned(list(clients.items()), turn):
                    before = sum(map(cpu_seconds, pids[name]))
                    load = await client.drive(texts, 1)
                    spent = 1e3 * (sum(map(cpu_seconds, pids[name])) - before) / count
                    found[tokens].setdefault(name, []).append((load, spent))
            print(f"triton, round {turn + 1} of {rounds}", file=sys.stderr)
        memory = {
            "text_signals": _resident_mib(pids[ALL]),
            "text_embedding": _resident_mib(pids[SINGLE]),
            "six models": _resident_mib(pids[SEPARATE]),
        }
    figures = {f"{tokens} tokens": _summary(rows) for tokens, rows in found.items()}
    return {**figures, "resident MiB of the Python processes": memory}


async def measure_batching(rounds: int) -> dict[str, Any]:
    """All tasks of texts of mixed lengths, many at once: as shipped, and without batching."""
    question = everything()
    rates: dict[str, list[Load]] = {"on": [], "off": []}
    batches: list[float] = []
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        repositories = {"on": REPOSITORY, "off": _without_batching(folder)}
        servers = {
            name: await _server(stack, repository, [SIGNALS], folder / f"state_{name}")
            for name, repository in repositories.items()
        }
        clients = {
            name: Client(server.url, _pid(server), [question]) for name, server in servers.items()
        }
        for client in clients.values():
            stack.push_async_callback(client.close)
        for turn in range(rounds):
            texts = texts_of_mixed_lengths(MIXED, seed=turn)
            for name, client in _turned(list(clients.items()), turn):
                before = await client.counts()
                rates[name].append(await client.drive(texts, CONCURRENCY))
                after = await client.counts()
                if name == "on":
                    batches.append((after[0] - before[0]) / (after[1] - before[1]))
            print(f"batching, round {turn + 1} of {rounds}", file=sys.stderr)
    on, off = rates["on"], rates["off"]
    return {
        "concurrency": CONCURRENCY,
        "texts": MIXED,
        "throughput, batching on / off": ratio([r.rate for r in on], [r.rate for r in off]),
        "server CPU a text, off / on": ratio([r.cpu_ms for r in off], [r.cpu_ms for r in on]),
        "inferences per execution": round(median(batches), 2),
        "arms": {
            f"batching {name}": {
                "texts/s": round(median(load.rate for load in loads), 1),
                "p50 ms": round(median(load.median_ms for load in loads), 2),
                "CPU ms a text": round(median(load.cpu_ms for load in loads), 2),
            }
            for name, loads in rates.items()
        },
    }


async def _server(
    stack: AsyncExitStack, repository: Path, models: Sequence[str], state: Path
) -> EmbeddedTriton:
    server = EmbeddedTriton(repository, models, state_dir=state)
    stack.push_async_callback(server.stop)
    await server.start()
    return server


def _pid(server: EmbeddedTriton) -> int:
    assert server.pid is not None
    return server.pid


def _single_instances(folder: Path) -> Path:
    """A copy of the repository with one process a model, and the encoder six times more."""
    repository = folder / "single"
    for name in (MODEL, SIGNALS, *COPIES):
        shutil.copytree(REPOSITORY / (MODEL if name in COPIES else name), repository / name)
        path = repository / name / "configs" / "cpu.pbtxt"
        config = path.read_text(encoding="utf-8")
        config, found = re.subn(r"count: \d+", "count: 1", config)
        config, named = re.subn(r'^name: ".*"', f'name: "{name}"', config, flags=re.MULTILINE)
        assert (found, named) == (1, 1)
        path.write_text(config, encoding="utf-8")
    return repository


def _without_batching(folder: Path) -> Path:
    repository = folder / "alone"
    shutil.copytree(REPOSITORY / SIGNALS, repository / SIGNALS)
    path = repository / SIGNALS / "configs" / "cpu.pbtxt"
    config, removed = re.subn(r"dynamic_batching \{[^}]*\}", "", path.read_text(encoding="utf-8"))
    assert removed == 1
    path.write_text(config, encoding="utf-8")
    return repository


def _turned(arms: list[tuple[str, Client]], turn: int) -> list[tuple[str, Client]]:
    """Who begins changes from round to round."""
    first = turn % len(arms)
    return arms[first:] + arms[:first]


def _stub(pid: int, model: str) -> int:
    """The Python process of a model that has one instance."""
    (found,) = (
        child
        for child in _children(pid)
        if f"/{model}/" in Path(f"/proc/{child}/cmdline").read_text()
    )
    return found


def _children(pid: int) -> Iterator[int]:
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in path.read_text().split():
            yield int(child)
            yield from _children(int(child))


def _resident_mib(pids: Sequence[int]) -> int:
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
    return sum(int(re.findall(r"VmRSS:\s+(\d+) kB", text)[0]) for text in texts) // 1024


def _summary(found: dict[str, list[tuple[Load, float]]]) -> dict[str, Any]:
    cpu = {name: [spent for _, spent in rows] for name, rows in found.items()}
    wall = {name: [load.median_ms for load, _ in rows] for name, rows in found.items()}
    server = {name: [load.cpu_ms for load, _ in rows] for name, rows in found.items()}
    return {
        "CPU, six tasks / single forward": ratio(cpu[ALL], cpu[SINGLE]),
        "CPU, six tasks / six models": ratio(cpu[ALL], cpu[SEPARATE]),
        "CPU, no task / single forward": ratio(cpu[NONE], cpu[SINGLE]),
        "p50, six tasks / single forward": ratio(wall[ALL], wall[SINGLE]),
        "p50, six tasks / six models": ratio(wall[ALL], wall[SEPARATE]),
        "arms": {
            name: {
                "p50 ms": round(median(wall[name]), 2),
                "CPU ms a text": round(median(cpu[name]), 2),
                "CPU ms a text, all of Triton": round(median(server[name]), 2),
            }
            for name in found
        },
    }
