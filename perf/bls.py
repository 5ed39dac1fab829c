"""The router as a model of Triton (`semantic_router`) against the router over HTTP.

    python -m perf.bls [heuristic] [text_signals] [memory] [--rounds N] [--calls N]

Both follow one policy and ask one Triton; a call is a chat request to a route with every signal, by
tritonclient (gRPC) or by /api/v1/eval. Arms alternate, round after round; every text is asked once.
`memory` makes many calls and says what the model's process and /dev/shm hold on the way. Each part
replaces its own in perf/results/bls.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np
import uvloop
from tritonclient.grpc import InferInput
from tritonclient.grpc.aio import InferenceServerClient

from orchestrator.app.fleet import ROUTER, triton_of
from orchestrator.app.policies import compile_file
from orchestrator.inference.launch import Front
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.stubs import stubs
from perf.embedding_load import texts_of_mixed_lengths
from perf.endpoint import cpu_seconds, free_port, process
from perf.record import circumstances, ratio, save

HERE = Path(__file__).parent
OUTPUT = HERE / "results/bls.json"
SHARED = Path("/dev/shm")
INSIDE, HTTP = "semantic_router", "HTTP router"
CALLS = {"heuristic": {1: 300, 16: 1_600}, "text_signals": {1: 60, 16: 160}}  # at once -> calls
MILESTONES = 10  # looks at the memory

Ask = Callable[[str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Arm:
    ask: Ask
    pid: int  # of the router's process


@dataclass(frozen=True, slots=True)
class Load:
    p50_ms: float
    p95_ms: float
    rate: float  # calls a second
    cpu_ms: float  # of the router's process, a call


async def drive(arm: Arm, texts: Sequence[str], at_once: int) -> Load:
    waiting, taken = list(reversed(texts)), list[float]()
    used, began = cpu_seconds(arm.pid), time.perf_counter()

    async def one() -> None:
        while waiting:
            text, start = waiting.pop(), time.perf_counter()
            await arm.ask(text)
            taken.append(time.perf_counter() - start)

    await asyncio.gather(*(one() for _ in range(at_once)))
    seconds = time.perf_counter() - began
    p95 = quantiles(taken, n=20)[18]
    cpu = (cpu_seconds(arm.pid) - used) / len(texts)
    return Load(1e3 * median(taken), 1e3 * p95, len(texts) / seconds, 1e3 * cpu)


def body(text: str) -> dict[str, Any]:
    return {"model": "auto", "messages": [{"role": "user", "content": text}]}


def inside(client: InferenceServerClient) -> Ask:
    async def ask(text: str) -> object:
        tensor = InferInput("REQUEST", [1, 1], "BYTES")
        tensor.set_data_from_numpy(np.array([[json.dumps(body(text)).encode()]], np.object_))
        answer = await client.infer(ROUTER, [tensor])
        return json.loads(answer.as_numpy("ROUTE")[0, 0])["routing_decision"]

    return ask


def over_http(port: int) -> Ask:
    """By plain streams: a client of Python's own, as tritonclient is not, would cost more than the
    router.
    """
    free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    head = f"POST /api/v1/eval HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: "

    async def ask(text: str) -> object:
        reader, writer = free.pop() if free else await asyncio.open_connection("127.0.0.1", port)
        payload = json.dumps(body(text)).encode()
        writer.write(f"{head}{len(payload)}\r\n\r\n".encode() + payload)
        status, *fields = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        assert b" 200 " in status, status
        (length,) = (one.split(b":")[1] for one in fields if one.startswith(b"content-length:"))
        answer = json.loads(await reader.readexactly(int(length)))
        free.append((reader, writer))
        return answer["routing_decision"]

    return ask


@asynccontextmanager
async def arms(policy: Path) -> AsyncIterator[tuple[EmbeddedTriton, dict[str, Arm]]]:
    ports = {"PERF_PORT": str(free_port()), "PERF_UPSTREAM": str(free_port())}
    os.environ.update(ports)
    async with AsyncExitStack() as stack:
        server = triton_of(compile_file(policy), policy, None, Front())
        stack.push_async_callback(server.stop)
        await server.start()
        management = free_port()
        command = [sys.executable, "-m", "orchestrator", "serve", "--config", str(policy)]
        command += ["--management-port", str(management), "--port", ports["PERF_PORT"]]
        running = process([*command, "--triton-url", server.url], int(ports["PERF_PORT"]))
        pid = stack.enter_context(running)
        client = InferenceServerClient(server.url)
        stack.push_async_callback(client.close)
        (stub,) = (one for one in stubs(server.shm_prefix) if ROUTER in one.instance)
        pair = {INSIDE: Arm(inside(client), stub.pid), HTTP: Arm(over_http(management), pid)}
        yield server, pair


async def compare(name: str, rounds: int) -> dict[str, Any]:
    found: dict[int, dict[str, list[Load]]] = {}
    async with arms(HERE / "policies" / f"{name}.yaml") as (_, pair):
        for arm in pair.values():
            await drive(arm, texts_of_mixed_lengths(32, seed=rounds), 4)
        for turn in range(rounds):
            for at_once, calls in CALLS[name].items():
                texts = texts_of_mixed_lengths(calls, seed=turn)
                order = [*pair.items()][:: -1 if turn % 2 else 1]
                for which, arm in order:
                    load = await drive(arm, texts, at_once)
                    found.setdefault(at_once, {}).setdefault(which, []).append(load)
                print(f"{name}, round {turn + 1}, {at_once} at once", file=sys.stderr)
    return {f"{at_once} at once": summary(loads) for at_once, loads in found.items()}


def summary(loads: dict[str, list[Load]]) -> dict[str, Any]:
    """Medians of the rounds; ratios are the medians of each round's."""
    told: dict[str, Any] = {}
    for which, some in loads.items():
        told[which] = {
            "p50, ms": round(median(one.p50_ms for one in some), 2),
            "p95, ms": round(median(one.p95_ms for one in some), 2),
            "calls a second": round(median(one.rate for one in some), 1),
            "CPU of the router, ms a call": round(median(one.cpu_ms for one in some), 2),
        }
    ours, theirs = loads[INSIDE], loads[HTTP]
    for name in ("p50_ms", "p95_ms", "rate", "cpu_ms"):
        left, right = ([getattr(one, name) for one in some] for some in (ours, theirs))
        told[f"{INSIDE} / {HTTP}, {name.removesuffix('_ms')}"] = ratio(left, right)
    return told


