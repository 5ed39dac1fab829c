"""A KServe v2 server in the test's own process: real gRPC, scripted behaviour."""

import asyncio
import contextlib
from collections.abc import Callable

import grpc
import numpy as np
from tritonclient.grpc import model_config_pb2 as config_pb
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc

from tests.inference.fake_models import (
    DIMENSION,
    TASKS,
    known,
    pixels,
    probabilities,
    spans,
    vector,
)

DEAD = (grpc.StatusCode.INTERNAL, "message: Stub process 'm_0_1' is not healthy.")
BUSY = (grpc.StatusCode.UNAVAILABLE, "Exceeds maximum queue size")
LATE = (grpc.StatusCode.DEADLINE_EXCEEDED, "")
LOST = (grpc.StatusCode.UNAVAILABLE, "Socket closed")
ABSENT = (grpc.StatusCode.NOT_FOUND, "Request for unknown model: 'm' has no available versions")


class FakeTriton(service_pb2_grpc.GRPCInferenceServiceServicer):
    """Serves the model `m`. `failures` meet its requests in order; None lets one pass.

    It embeds, and where a request names TASKS, it does those of them. It sees pictures, but those
    in `refused`, and so does `image_preprocess`. With `steps` it is an ensemble of these models.
    """

    def __init__(self, instances: int = 2, max_batch: int = 3) -> None:
        self.instances = instances
        self.max_batch = max_batch
        self.dims = [DIMENSION]
        self.embed: Callable[[bytes], np.ndarray] = vector
        self.classify: Callable[[bytes, str], np.ndarray] = probabilities
        self.find: Callable[[bytes], list[tuple[int, int, int, float]]] = spans
        self.embed_picture: Callable[[bytes], np.ndarray] = vector
        self.know: Callable[[bytes], float] = known
        self.make_pixels: Callable[[bytes], np.ndarray] = pixels
        self.refused: dict[bytes, str] = {}
        self.steps: dict[str, int] = {}  # model -> its instances
        self.failures: list[tuple[grpc.StatusCode, str] | None] = []
        self.refuses_control = False
        self.version = "2.51.0"
        self.dead = 0  # of the instances
        self.loaded = True
        self.batches: list[list[bytes]] = []
        self.asked: list[list[tuple[bytes, str]]] = []  # text, tasks
        self.pictures: list[tuple[str, list[bytes]]] = []  # model, rows
        self.outputs: list[list[str]] = []
        self.unread = lambda text: (0.0, 0.0)
        self.inputs: set[str] = set()  # of the first request; a model takes no others
        self.control: list[str] = []
        self.priorities: list[int] = []  # 0: none was stated
        self.patience: list[float] = []  # seconds that each request leaves
        self.gate = asyncio.Event()
        self.gate.set()
        self.entered = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.corrupt: Callable[[pb.ModelInferResponse], None] = lambda _: None
        self._turn = 0

    async def ServerReady(self, request, context):
        return pb.ServerReadyResponse(ready=True)

    async def ServerMetadata(self, request, context):
        return pb.ServerMetadataResponse(name="triton", version=self.version)

    async def ModelConfig(self, request, context):
        await self._present(context)
        config = config_pb.ModelConfig(name="m", max_batch_size=self.max_batch)
        config.instance_group.add(count=self.instances, kind="KIND_CPU")
        config.output.add(name="EMBEDDING", dims=self.dims)
        if self.steps:
            del config.instance_group[:]
            for step in self.steps:
                config.ensemble_scheduling.step.add(model_name=step)
        if request.name in self.steps:
            config = config_pb.ModelConfig(name=request.name, max_batch_size=1)
            config.instance_group.add(count=self.steps[request.name], kind="KIND_CPU")
        return pb.ModelConfigResponse(config=config)

    async def ModelMetadata(self, request, context):
        await self._present(context)
        return pb.ModelMetadataResponse(name="m", versions=["1"])

    async def ModelInfer(self, request, context):
        self.patience.append(context.time_remaining())
        stated = request.parameters
        self.priorities.append(stated["priority"].uint64_param if "priority" in stated else 0)
        self.entered.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        await self._present(context)
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            await context.abort(*failure)
        self._turn += 1
        if self._turn % self.instances < self.dead:
            await context.abort(*DEAD)
        if request.inputs[0].name == "IMAGE":
            return await self._see(request, context)
        return self._answer(request)

    async def _see(self, request, context):
        pictures = _strings(request.raw_input_contents[0])
        assert list(request.inputs[0].shape) == [len(pictures), 1]
        self.pictures.append((request.model_name, pictures))
        for picture in pictures:
            if picture in self.refused:
                said = f"in ensemble 'm', IMAGE is {self.refused[picture]}"
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, said)
        answers = {
            "EMBEDDING": lambda: np.stack([self.embed_picture(one) for one in pictures]),
            "KNOWN": lambda: np.array([[self.know(one)] for one in pictures]),
            "PIXELS": lambda: np.stack([self.make_pixels(one) for one in pictures]),
        }
        response = pb.ModelInferResponse(model_name=request.model_name)
        for output in request.outputs:
            values = answers[output.name]().astype(np.float32)
            response.outputs.add(name=output.name, datatype="FP32", shape=values.shape)
            response.raw_output_contents.append(values.tobytes())
        self.corrupt(response)
        return response

    async def RepositoryModelUnload(self, request, context):
        await self._control("unload", context)
        self.loaded = False
        return pb.RepositoryModelUnloadResponse()

    async def RepositoryModelLoad(self, request, context):
        await self._control("load", context)
        if not self.loaded:
            self.dead = 0
        self.loaded = True
        return pb.RepositoryModelLoadResponse()

    async def _control(self, verb, context):
        self.control.append(verb)
        if self.refuses_control:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "explicit load is not allowed")

    async def _present(self, context):
        if not self.loaded:
            await context.abort(*ABSENT)

    def _answer(self, request):
        inputs = {
            tensor.name: _strings(raw)
            for tensor, raw in zip(request.inputs, request.raw_input_contents, strict=True)
            if tensor.name != "DIMENSION"
        }
        lengths = [
            np.frombuffer(raw, np.int32)
            for tensor, raw in zip(request.inputs, request.raw_input_contents, strict=True)
            if tensor.name == "DIMENSION"
        ]
        self.inputs = self.inputs or set(inputs)
        assert self.inputs == set(inputs)
        texts = inputs["TEXT"]
        assert [list(tensor.shape) for tensor in request.inputs] == [[len(texts), 1]] * (
            len(inputs) + len(lengths)
        )
        self.batches.append(texts)
        asked = [tasks.decode() for tasks in inputs.get("TASKS", [b""] * len(texts))]
        self.asked.append(list(zip(texts, asked, strict=True)))
        self.outputs.append([output.name for output in request.outputs])
        answers = {
            "EMBEDDING": lambda: self._embeddings(texts, lengths),
            "WINDOWS": lambda: np.ones((len(texts), 1), np.int32),
            "TRUNCATED": lambda: np.array([[len(text) > 99] for text in texts]),
            "UNREADABLE": lambda: np.array([self.unread(text) for text in texts], np.float32),
            "SPANS_pii": lambda: self._spans(texts, asked)[0],
            "SPAN_SCORES_pii": lambda: self._spans(texts, asked)[1],
        }
        for name in TASKS:
            answers[f"PROBS_{name}"] = lambda name=name: self._probabilities(name, texts, asked)
        response = pb.ModelInferResponse(model_name="m")
        every = [name for name in answers if not name.endswith(("_pii", *TASKS))]
        for name in self.outputs[-1] or every:  # as Triton does where none is named
            values = answers[name]()
            kind = {"f": "FP32", "i": "INT32", "b": "BOOL"}[values.dtype.kind]
            response.outputs.add(name=name, datatype=kind, shape=values.shape)
            response.raw_output_contents.append(values.tobytes())
        self.corrupt(response)
        return response

    def _embeddings(self, texts, lengths):
        rows = np.stack([self.embed(text) for text in texts]).astype(np.float32)
        for given in lengths:
            assert len(given) == len(texts)
            cut = rows[:, : given[0]]
            rows = cut / np.linalg.norm(cut, axis=1, keepdims=True)
        return rows

    def _probabilities(self, name, texts, asked):
        absent = np.full(len(TASKS[name].labels), np.nan, np.float32)
        rows = [
            self.classify(text, name) if name in tasks.split(",") else absent
            for text, tasks in zip(texts, asked, strict=True)
        ]
        return np.stack(rows)

    def _spans(self, texts, asked):
        found = [
            self.find(text) if "pii" in tasks.split(",") else []
            for text, tasks in zip(texts, asked, strict=True)
        ]
        most = max(map(len, found))
        places = np.full((len(texts), most, 3), -1, np.int32)
        scores = np.zeros((len(texts), most), np.float32)
        for row, entities in enumerate(found):
            for place, (start, stop, label, score) in enumerate(entities):
                places[row, place], scores[row, place] = (start, stop, label), score
        return places, scores


def _strings(raw):
    values = []
    while raw:
        size = int.from_bytes(raw[:4], "little")
        values.append(raw[4 : 4 + size])
        raw = raw[4 + size :]
    return values


@contextlib.asynccontextmanager
async def serving(fake: FakeTriton, port: int = 0):
    """The url of a server that answers as `fake` does."""
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server(fake, server)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    try:
        yield f"127.0.0.1:{bound}"
    finally:
        await server.stop(None)
