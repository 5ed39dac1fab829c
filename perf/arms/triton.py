"""A model of the repository over gRPC: the raw stubs of tritonclient, which cost little."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version

import grpc
from tritonclient.grpc import service_pb2, service_pb2_grpc

from perf.arms import Load, Ready, Seen
from perf.arms.loop import Ask, Wrong, ask_all
from perf.arms.repositories import copy_names, steps
from perf.embedding_load import cpu_seconds
from perf.requests import Item
from perf.scenario import PICTURES, Triton
from perf.signals_process import SIGNALS, tasks

BY = f"tritonclient {version('tritonclient')}"
COUNTED_S = 10.0  # until a request that was answered is counted


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    url: str
    pid: int


class Statistics:
    """Inferences and executions so far of one model."""

    def __init__(self, channel: grpc.aio.Channel, model: str) -> None:
        self._stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        self._model = model

    async def read(self) -> tuple[int, int]:
        request = service_pb2.ModelStatisticsRequest(name=self._model)
        (model,) = (await self._stub.ModelStatistics(request, timeout=10)).model_stats
        return model.inference_count, model.execution_count

    async def batch_since(self, before: tuple[int, int], inferences: int) -> float | None:
        """Requests an execution. Requests are counted a moment after their answers have left."""
        async with asyncio.timeout(COUNTED_S):
            while (after := await self.read())[0] - before[0] < inferences:
                await asyncio.sleep(0.005)
        executions = after[1] - before[1]
        return (after[0] - before[0]) / executions if executions else None


def inputs(model: str, item: Item) -> dict[str, bytes]:
    """Input -> its one element: what the arm asks of a request."""
    if model == PICTURES:
        assert item.picture is not None  # a scenario without is refused
        return {"IMAGE": item.picture}
    named = {"TEXT": item.text.encode()}
    return named | ({"TASKS": ",".join(tasks()).encode()} if model == SIGNALS else {})


async def start(arm: Triton, server: Served, stack: AsyncExitStack) -> Ready:
    """Asks for all outputs."""
    channel = grpc.aio.insecure_channel(server.url)
    stack.push_async_callback(channel.close)
    stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
    names = copy_names(arm.model, arm.copies)
    # Of an ensemble, the last step counts: the network.
    statistics = Statistics(channel, names[0] if arm.copies > 1 else steps(arm.model)[-1])

    async def one(name: str, tensors: Mapping[str, bytes]) -> None:
        try:
            answer = await stub.ModelInfer(_request(name, tensors), timeout=60)
        except grpc.aio.AioRpcError as error:
            raise Wrong(error.details()) from error
        if not answer.raw_output_contents:
            raise Wrong(f"{name} answered nothing")

    async def ask(item: Item) -> None:
        tensors = inputs(arm.model, item)
        await asyncio.gather(*(one(name, tensors) for name in names))

    return driven(ask, [server.pid], BY, statistics)


def driven(
    ask: Ask, pids: Sequence[int], by: str, statistics: Statistics | None = None, late: bool = True
) -> Ready:
    """An arm of `ask`, served by these processes. `late`: each request is an inference of the model
    whose statistics are read, and they are waited for.
    """

    async def drive(items: Sequence[Item], load: Load, seconds: float) -> Seen:
        before = await statistics.read() if statistics else (0, 0)
        used = partial(_cpu_seconds, pids)
        seen, taken = await ask_all(ask, items, load, seconds, used)
        if statistics is None:
            return seen
        batch = await statistics.batch_since(before, len(taken) if late else 0)
        return replace(seen, batch=batch)

    return Ready(drive, by)


def _cpu_seconds(pids: Sequence[int]) -> float:
    return sum(map(cpu_seconds, pids))


def _request(model: str, tensors: Mapping[str, bytes]) -> service_pb2.ModelInferRequest:
    request = service_pb2.ModelInferRequest(model_name=model)
    for name, data in tensors.items():
        request.inputs.add(name=name, datatype="BYTES", shape=[1, 1])
        request.raw_input_contents.append(struct.pack("<I", len(data)) + data)
    return request
