"""A KServe v2 server in the test's own process: real gRPC, scripted behaviour."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import grpc
import numpy as np
from tritonclient.grpc import model_config_pb2 as config_pb
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc

DIMENSION = 4
DEAD = (grpc.StatusCode.INTERNAL, "message: Stub process 'm_0_1' is not healthy.")
ABSENT = (grpc.StatusCode.NOT_FOUND, "Request for unknown model: 'm' has no available versions")


def vector(text: bytes) -> np.ndarray:
    """A unit vector of its own for each text."""
    raw = np.random.default_rng(list(text) + [len(text)]).normal(size=DIMENSION)
    return (raw / np.linalg.norm(raw)).astype(np.float32)


def write_goldens(repository: Path, model: str) -> Path:
    """A model repository with right answers for `model`."""
    texts = ["one", "two", "", "vier"]
    document = {
        "tolerance": {"cosine": 0.999},
        "texts": texts,
        "windows": [1] * 4,
        "truncated": [False] * 4,
        "embeddings": [vector(text.encode()).tolist() for text in texts],
    }
    (repository / model).mkdir()
    (repository / model / "goldens.json").write_text(json.dumps(document))
    return repository


class FakeTriton(service_pb2_grpc.GRPCInferenceServiceServicer):
    """Serves the model `m`. `failures` meet its requests in order; None lets one pass."""

    def __init__(self, instances: int = 2, max_batch: int = 3) -> None:
        self.instances = instances
        self.max_batch = max_batch
        self.dims = [DIMENSION]
        self.embed: Callable[[bytes], np.ndarray] = vector
        self.failures: list[tuple[grpc.StatusCode, str] | None] = []
        self.refuses_control = False
        self.dead = 0  # of the instances
        self.loaded = True
        self.batches: list[list[bytes]] = []
        self.control: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.entered = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.corrupt: Callable[[pb.ModelInferResponse], None] = lambda _: None
        self._turn = 0

    async def ServerReady(self, request, context):
        return pb.ServerReadyResponse(ready=True)

    async def ModelConfig(self, request, context):
        await self._present(context)
        config = config_pb.ModelConfig(name="m", max_batch_size=self.max_batch)
        config.instance_group.add(count=self.instances, kind="KIND_CPU")
        config.output.add(name="EMBEDDING", dims=self.dims)
        return pb.ModelConfigResponse(config=config)

    async def ModelMetadata(self, request, context):
        await self._present(context)
        return pb.ModelMetadataResponse(name="m", versions=["1"])

    async def ModelInfer(self, request, context):
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
        return self._answer(request)

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
        [raw] = request.raw_input_contents
        texts = []
        while raw:
            size = int.from_bytes(raw[:4], "little")
            texts.append(raw[4 : 4 + size])
            raw = raw[4 + size :]
        assert list(request.inputs[0].shape) == [len(texts), 1]
        self.batches.append(texts)
        rows = np.stack([self.embed(text) for text in texts]).astype(np.float32)
        response = pb.ModelInferResponse(model_name="m")
        for name, kind, values in (
            ("EMBEDDING", "FP32", rows),
            ("WINDOWS", "INT32", np.ones((len(texts), 1), np.int32)),
            ("TRUNCATED", "BOOL", np.array([[len(text) > 99] for text in texts])),
        ):
            response.outputs.add(name=name, datatype=kind, shape=values.shape)
            response.raw_output_contents.append(values.tobytes())
        self.corrupt(response)
        return response


@contextlib.asynccontextmanager
async def serving(fake: FakeTriton, port: int = 0):
    """The url of a server that answers as `fake` does."""
    server = grpc.aio.server()
    service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server(fake, server)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    try:
        yield f"127.0.0.1:{bound}"
    finally:
        await server.stop(None)
