"""A whole routing decision over every family that reads text, against the one call to Triton that
it cannot do without: the same text, all tasks, nothing around it.

Both run in this process against one server, block after block. `greeted`: the conversation holds a
greeting of the assistant, so that all six tasks are asked about the one text. `after a turn`: the
user has written before, and reask reads that turn as well, a second row of the call (guards with
`include_history` add a row for each message).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from orchestrator.app.policies import compile_file
from orchestrator.app.running import Running, running
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.server.evaluate import asked
from orchestrator.types import Request
from perf.embedding_load import Client, cpu_seconds, prose_of_length
from perf.record import ratio
from perf.served import REPOSITORY
from perf.signals_process import SIGNALS, everything

POLICY = Path(__file__).parent / "policies/text_signals.yaml"
LENGTHS = {16: 32, 64: 24, 256: 12}  # tokens -> texts, each round and arm
CALL, GREETED, TURN = "one call", "greeted", "after a turn"
BEFORE = {
    GREETED: [{"role": "assistant", "content": "Hello! How can I help?"}],
    TURN: [
        {"role": "user", "content": "I want to plan a trip with friends, where do we begin?"},
        {"role": "assistant", "content": "Hello! Begin with the dates."},
    ],
}


@dataclass(frozen=True, slots=True)
class Block:
    """Some texts, one after another, a text each."""

    wall_ms: float  # median
    cpu_ms: float  # of this process
    server_ms: float  # CPU of Triton with its Python processes
    rows: float  # that the model read


async def measure(rounds: int) -> dict[str, Any]:
    compiled = compile_file(POLICY)
    found: dict[int, dict[str, list[Block]]] = {tokens: {} for tokens in LENGTHS}
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = EmbeddedTriton(REPOSITORY, [SIGNALS], state_dir=folder)
        stack.push_async_callback(server.stop)
        await server.start()
        assert server.pid is not None
        client = Client(server.url, server.pid, [everything()])
        stack.push_async_callback(client.close)
        router = await stack.enter_async_context(running(compiled, (server.url,)))
        await _check(router)
        for turn in range(rounds):
            for tokens, count in LENGTHS.items():
                texts = prose_of_length(tokens, count, seed=turn)
                for name in _turned([CALL, *BEFORE], turn):
                    calls = _calls(name, router, client, texts)
                    block = await _block(calls, client, server.pid)
                    found[tokens].setdefault(name, []).append(block)
            print(f"routing, round {turn + 1} of {rounds}", file=sys.stderr)
    figures = {f"{tokens} tokens": _summary(blocks) for tokens, blocks in found.items()}
    return {"families": len(compiled.blueprints[0].rules), **figures}


async def _check(router: Running) -> None:
    """A family that gives up costs nothing, so all must answer. Also warms them up."""
    for name in BEFORE:
        request = _request(router, name, "Please book a table for two people.")
        for _ in range(8):
            facts = (await router.pipeline.route(request)).facts
        lost = {family: reading.unknown for family, reading in facts.readings.items()}
        unknown = {family: rules for family, rules in lost.items() if rules}
        if unknown:
            raise SystemExit(f"some signals could not be read: {unknown}")


def _request(router: Running, name: str, text: str) -> Request:
    messages = [*BEFORE[name], {"role": "user", "content": text}]
    return asked(router.pipeline, {"messages": messages})


def _turned(names: list[str], turn: int) -> list[str]:
    first = turn % len(names)
    return names[first:] + names[:first]


def _calls(
    name: str, router: Running, client: Client, texts: Sequence[str]
) -> list[Callable[[], Awaitable[object]]]:
    if name == CALL:
        return [lambda text=text: client.ask(text) for text in texts]  # type: ignore[misc]
    requests = [_request(router, name, text) for text in texts]
    return [lambda request=request: router.pipeline.route(request) for request in requests]  # type: ignore[misc]


async def _block(
    calls: Sequence[Callable[[], Awaitable[object]]], client: Client, pid: int
) -> Block:
    rows, server = (await client.counts())[0], cpu_seconds(pid)
    walls: list[float] = []
    cpu = time.process_time()
    for call in calls:
        began = time.perf_counter()
        await call()
        walls.append(time.perf_counter() - began)
    cpu = time.process_time() - cpu
    server = cpu_seconds(pid) - server
    rows = (await client.counts())[0] - rows
    count = len(calls)
    return Block(1e3 * median(walls), 1e3 * cpu / count, 1e3 * server / count, rows / count)


def _summary(found: dict[str, list[Block]]) -> dict[str, Any]:
    bare = found[CALL]

    def against(name: str, of: Callable[[Block], float]) -> float:
        return ratio([of(block) for block in found[name]], [of(block) for block in bare])

    return {
        **{f"p50, {name} / one call": against(name, lambda one: one.wall_ms) for name in BEFORE},
        **{
            f"CPU with Triton, {name} / one call": against(
                name, lambda one: one.cpu_ms + one.server_ms
            )
            for name in BEFORE
        },
        "arms": {
            name: {
                "p50 ms": round(median(block.wall_ms for block in blocks), 2),
                "CPU ms, this process": round(median(block.cpu_ms for block in blocks), 2),
                "CPU ms, Triton": round(median(block.server_ms for block in blocks), 2),
                "rows": round(median(block.rows for block in blocks), 2),
            }
            for name, blocks in found.items()
        },
    }
