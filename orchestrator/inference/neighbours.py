"""The Triton that this process is a part of, asked from inside by BLS (business logic scripting).

For a router that is itself a model (`model_repository/semantic_router`): its questions go through
the Python backend's own module, which is handed in, and no port is opened. It says neither what a
model's config is nor whether the server is well, so configs are read where the goldens are.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from orchestrator.errors import InferenceError
from orchestrator.inference.answers import Tensors
from orchestrator.inference.model_server import (
    Description,
    Inputs,
    Message,
    ModelServer,
    described,
    steps,
)
from orchestrator.inference.repository import read_config

HERE = "this Triton"  # in messages, where a server has its address
LOOK_S = 0.1  # between looks at a model that is being loaded

Backend: TypeAlias = Any  # triton_python_backend_utils, which exists in Triton's processes alone

# Names of TritonError's codes and of gRPC's, where they differ.
_CODES = {"INVALID_ARG": "INVALID_ARGUMENT", "UNSUPPORTED": "UNIMPLEMENTED"}
_NAMES = ("INTERNAL", "NOT_FOUND", "INVALID_ARG", "UNAVAILABLE", "UNSUPPORTED", "CANCELLED")


class Neighbours(ModelServer):
    """`repository` has the configs, which are `<model>/configs/<config_name>.pbtxt` where a model
    has that.

    A request that has begun goes on in Triton when nobody waits for it any more.
    """

    def __init__(
        self,
        backend: Backend,
        repository: Path,
        *,
        timeout_s: float = 5.0,
        config_name: str = "",
    ) -> None:
        super().__init__(HERE, timeout_s=timeout_s)
        self._backend = backend
        self._repository = repository
        self._config_name = config_name
        self._codes = {
            getattr(backend.TritonError, name): _CODES.get(name, name) for name in _NAMES
        }

    def connected(self) -> bool:
        return True

    async def close(self) -> None:
        pass

    async def ready(self) -> bool:
        """It asks, so it is there."""
        return True

    async def infer(
        self, model: str, inputs: Inputs, wanted: Sequence[str], timeout_s: float, blamed: str = ""
    ) -> Tensors:
        backend = self._backend
        request = backend.InferenceRequest(
            model_name=model,
            requested_output_names=[*wanted],
            inputs=[backend.Tensor(name, _column(values)) for name, values in inputs.items()],
            preferred_memory=backend.PreferredMemory(backend.TRITONSERVER_MEMORY_CPU),
        )
        try:
            async with asyncio.timeout(timeout_s):
                response = await request.async_exec()
        except TimeoutError:
            raise self.failed(blamed or model, "DEADLINE_EXCEEDED", "") from None
        except backend.TritonModelException as error:
            raise self.failed(blamed or model, *self._fault_of(str(error))) from None
        if response.has_error():
            said = response.error()
            raise self.failed(blamed or model, *self._fault_of(said.message(), said.code()))
        found = {one.name(): one.as_numpy() for one in response.output_tensors()}
        return {name: (array.shape, array.tobytes()) for name, array in found.items()}

    def _fault_of(self, details: str, code: int | None = None) -> tuple[str, str]:
        """Code and details as gRPC has them. What fails before a request begins has no code."""
        if "is not ready" in details or "is only supported during" in details:
            return "NOT_FOUND", details
        return self._codes.get(code, "INTERNAL") if code is not None else "INTERNAL", details

    async def look_up(self, model: str) -> Description:
        config, *parts = await asyncio.to_thread(self._configs, model)
        found = (one.name for one in (self._repository / model).glob("[0-9]*"))
        return described(config, parts, sorted(filter(str.isdecimal, found), key=int))

    async def load(self, model: str) -> None:
        self.forget(model)
        await self._controlled(model, [(self._backend.load_model, model)])
        self.forget(model)

    async def reload(self, model: str) -> None:
        config, *_ = await asyncio.to_thread(self._configs, model)
        away = [(self._backend.unload_model, one) for one in (model, *steps(config))]
        await self._controlled(model, away)
        await self.load(model)

    async def loaded(self, models: Iterable[str]) -> None:
        """Wait until all are, for ever: Triton loads models side by side."""
        for model in models:
            while not await asyncio.to_thread(self._backend.is_model_ready, model):
                await asyncio.sleep(LOOK_S)

    async def _controlled(self, model: str, calls: Iterable[tuple[Any, str]]) -> None:
        try:
            for call, one in calls:
                await asyncio.to_thread(call, one)
        except self._backend.TritonModelException as error:
            raise self.failed(model, "INTERNAL", str(error)) from None

    def _configs(self, model: str) -> list[Message]:
        """Of the model and, of an ensemble, of its steps. Raises InferenceError."""
        config = read_config(self._repository / model, self._config_name)
        folders = [self._repository / step for step in steps(config)]
        return [config, *(read_config(folder, self._config_name) for folder in folders)]


def parts_of(repository: Path, models: Iterable[str], config_name: str = "") -> frozenset[str]:
    """The models, and all that they are made of as ensembles."""
    found: set[str] = set()
    left = [*models]
    while left:
        model = left.pop()
        if model not in found:
            found.add(model)
            with contextlib.suppress(InferenceError):  # Triton has no such model, nor its steps
                left += steps(read_config(repository / model, config_name))
    return frozenset(found)


def _column(values: Sequence[bytes]) -> npt.NDArray[np.object_]:
    """BYTES [rows, 1]."""
    column = np.empty((len(values), 1), np.object_)
    column[:, 0] = values
    return column
