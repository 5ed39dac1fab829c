"""Texts of given or mixed lengths, and what has them read: over gRPC or in this process."""

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
from tokenizers import Tokenizer
from tritonclient.grpc import service_pb2, service_pb2_grpc

REPOSITORY = Path(__file__).parent.parent / "model_repository"
WRITTEN = Path(__file__).parent.parent / "build_engines/data/domain"
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


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a text."""

    model: str
    outputs: tuple[str, ...]
    tasks: str | None = None  # joined by commas; None: the model has no such input


EMBEDDING = Question(MODEL, ("EMBEDDING",))


def texts_of_mixed_lengths(count: int, seed: int) -> list[str]:
    """Texts of words that are one token each; no two are the same."""
    words, draw = _words(), np.random.default_rng(seed)
    lengths = draw.lognormal(LOG_MEAN, LOG_SIGMA, count).round().clip(SHORTEST, LONGEST)
    return [" ".join(draw.choice(words, int(length) - 2)) for length in lengths]


def prose_of_length(tokens: int, count: int, seed: int) -> list[str]:
    """English sentences run together until they have `tokens` tokens, the special ones included."""
    lines = [
        line
        for path in sorted(WRITTEN.glob("*.txt"))
        for line in path.read_text(encoding="utf-8").split("\n")
        if line and line.isascii() and not line.startswith("# ")
    ]
    tokenizer = Tokenizer.from_file(str(REPOSITORY / MODEL / "tokenizer.json"))
    tokenizer.no_truncation()
    draw = np.random.default_rng(seed)
    texts = []
    for _ in range(count):
        text = " ".join(draw.choice(lines, 3 + tokens // 4))
        offsets = tokenizer.encode(text, add_special_tokens=False).offsets
        texts.append(text[: offsets[tokens - 3][1]])
    return texts


def _words() -> list[str]:
    path = REPOSITORY / MODEL / "tokenizer.json"
    vocabulary = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    return [word for word in vocabulary if re.fullmatch("[a-z]{3,}", word)]


def with_repeats(texts: Sequence[str], share: float, seed: int) -> list[str]:
    """The same texts, a share of them replaced by an earlier one."""
    draw = np.random.default_rng(seed)
    mixed = list(texts)
    for at in np.flatnonzero(draw.random(len(mixed)) < share):
        mixed[at] = mixed[draw.integers(0, at + 1)]
    return mixed


class Client:
    """The raw stubs of tritonclient, so that the load generator takes little of the CPU.

    Of each text it asks `questions`, one after another.
    """

    def __init__(self, url: str, pid: int, questions: Sequence[Question] = (EMBEDDING,)) -> None:
        self._pid = pid
        self._questions = questions
        self._channel = grpc.aio.insecure_channel(url)
        self._stub = service_pb2_grpc.GRPCInferenceServiceStub(self._channel)

    async def drive(self, texts: Sequence[str], concurrency: int) -> Load:
        """Ask for all texts, `concurrency` of them at any time."""
        queue = iter(texts)
        latencies: list[float] = []

        async def worker() -> None:
            for text in queue:
                sent = time.perf_counter()
                await self.ask(text)
                latencies.append(time.perf_counter() - sent)

        cpu, started = cpu_seconds(self._pid), time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(concurrency)))
        seconds = time.perf_counter() - started
        cpu = cpu_seconds(self._pid) - cpu
        return Load(len(texts) / seconds, 1e3 * median(latencies), 1e3 * cpu / len(texts))

    async def counts(self) -> tuple[int, int]:
        """Inferences and executions so far, of the model of the first question."""
        request = service_pb2.ModelStatisticsRequest(name=self._questions[0].model)
        (model,) = (await self._stub.ModelStatistics(request, timeout=10)).model_stats
        return model.inference_count, model.execution_count

    async def config(self, model: str) -> Any:  # noqa: ANN401 - protobuf makes its classes late
        """Of a model that is loaded."""
        request = service_pb2.ModelConfigRequest(name=model)
        return (await self._stub.ModelConfig(request, timeout=10)).config

    async def close(self) -> None:
        await self._channel.close()

    async def ask(self, text: str) -> None:
        for question in self._questions:
            answer = await self._stub.ModelInfer(_request(question, text), timeout=60)
            assert len(answer.raw_output_contents) == len(question.outputs)


def _request(question: Question, text: str) -> service_pb2.ModelInferRequest:
    request = service_pb2.ModelInferRequest(model_name=question.model)
    inputs = {"TEXT": text} | ({} if question.tasks is None else {"TASKS": question.tasks})
    for name, value in inputs.items():
        data = value.encode()
        request.inputs.add(name=name, datatype="BYTES", shape=[1, 1])
        request.raw_input_contents.append(struct.pack("<I", len(data)) + data)
    for name in question.outputs:
        request.outputs.add(name=name)
    return request


def encoders(count: int) -> list[Encode]:
    """Encoders of one thread each, over the files and the code that Triton serves."""
    folder = REPOSITORY / MODEL
    sys.path.insert(0, str(folder / "1"))
    module = importlib.import_module("encoder")
    config = (folder / "configs" / "cpu.pbtxt").read_text(encoding="utf-8")
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