async def memory(calls: int) -> dict[str, Any]:
    """16 at once, of the policy with models."""
    looks = []
    async with arms(HERE / "policies/text_signals.yaml") as (server, pair):
        arm = pair[INSIDE]
        part = calls // MILESTONES
        for turn in range(MILESTONES + 1):
            resident = re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{arm.pid}/status").read_text())
            files = SHARED.glob(f"{server.shm_prefix}*")
            looks.append(
                {
                    "calls": turn * part,
                    "resident, MB": round(int(resident[0]) / 1e3, 1),
                    "/dev/shm, MB": round(sum(f.stat().st_blocks * 512 for f in files) / 1e6, 2),
                }
            )
            print(looks[-1], file=sys.stderr)
            if turn < MILESTONES:
                await drive(arm, texts_of_mixed_lengths(part, seed=turn), 16)
    return {"at once": 16, "looks": looks}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *CALLS, "memory"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=10_000, help="of `memory`")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    for part in options.parts or (*CALLS, "memory"):
        about = circumstances(options.rounds if part != "memory" else 1)
        if part == "memory":
            figures = uvloop.run(memory(options.calls))
        else:
            figures = uvloop.run(compare(part, options.rounds))
        save(options.output, part, about | figures)
        print(f"{part}\n{json.dumps(figures, indent=2)}")


if __name__ == "__main__":
    main()
