"""The part of TensorRT's Python that is used, 10.x and 11.x (checked against the real bindings by
tests/engines).

The module is asked for nothing before a driver is known to be there: without one, making a Runtime
ends the process.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from build_engines.errors import TargetError

MODULES = ("tensorrt", "tensorrt_bindings")


class Members(Protocol):
    """An enumeration."""

    @property
    def __members__(self) -> Mapping[str, Any]: ...


class Tensor(Protocol):
    name: str
    dtype: object


class Layer(Protocol):
    name: str
    precision: object  # 10 alone
    num_outputs: int

    def get_output(self, index: int) -> Tensor: ...
    def set_output_type(self, index: int, dtype: object) -> None: ...  # 10 alone


class Network(Protocol):
    num_layers: int
    num_inputs: int
    num_outputs: int

    def get_layer(self, index: int) -> Layer: ...


class Profile(Protocol):
    def set_shape(
        self, input: str, min: Sequence[int], opt: Sequence[int], max: Sequence[int]
    ) -> None: ...


class TimingCache(Protocol):
    def serialize(self) -> bytes: ...  # a buffer, as the plan is


class Config(Protocol):
    hardware_compatibility_level: object

    def set_flag(self, flag: object) -> None: ...
    def clear_flag(self, flag: object) -> None: ...
    def set_memory_pool_limit(self, pool: object, pool_size: int) -> None: ...
    def add_optimization_profile(self, profile: Profile) -> int: ...
    def create_timing_cache(self, serialized_timing_cache: bytes) -> TimingCache: ...
    def set_timing_cache(self, cache: TimingCache, ignore_mismatch: bool) -> bool: ...
    def get_timing_cache(self) -> TimingCache: ...


class Builder(Protocol):
    def create_network(self, flags: int) -> Network: ...
    def create_builder_config(self) -> Config: ...
    def create_optimization_profile(self) -> Profile: ...
    def build_serialized_network(self, network: Network, config: Config) -> bytes | None: ...


class Parser(Protocol):
    num_errors: int

    def parse(self, model: bytes) -> bool: ...
    def get_error(self, index: int) -> object: ...


class Context(Protocol):
    def set_optimization_profile_async(self, profile_index: int, stream_handle: int) -> bool: ...
    def set_input_shape(self, name: str, shape: Sequence[int]) -> bool: ...
    def get_tensor_shape(self, name: str) -> Sequence[int]: ...
    def set_tensor_address(self, name: str, memory: int) -> bool: ...
    def execute_async_v3(self, stream_handle: int) -> bool: ...


class Engine(Protocol):
    num_io_tensors: int

    def get_tensor_name(self, index: int) -> str: ...
    def get_tensor_mode(self, name: str) -> object: ...
    def create_execution_context(self) -> Context | None: ...


class Runtime(Protocol):
    engine_host_code_allowed: bool

    def deserialize_cuda_engine(self, serialized_engine: bytes) -> Engine | None: ...


class TensorRT(Protocol):
    """The module."""

    __version__: str
    BuilderFlag: Members
    DataType: Members
    HardwareCompatibilityLevel: Members
    MemoryPoolType: Members
    NetworkDefinitionCreationFlag: Members
    TensorIOMode: Members
    Logger: Any  # its severities are its members

    def Builder(self, logger: object) -> Builder: ...
    def OnnxParser(self, network: Network, logger: object) -> Parser: ...
    def Runtime(self, logger: object) -> Runtime: ...


def load(names: Sequence[str] = MODULES) -> TensorRT:
    """Triton's images have the libraries without their Python, which is a package of its own.

    Raises TargetError where neither is installed, or its libraries are not found.
    """
    said = []
    for name in names:
        try:
            module: TensorRT = cast(TensorRT, importlib.import_module(name))
        except ImportError as error:
            said.append(str(error))
        else:
            return module
    raise TargetError(f"TensorRT cannot be imported: {'; '.join(said)}")


def library(version: str, name: str = "libnvinfer.so.{major}") -> str:
    """The version of the loaded library as "10.13.3", empty where it does not say.

    The package of the Python compares nothing: with another library it fails later, and worse.
    """
    try:
        found = ctypes.CDLL(name.format(major=major(version)))
        number = int(found.getInferLibVersion())
    except (OSError, AttributeError):
        return ""
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def major(version: str) -> int:
    """Of `10.13.3.9`: 10. Raises TargetError for one that is not known to work."""
    number = version.partition(".")[0]
    if number not in ("10", "11"):
        raise TargetError(f"TensorRT {version}: engines are built with 10 and 11")
    return int(number)
