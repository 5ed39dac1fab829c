"""`image_signals` in Triton through the router's client: alone, and many pictures of mixed sizes at
once, with dynamic batching as shipped, of the encoder alone, and without.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import grpc
import numpy as np
from tritonclient.grpc import service_pb2, service_pb2_grpc

from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.triton import TritonInference
from perf.embedding_load import cpu_seconds
from perf.picture_files import ENCODER, PREPROCESS, REPOSITORY, SIGNALS, photograph, screenshot
from perf.picture_stages import SIZES
from perf.record import ratio

# Pictures at any time -> sets of `mixed`, each round and arm; enough that the last few, which find
# some instances idle, do not count for much.
CONCURRENCY = {1: 2, 8: 8, 32: 8}
ALONE = 5  # times each picture, each round
PARTS = (PREPROCESS, ENCODER)
# Arm -> the models that lose their dynamic batching.
ON, OFF = "batching on", "batching off"
ARMS: dict[str, tuple[str, ...]] = {
    ON: (),
    "batching of the encoder": (PREPROCESS,),
    OFF: PARTS,
}


@dataclass(frozen=True, slots=True)
class Run:
    """Of many pictures, or of one again and again."""

    rate: float  # pictures a second
    median_ms: float  # of one picture, its wait for a free place included
    cpu_ms: float  # of the server's processes, a picture
    batches: dict[str, float]  # model -> pictures an execution
    compute_ms: dict[str, float]  # model -> of an execution, by Triton's own clock


Counts = dict[str, tuple[int, int, int]]  # model -> inferences, executions, ns computed


def mixed() -> list[bytes]:
    """What people send: most of it small, some from cameras."""
    return [
        *(photograph((640, 480), seed=at) for at in range(4)),
        *(photograph((1280, 960), seed=at) for at in range(3)),
        *(photograph((1024, 768), "WEBP", seed=at) for at in range(2)),
        *(screenshot((1920, 1080)), screenshot((1366, 768))),
        photograph((4000, 3000)),
    ]


class Client:
    """Asks as the router does: each picture alone, at most sixteen on their way."""

    def __init__(self, server: EmbeddedTriton) -> None:
        assert server.pid is not None
        self._pid = server.pid
        self._inference = TritonInference([server.url], timeout_s=60.0)
        self._channel = grpc.aio.insecure_channel(server.url)
        self._stub = service_pb2_grpc.GRPCInferenceServiceStub(self._channel)

    async def close(self) -> None:
        await self._inference.close()
        await self._channel.close()

    async def drive(self, pictures: Sequence[bytes], concurrency: int) -> Run:
        queue, latencies = iter(pictures), list[float]()

        async def work() -> None:
            for picture in queue:
                sent = time.perf_counter()
                await self._inference.look(SIGNALS, picture)
                latencies.append(time.perf_counter() - sent)

        before, cpu, begun = await self._counts(), cpu_seconds(self._pid), time.perf_counter()
        await asyncio.gather(*(work() for _ in range(concurrency)))
        seconds = time.perf_counter() - begun
        cpu = cpu_seconds(self._pid) - cpu
        after = await self._until_counted(before, len(pictures))
        grown = {
            model: [b - a for a, b in zip(before[model], after[model], strict=True)]
            for model in PARTS
        }
        return Run(
            rate=len(pictures) / seconds,
            median_ms=1e3 * median(latencies),
            cpu_ms=1e3 * cpu / len(pictures),
            batches={model: asked / runs for model, (asked, runs, _) in grown.items()},
            compute_ms={model: took / runs / 1e6 for model, (_, runs, took) in grown.items()},
        )

    async def _until_counted(self, before: Counts, pictures: int) -> Counts:
        """A request is counted a moment after its answer has left."""
        async with asyncio.timeout(10):
            while True:
                after = await self._counts()
                if all(after[model][0] - before[model][0] >= pictures for model in PARTS):
                    return after
                await asyncio.sleep(0.005)

    async def _counts(self) -> Counts:
        found = {}
        for name in PARTS:
            request = service_pb2.ModelStatisticsRequest(name=name)
            (model,) = (await self._stub.ModelStatistics(request, timeout=10)).model_stats
            # Of an execution, by its size: the time of a whole batch, once.
            spent = sum(one.compute_infer.ns for one in model.batch_stats)
            found[name] = model.inference_count, model.execution_count, spent
        return found


async def measure(rounds: int) -> dict[str, Any]:
    alone = {f"jpeg {width} x {height}": photograph((width, height)) for width, height in SIZES}
    pictures = mixed()
    latencies: dict[str, list[Run]] = {name: [] for name in alone}
    runs: dict[str, dict[int, list[Run]]] = {
        arm: {many: [] for many in CONCURRENCY} for arm in ARMS
    }
    async with AsyncExitStack() as stack:
        clients = await _clients(stack)
        for client in clients.values():
            await client.drive(pictures * 3, max(CONCURRENCY))  # grows its shared memory
        for turn in range(rounds):
            first = turn % len(ARMS)
            turned = [*ARMS][first:] + [*ARMS][:first]  # who begins changes
            for name, picture in alone.items():
                latencies[name].append(await clients[ON].drive([picture] * ALONE, 1))
            for many, sets in CONCURRENCY.items():
                shuffled = _shuffled(pictures * sets, seed=turn)
                for arm in turned:
                    runs[arm][many].append(await clients[arm].drive(shuffled, many))
            print(f"triton, round {turn + 1} of {rounds}", file=sys.stderr)
    return {
        "pictures": {f"{many} at once": sets * len(pictures) for many, sets in CONCURRENCY.items()},
        "alone": {name: _summary(found) for name, found in latencies.items()},
        **{f"{many} at once": _compared(runs, many) for many in CONCURRENCY},
    }


def _shuffled(pictures: Sequence[bytes], seed: int) -> list[bytes]:
    return [pictures[at] for at in np.random.default_rng(seed).permutation(len(pictures))]


async def _clients(stack: AsyncExitStack) -> dict[str, Client]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    clients = {}
    for number, (arm, changed) in enumerate(ARMS.items()):
        repository = _without_batching(folder / f"models_{number}", changed)
        server = EmbeddedTriton(repository, [SIGNALS], state_dir=folder / f"state_{number}")
        stack.push_async_callback(server.stop)
        await server.start()
        clients[arm] = Client(server)
        stack.push_async_callback(clients[arm].close)
    return clients


def _without_batching(repository: Path, changed: Sequence[str]) -> Path:
    for name in (SIGNALS, *PARTS):
        shutil.copytree(REPOSITORY / name, repository / name)
    for name in changed:
        path = repository / name / "configs" / "cpu.pbtxt"
        path = path if path.is_file() else repository / name / "config.pbtxt"
        config = path.read_text(encoding="utf-8")
        config, removed = re.subn(r"dynamic_batching \{[^}]*\}", "", config)
        assert removed == 1
        path.write_text(config, encoding="utf-8")
    return repository


def _summary(runs: Sequence[Run]) -> dict[str, float]:
    return {
        "pictures/s": round(median(run.rate for run in runs), 1),
        "p50 ms": round(median(run.median_ms for run in runs), 1),
        "CPU ms a picture": round(median(run.cpu_ms for run in runs), 1),
        **{f"{one}, batch": round(median(run.batches[one] for run in runs), 2) for one in PARTS},
        **{
            f"{one}, ms an execution": round(median(run.compute_ms[one] for run in runs), 2)
            for one in PARTS
        },
    }


def _compared(runs: dict[str, dict[int, list[Run]]], many: int) -> dict[str, Any]:
    on, off = runs[ON][many], runs[OFF][many]
    return {
        "throughput, batching on / off": ratio([r.rate for r in on], [r.rate for r in off]),
        "p50, batching on / off": ratio([r.median_ms for r in on], [r.median_ms for r in off]),
        "server CPU a picture, off / on": ratio([r.cpu_ms for r in off], [r.cpu_ms for r in on]),
        "arms": {arm: _summary(found[many]) for arm, found in runs.items()},
    }
