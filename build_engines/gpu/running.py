"""A plan, run by TensorRT itself: no Triton between, so that a difference lies in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from build_engines.errors import TargetError
from build_engines.gpu.bindings import TensorRT
from build_engines.gpu.profiles import Profile, chosen

Floats = npt.NDArray[np.float32]
FLOAT = 4  # bytes


class Memory(Protocol):
    """Of a GPU: cuda.py."""

    @property
    def stream(self) -> int: ...
    def memory(self, name: str, size: int) -> int: ...
    def write(self, address: int, data: bytes) -> None: ...
    def read(self, address: int, size: int) -> bytes: ...
    def wait(self) -> None: ...


class Plan:
    """An engine and one context. All outputs are float32."""

    def __init__(
        self, trt: TensorRT, plan: bytes, profiles: Sequence[Profile], gpu: Memory
    ) -> None:
        self._gpu, self._profiles = gpu, profiles
        # It must live as long as the engine.
        self._runtime = trt.Runtime(trt.Logger(trt.Logger.WARNING))
        self._runtime.engine_host_code_allowed = True  # a version-compatible plan brings its own
        engine = self._runtime.deserialize_cuda_engine(plan)
        if engine is None:
            raise TargetError(f"TensorRT {trt.__version__} does not read the plan")
        context = engine.create_execution_context()
        if context is None:
            raise TargetError("no room on the GPU for the engine")
        self._engine, self._context = engine, context
        names = [engine.get_tensor_name(at) for at in range(engine.num_io_tensors)]
        output = trt.TensorIOMode.__members__["OUTPUT"]
        self._outputs = [name for name in names if engine.get_tensor_mode(name) == output]
        self._profile = -1

    def __call__(self, inputs: Mapping[str, npt.NDArray[np.generic]]) -> Mapping[str, Floats]:
        """One run. Raises SpecError for shapes that no profile takes."""
        self._enter(chosen(self._profiles, {name: one.shape for name, one in inputs.items()}))
        for name, values in inputs.items():
            data = np.ascontiguousarray(values).tobytes()
            address = self._gpu.memory(name, len(data))
            self._gpu.write(address, data)
            self._demand(self._context.set_input_shape(name, values.shape), name)
            self._demand(self._context.set_tensor_address(name, address), name)
        places = {}
        for name in self._outputs:
            shape = tuple(self._context.get_tensor_shape(name))
            size = int(np.prod(shape)) * FLOAT
            places[name] = (self._gpu.memory(name, size), size, shape)
            self._demand(self._context.set_tensor_address(name, places[name][0]), name)
        self._demand(self._context.execute_async_v3(self._gpu.stream), "the run")
        return {
            name: np.frombuffer(self._gpu.read(address, size), np.float32).reshape(shape)
            for name, (address, size, shape) in places.items()
        }

    def _enter(self, profile: int) -> None:
        if profile != self._profile:
            changed = self._context.set_optimization_profile_async(profile, self._gpu.stream)
            self._demand(changed, f"profile {profile}")
            self._gpu.wait()  # shapes of the new profile may be set only then
            self._profile = profile

    def _demand(self, done: bool, what: str) -> None:
        if not done:
            raise TargetError(f"TensorRT refuses {what}; what it said stands above")
