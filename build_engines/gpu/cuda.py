"""The GPU by its driver's own library: which one it is, and memory for an engine's tensors.

By ctypes, since a serving container has the driver and TensorRT, and not always a CUDA package for
Python. Only what is asked here is loaded; `libcuda` alone never needs a GPU to be loaded.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from build_engines.errors import TargetError

LIBRARY, MANAGEMENT = "libcuda.so.1", "libnvidia-ml.so.1"
_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…
_TEXT = 256
_VERSION = Path("/proc/driver/nvidia/version")


@dataclass(frozen=True, slots=True)
class Device:
    """`capability` as "9.0"; `driver` as "570.86.15", or "unknown"."""

    name: str
    capability: str
    driver: str


def driver(library: str = LIBRARY) -> ctypes.CDLL | None:
    """The driver's library, where there is one."""
    try:
        return ctypes.CDLL(library)
    except OSError:
        return None


class Cuda:
    """The first GPU, and what is allocated on it."""

    def __init__(self, library: str = LIBRARY) -> None:
        found = driver(library)
        if found is None:
            raise TargetError(f"there is no NVIDIA driver here ({library} is not found)")
        self._library = found
        self._call("cuInit", 0)
        device = ctypes.c_int()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._device = device
        context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        stream = ctypes.c_void_p()
        self._call("cuStreamCreate", ctypes.byref(stream), 0)
        self._stream = stream
        self._blocks: dict[str, tuple[int, int]] = {}  # name -> address, bytes

    @property
    def stream(self) -> int:
        return self._stream.value or 0

    def device(self) -> Device:
        text = ctypes.create_string_buffer(_TEXT)
        self._call("cuDeviceGetName", text, _TEXT, self._device)
        numbers = [self._attribute(which) for which in (_MAJOR, _MINOR)]
        return Device(text.value.decode(), ".".join(map(str, numbers)), version())

    def memory(self, name: str, size: int) -> int:
        """The address of at least `size` bytes for the tensor `name`, kept for the next run."""
        address, room = self._blocks.get(name, (0, 0))
        if room < size:
            if address:
                self._call("cuMemFree_v2", ctypes.c_uint64(address))
            pointer = ctypes.c_uint64()
            self._call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
            address = pointer.value
            self._blocks[name] = (address, size)
        return address

    def write(self, address: int, data: bytes) -> None:
        self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def read(self, address: int, size: int) -> bytes:
        """After all that was put on the stream."""
        self._call("cuStreamSynchronize", self._stream)
        data = ctypes.create_string_buffer(size)
        self._call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw

    def wait(self) -> None:
        self._call("cuStreamSynchronize", self._stream)

    def _attribute(self, which: int) -> int:
        value = ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(value), which, self._device)
        return value.value

    def _call(self, name: str, *arguments: object) -> None:
        code = getattr(self._library, name)(*arguments)
        if code != 0:
            said = ctypes.c_char_p()
            self._library.cuGetErrorString(code, ctypes.byref(said))
            reason = said.value.decode() if said.value else "unknown error"
            raise TargetError(f"the NVIDIA driver refuses {name}: {reason} ({code})")


def version(library: str = MANAGEMENT, told: Path = _VERSION) -> str:
    """The driver's, by its management library or by the kernel module."""
    found = driver(library)
    if found is not None and found.nvmlInit_v2() == 0:
        text = ctypes.create_string_buffer(_TEXT)
        if found.nvmlSystemGetDriverVersion(text, _TEXT) == 0:
            return text.value.decode()
    words = told.read_text(encoding="utf-8").split() if told.is_file() else []
    numbers = [word for word in words if word.replace(".", "").isdigit() and "." in word]
    return numbers[0] if numbers else "unknown"
