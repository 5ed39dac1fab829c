"""What a build is for: ONNX Runtime on CPUs, or an engine for one kind of GPU."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from enum import StrEnum

from build_engines.errors import TargetError
from build_engines.gpu import bindings, cuda


class Target(StrEnum):
    ONNX = "onnx"
    TENSORRT = "tensorrt"


def _driver() -> bool:
    return cuda.driver() is not None


def _package() -> bool:
    return any(importlib.util.find_spec(name) is not None for name in bindings.MODULES)


def require(
    target: Target,
    driver: Callable[[], bool] = _driver,
    package: Callable[[], bool] = _package,
) -> None:
    """Raises TargetError where an engine cannot be built or run here, and says what is missing.

    Looks only: TensorRT is not imported, and nothing of it is made.
    """
    if target is Target.ONNX:
        return
    missing = [
        what
        for what, there in {
            f"an NVIDIA driver ({cuda.LIBRARY})": driver,
            "the package tensorrt, of the version in the Triton that loads the engine": package,
        }.items()
        if not there()
    ]
    if missing:
        raise TargetError(f"no TensorRT engine here: it needs {' and '.join(missing)}")
