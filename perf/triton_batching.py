"""What Triton's dynamic batching is worth, and what Triton itself costs.

    python -m perf.triton_batching

The same texts of mixed lengths go to four arms, in interleaved rounds on one machine: Triton as
shipped, without dynamic batching, with its response cache, and ONNX Runtime in this process (two
sessions of one thread, each in a thread, tokenizing and batching with the served code). Medians
over the rounds go to perf/results/triton_batching.json.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import grpc
import numpy as np
from tritonclient.grpc import service_pb2, service_pb2_grpc

from orchestrator.inference.server import EmbeddedTriton

HERE = Path(__file__).parent
REPOSITORY = HERE.parent / "model_repository"
MODEL = "text_embedding"
CONCURRENCY = 32
BATCHES = (8, 16, 32, 64)  # in process: the best of these counts
# Lognormal token counts with special tokens: mean 23, median 17, 95th percentile 60, at most 126.
LOG_MEAN, LOG_SIGMA, SHORTEST, LONGEST = np.log(17), 0.78, 3, 126
REPEATED = 0.25  # of the requests of the cached workload ask for a text seen before

Rates = dict[str, list[float]]


def texts_of_mixed_lengths(count: int, seed: int) -> list[str]:
    """Texts of words that are one token each; no two are the same."""
    vocabulary = json.loads((REPOSITORY / MODEL / "tokenizer.json").read_text())["model"]["vocab"]
    words = [word for word in vocabulary if re.fullmatch("[a-z]{3,}", word)]
    draw = np.random.default_rng(seed)
    lengths = draw.lognormal(LOG_MEAN, LOG_SIGMA, count).round().clip(SHORTEST, LONGEST)
    return [" ".join(draw.choice(words, int(length) - 2)) for length in lengths]


def with_repeats(texts: Sequence[str], seed: int) -> list[str]:
    """The same texts, a share of them replaced by an earlier one."""
    draw = np.random.default_rng(seed)
    mixed = list(texts)
    for at in np.flatnonzero(draw.random(len(mixed)) < REPEATED):
        mixed[at] = mixed[draw.integers(0, at + 1)]
    return mixed


class Client:
    """The raw stubs of tritonclient, so that the load generator takes little of the CPU."""

    def __init__(self, url: str) -> None:
        self._channel = grpc.aio.insecure_channel(url)
        self._stub = service_pb2_grpc.GRPCInferenceServiceStub(self._channel)

    async def embed(self, text: str) -> bytes:
        data = text.encode()
        request = service_pb2.ModelInferRequest(
            model_name=MODEL,
            inputs=[
                service_pb2.ModelInferRequest.InferInputTensor(
                    name="TEXT", datatype="BYTES", shape=[1, 1]
                )
            ],
            outputs=[service_pb2.ModelInferRequest.InferRequestedOutputTensor(name="EMBEDDING")],
            raw_input_contents=[struct.pack("<I", len(data)) + data],
        )
        answer = await self._stub.ModelInfer(request, timeout=60)
        return bytes(answer.raw_output_contents[0])

    async def counts(self) -> tuple[int, int]:
        """Inferences and executions so far."""
        answer = await self._stub.ModelStatistics(
            service_pb2.ModelStatisticsRequest(name=MODEL), timeout=10
        )
        (model,) = answer.model_stats
        return model.inference_count, model.execution_count

    async def close(self) -> None:
        await self._channel.close()


async def drive(client: Client, texts: Sequence[str], concurrency: int) -> tuple[float, float]:
    """Requests a second and the median latency in ms, `concurrency` at any time."""
    queue = iter(texts)
    latencies: list[float] = []

    async def worker() -> None:
        for text in queue:
            started = time.perf_counter()
            await client.embed(text)
            latencies.append(time.perf_counter() - started)

    started = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return len(latencies) / (time.perf_counter() - started), 1e3 * median(latencies)


def in_process() -> list[Callable[[list[str]], Any]]:
    """Two encoders of one thread each, over the files and the code that Triton serves."""
    folder = REPOSITORY / MODEL
    sys.path.insert(0, str(folder / "1"))
    encoder = importlib.import_module("encoder")
    config = (folder / "config.pbtxt").read_text()
    pairs = re.findall(r'key: "(\w+)" value \{ string_value: "([^"]*)"', config)
    limits = encoder.Limits.read(dict(pairs))
    files = folder / "1" / "model.onnx", folder / "tokenizer.json"
    encoders = [encoder.Encoder.load(*files, limits, threads=1) for _ in range(2)]
    for each in encoders:
        each.warm()
    return [each.encode for each in encoders]


def drive_in_process(
    encoders: list[Callable[[list[str]], Any]], texts: Sequence[str], batch: int
) -> float:
    """Texts a second, both encoders taking batches from one queue."""
    batches = [list(texts[at : at + batch]) for at in range(0, len(texts), batch)]
    queue = iter(batches)

    def worker(encode: Callable[[list[str]], Any]) -> None:
        for chunk in queue:
            encode(chunk)

    started = time.perf_counter()
    with ThreadPoolExecutor(len(encoders)) as pool:
        list(pool.map(worker, encoders))
    return len(texts) / (time.perf_counter() - started)


def alone_in_process(encode: Callable[[list[str]], Any], texts: Sequence[str]) -> float:
    """Median latency in ms of one text at a time."""
    latencies = []
    for text in texts:
        started = time.perf_counter()
        encode([text])
        latencies.append(time.perf_counter() - started)
    return 1e3 * median(latencies)


def variants(folder: Path) -> Path:
    """A copy of the repository whose model also has the configs `nobatch` and `cache`."""
    repository = folder / "models"
    shutil.copytree(REPOSITORY / MODEL, repository / MODEL)
    config = (repository / MODEL / "config.pbtxt").read_text()
    configs = repository / MODEL / "configs"
    configs.mkdir(exist_ok=True)
    (configs / "nobatch.pbtxt").write_text(re.sub(r"dynamic_batching \{[^}]*\}", "", config))
    (configs / "cache.pbtxt").write_text(config + "response_cache { enable: true }\n")
    return repository


async def measure(rounds: int, count: int, sequential: int) -> dict[str, Any]:
    rates: Rates = {}
    batches: list[float] = []

    def note(name: str, value: float) -> None:
        rates.setdefault(name, []).append(value)

    async with AsyncExitStack() as stack:
        clients = await _clients(stack)
        encoders = in_process()
        for turn in range(rounds):
            texts = texts_of_mixed_lengths(count, seed=turn)
            mixed = with_repeats(texts_of_mixed_lengths(count, seed=1_000 + turn), seed=turn)
            again = with_repeats(texts_of_mixed_lengths(count, seed=2_000 + turn), seed=turn)
            before = await clients["shipped"].counts()
            for name in ("shipped", "nobatch"):
                note(f"{name} texts/s", (await drive(clients[name], texts, CONCURRENCY))[0])
                note(f"{name} p50 alone ms", (await drive(clients[name], texts[:sequential], 1))[1])
                if name == "shipped":
                    after = await clients["shipped"].counts()
                    alone = sequential  # these had no company
                    batches.append((after[0] - before[0] - alone) / (after[1] - before[1] - alone))
            for batch in BATCHES:
                note(f"in process, {batch}", drive_in_process(encoders, texts, batch))
            note("in process p50 alone ms", alone_in_process(encoders[0], texts[:sequential]))
            note(
                "uncached, repeats texts/s",
                (await drive(clients["shipped"], mixed, CONCURRENCY))[0],
            )
            note("cached, repeats texts/s", (await drive(clients["cache"], mixed, CONCURRENCY))[0])
            note(
                "cached, no repeats texts/s", (await drive(clients["cache"], texts, CONCURRENCY))[0]
            )
            note(
                "uncached, repeats p50 alone ms",
                (await drive(clients["shipped"], again[:sequential], 1))[1],
            )
            note(
                "cached, repeats p50 alone ms",
                (await drive(clients["cache"], again[:sequential], 1))[1],
            )
            print(f"round {turn + 1} of {rounds}", file=sys.stderr)
    return _summary(rates, batches)


async def _clients(stack: AsyncExitStack) -> dict[str, Client]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    repository = variants(folder)
    clients = {}
    for name, config in (("shipped", None), ("nobatch", "nobatch"), ("cache", "cache")):
        server = EmbeddedTriton(repository, [MODEL], state_dir=folder / name, config_name=config)
        stack.push_async_callback(server.stop)
        await server.start()
        clients[name] = Client(server.url)
        stack.push_async_callback(clients[name].close)
    return clients


def _summary(rates: Rates, batches: list[float]) -> dict[str, Any]:
    middle = {name: round(median(values), 2) for name, values in rates.items()}
    spread = {name: [round(min(v), 2), round(max(v), 2)] for name, v in rates.items()}
    best = max(middle[f"in process, {batch}"] for batch in BATCHES)
    shipped = middle["shipped texts/s"]
    return {
        "inferences per execution": round(median(batches), 2),
        "batching on / off": round(shipped / middle["nobatch texts/s"], 3),
        "triton / in process": round(shipped / best, 3),
        "p50 alone, triton - 1.3 x in process, ms": round(
            middle["shipped p50 alone ms"] - 1.3 * middle["in process p50 alone ms"], 2
        ),
        "cache on / off, a quarter repeated": round(
            middle["cached, repeats texts/s"] / middle["uncached, repeats texts/s"], 3
        ),
        "cache on / off, none repeated": round(middle["cached, no repeats texts/s"] / shipped, 3),
        "medians": middle,
        "least and most": spread,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--texts", type=int, default=768, help="a round and an arm")
    parser.add_argument("--sequential", type=int, default=96, help="one at a time, likewise")
    parser.add_argument("--output", type=Path, default=HERE / "results/triton_batching.json")
    options = parser.parse_args()
    figures = asyncio.run(measure(options.rounds, options.texts, options.sequential))
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit.stdout.strip(),
        "machine": f"{processor()}, {os.cpu_count()} cores",
        "rounds": options.rounds,
        "texts": options.texts,
        "concurrency": CONCURRENCY,
    } | figures
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


def processor() -> str:
    names = re.findall(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
