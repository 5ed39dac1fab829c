"""What a build is for: ONNX Runtime on CPUs, or an engine for one kind of GPU."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from ctypes.util import find_library
from enum import StrEnum

from build_engines.errors import TargetError


class Target(StrEnum):
    ONNX = "onnx"
    TENSORRT = "tensorrt"


def _driver() -> bool:
    return find_library("cuda") is not None


def _package() -> bool:
    return importlib.util.find_spec("tensorrt") is not None


def require(
    target: Target,
    driver: Callable[[], bool] = _driver,
    package: Callable[[], bool] = _package,
) -> None:
    """Raises TargetError where a build for `target` is not possible, and says what is missing."""
    if target is Target.ONNX:
        return
    missing = [
        what
        for what, there in {
            "an NVIDIA driver (libcuda)": driver,
            "the package tensorrt, of the version in the Triton that loads the engine": package,
        }.items()
        if not there()
    ]
    needs = f"it needs {' and '.join(missing)}; " if missing else ""
    raise TargetError(f"no TensorRT engine is built: {needs}this version builds ONNX only")
