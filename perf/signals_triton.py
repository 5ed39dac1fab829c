"""The same comparison through Triton.

CPU is that of Triton's Python processes, from /proc, in steps of 10 ms.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

from orchestrator.inference.server import EmbeddedTriton
from perf.arms.repositories import build, copy_names, one_instance
from perf.embedding_load import (
    EMBEDDING,
    MODEL,
    Client,
    Load,
    Question,
    cpu_seconds,
    prose_of_length,
)
from perf.record import ratio
from perf.signals_process import ALL, NONE, SEPARATE, SIGNALS, SINGLE, everything

LENGTHS = {64: 32, 256: 12}  # tokens -> texts, each round and arm
COPIES = 6


async def measure(rounds: int) -> dict[str, Any]:
    """One at a time, one instance of each model."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        names = build(folder / "models", {SIGNALS: 1, MODEL: COPIES}, one_instance)
        server = EmbeddedTriton(folder / "models", names, state_dir=folder / "state")
        stack.push_async_callback(server.stop)
        await server.start()
        arms = {
            SINGLE: [EMBEDDING],
            ALL: [everything()],
            NONE: [Question(SIGNALS, ("EMBEDDING",), "")],
            SEPARATE: [Question(name, ("EMBEDDING",)) for name in copy_names(MODEL, COPIES)],
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


def _pid(server: EmbeddedTriton) -> int:
    assert server.pid is not None
    return server.pid


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
