"""Texts of mixed lengths, and what asks for their embeddings: over gRPC or in this process."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import re
import struct
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import grpc
import numpy as np
from tritonclient.grpc import service_pb2, service_pb2_grpc

REPOSITORY = Path(__file__).parent.parent / "model_repository"
MODEL = "text_embedding"
# Lognormal token counts with special tokens: mean 23, median 17, 95th percentile 60, at most 126.
LOG_MEAN, LOG_SIGMA, SHORTEST, LONGEST = np.log(17), 0.78, 3, 126

Encode = Callable[[list[str]], Any]


@dataclass(frozen=True, slots=True)
class Load:
    """What one run saw."""

    rate: float  # texts a second
    median_ms: float  # of one request
    cpu_ms: float  # of the server's processes, a text


def texts_of_mixed_lengths(count: int, seed: int) -> list[str]:
    """Texts of words that are one token each; no two are the same."""
    path = REPOSITORY / MODEL / "tokenizer.json"
    vocabulary = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    words = [word for word in vocabulary if re.fullmatch("[a-z]{3,}", word)]
    draw = np.random.default_rng(seed)
    lengths = draw.lognormal(LOG_MEAN, LOG_SIGMA, count).round().clip(SHORTEST, LONGEST)
    return [" ".join(draw.choice(words, int(length) - 2)) for length in lengths]


def with_repeats(texts: Sequence[str], share: float, seed: int) -> list[str]:
    """The same texts, a share of them replaced by an earlier one."""
    draw = np.random.default_rng(seed)
    mixed = list(texts)
    for at in np.flatnonzero(draw.random(len(mixed)) < share):
        mixed[at] = mixed[draw.integers(0, at + 1)]
    return mixed


class Client:
    """The raw stubs of tritonclient, so that the load generator takes little of the CPU."""

    def __init__(self, url: str, pid: int) -> None:
        self._pid = pid
        self._channel = grpc.aio.insecure_channel(url)
        self._stub = service_pb2_grpc.GRPCInferenceServiceStub(self._channel)

    async def drive(self, texts: Sequence[str], concurrency: int) -> Load:
        """Ask for all texts, `concurrency` of them at any time."""
        queue = iter(texts)
        latencies: list[float] = []

        async def worker() -> None:
            for text in queue:
                sent = time.perf_counter()
                await self._embed(text)
                latencies.append(time.perf_counter() - sent)

        cpu, started = cpu_seconds(self._pid), time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(concurrency)))
        seconds = time.perf_counter() - started
        cpu = cpu_seconds(self._pid) - cpu
        return Load(len(texts) / seconds, 1e3 * median(latencies), 1e3 * cpu / len(texts))

    async def counts(self) -> tuple[int, int]:
        """Inferences and executions so far."""
        request = service_pb2.ModelStatisticsRequest(name=MODEL)
        (model,) = (await self._stub.ModelStatistics(request, timeout=10)).model_stats
        return model.inference_count, model.execution_count

    async def close(self) -> None:
        await self._channel.close()

    async def _embed(self, text: str) -> None:
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
        assert len(answer.raw_output_contents) == 1


def encoders(count: int) -> list[Encode]:
    """Encoders of one thread each, over the files and the code that Triton serves."""
    folder = REPOSITORY / MODEL
    sys.path.insert(0, str(folder / "1"))
    module = importlib.import_module("encoder")
    config = (folder / "config.pbtxt").read_text(encoding="utf-8")
    limits = module.Limits.read(dict(re.findall(r'key: "(\w+)".*string_value: "([^"]*)"', config)))
    files = folder / "1" / "model.onnx", folder / "tokenizer.json"
    loaded = [module.Encoder.load(*files, limits, threads=1) for _ in range(count)]
    for each in loaded:
        each.warm()
    return [each.encode for each in loaded]


def drive_encoders(encode: Sequence[Encode], texts: Sequence[str], batch: int) -> Load:
    """Each encoder in a thread, all taking batches from one queue."""
    queue = iter([list(texts[at : at + batch]) for at in range(0, len(texts), batch)])
    latencies: list[float] = []

    def worker(work: Encode) -> None:
        for chunk in queue:
            began = time.perf_counter()
            work(chunk)
            latencies.append(time.perf_counter() - began)

    cpu, started = time.process_time(), time.perf_counter()
    with ThreadPoolExecutor(len(encode)) as pool:
        list(pool.map(worker, encode))
    seconds = time.perf_counter() - started
    cpu = time.process_time() - cpu
    return Load(len(texts) / seconds, 1e3 * median(latencies), 1e3 * cpu / len(texts))


def cpu_seconds(pid: int) -> float:
    """Used so far by a process and its descendants."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for path in tasks for child in path.read_text().split()]
    return own + sum(map(cpu_seconds, children))
