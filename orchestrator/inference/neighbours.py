"""The Triton that this process is a part of, asked from inside by BLS (business logic scripting).

For a router that is itself a model (`model_repository/semantic_router`): its questions go through
the Python backend's own module, which is handed in, and no port is opened. It does not say what a
model's config is, so configs are read where the goldens are.

The module's control of models (is_model_ready, load_model) is not used: in release 24.10 one that
fails ends the whole server (boost::interprocess::lock_exception, within some failures). So what is
broken is told here and healed from outside.
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
    REFUSAL,
    Description,
    Fault,
    Inputs,
    Message,
    ModelServer,
    Numbers,
    Strings,
    described,
    steps,
)
from orchestrator.inference.repository import read_config

HERE = "this Triton"  # in messages, where a server has its address
FROM_OUTSIDE = "a router inside of Triton loads no model; load it from outside"
LOOK_S = 0.1  # between looks at a model that is being loaded

Backend: TypeAlias = Any  # triton_python_backend_utils, which exists in Triton's processes alone

# Names of TritonError's codes and of gRPC's, where they differ.
_CODES = {"INVALID_ARG": "INVALID_ARGUMENT", "UNSUPPORTED": "UNIMPLEMENTED"}
_SAID = {
    "Server not ready": "NOT_FOUND",
    "is not ready": "NOT_FOUND",
    "is only supported during": "NOT_FOUND",  # this very model is being loaded
    "maximum queue size": "UNAVAILABLE",
    "timeout expired": "UNAVAILABLE",
    REFUSAL: "INVALID_ARGUMENT",
}
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
        self,
        model: str,
        inputs: Inputs,
        wanted: Sequence[str],
        timeout_s: float,
        *,
        blamed: str = "",
        priority: int = 0,
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

    def _fault_of(self, details: str, code: object = None) -> tuple[str, str]:
        """Code and details as gRPC has them. In release 24.10 every code is INTERNAL; what fails
        before a request begins has none.
        """
        said = next((name for part, name in _SAID.items() if part in details), "")
        return said or self._codes.get(code, "INTERNAL"), details

    async def look_up(self, model: str) -> Description:
        config, *parts = await asyncio.to_thread(self._configs, model)
        found = (one.name for one in (self._repository / model).glob("[0-9]*"))
        return described(config, parts, sorted(filter(str.isdecimal, found), key=int))

    async def load(self, model: str) -> None:
        raise InferenceError(f"{model}: {FROM_OUTSIDE}")

    async def reload(self, model: str) -> None:
        raise InferenceError(f"{model}: {FROM_OUTSIDE}")

    async def loaded(self, models: Iterable[str]) -> None:
        """Wait until all are, for ever: Triton loads models side by side."""
        for model in models:
            while await self._away(model):
                await asyncio.sleep(LOOK_S)

    async def _away(self, model: str) -> bool:
        """A request without inputs is refused by a model that is there."""
        with contextlib.suppress(InferenceError):
            await self.infer(model, {}, [], self.timeout_s)
        fault = self.faults.get(model)
        self.forget(model)
        return fault is Fault.NOT_LOADED

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


def _column(values: Strings | Numbers) -> npt.NDArray[np.object_] | Numbers:
    """[rows, 1]"""
    if isinstance(values, np.ndarray):
        return values
    column = np.empty((len(values), 1), np.object_)
    column[:, 0] = values
    return column
