"""What the process of `semantic_router` and /dev/shm hold on the way through many calls.

    python -m perf.bls_memory [--calls N]

Sixteen at once, of the policy with models; every text is asked once. The result goes to
perf/results/bls_memory.json.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import uvloop
from tritonclient.grpc.aio import InferenceServerClient

from orchestrator.app.fleet import ROUTER, triton_of
from orchestrator.app.policies import compile_file
from orchestrator.inference.launch import Front
from orchestrator.inference.stubs import stubs
from perf.arms.routers import routed
from perf.embedding_load import texts_of_mixed_lengths
from perf.record import circumstances, write
from perf.requests import Item
from perf.scenario import POLICIES

OUTPUT = Path(__file__).parent / "results/bls_memory.json"
POLICY = POLICIES / "text_signals.yaml"
SHARED = Path("/dev/shm")
AT_ONCE = 16
LOOKS = 10  # at the memory, and one before


async def measure(calls: int) -> dict[str, Any]:
    part = calls // LOOKS
    async with AsyncExitStack() as stack:
        server = triton_of(compile_file(POLICY), POLICY, None, Front())
        stack.push_async_callback(server.stop)
        await server.start()
        client = InferenceServerClient(server.url)
        stack.push_async_callback(client.close)
        (stub,) = (one for one in stubs(server.shm_prefix) if ROUTER in one.instance)
        looks = [_look(0, stub.pid, server.shm_prefix)]
        for turn in range(LOOKS):
            await _ask(client, texts_of_mixed_lengths(part, seed=turn))
            looks.append(_look((turn + 1) * part, stub.pid, server.shm_prefix))
    return {"at once": AT_ONCE, "looks": looks}


async def _ask(client: InferenceServerClient, texts: Sequence[str]) -> None:
    waiting = iter(texts)

    async def one() -> None:
        for text in waiting:
            await routed(client, Item(text))

    await asyncio.gather(*(one() for _ in range(AT_ONCE)))


def _look(calls: int, pid: int, shm_prefix: str) -> dict[str, float]:
    (resident,) = re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    files = sum(file.stat().st_blocks * 512 for file in SHARED.glob(f"{shm_prefix}*"))
    look = {
        "calls": calls,
        "resident, MB": round(int(resident) / 1e3, 1),
        "/dev/shm, MB": round(files / 1e6, 2),
    }
    print(look, file=sys.stderr)
    return look


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    stands = circumstances(rounds=1)
    write(options.output, stands | uvloop.run(measure(options.calls)))
    print(options.output)


if __name__ == "__main__":
    main()
