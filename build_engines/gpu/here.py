"""Where a build runs: its GPU, its TensorRT, and the container it is in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from build_engines.errors import TargetError
from build_engines.gpu import bindings, containers, cuda
from build_engines.gpu.bindings import TensorRT
from build_engines.gpu.cuda import Cuda
from orchestrator.inference.plans import Place

# In Triton's images: the server's version. The tag is in NVIDIA_TRITON_SERVER_VERSION.
SERVER = Path("/opt/tritonserver/TRITON_VERSION")


@dataclass(frozen=True, slots=True)
class Here:
    place: Place
    trt: TensorRT
    gpu: Cuda


def here(container: str = "", server: Path = SERVER, library: str = cuda.LIBRARY) -> Here:
    """Raises TargetError in one line: no driver, no TensorRT, or one that will not be served.

    The driver is looked for first, and nothing of TensorRT is made where there is none.
    """
    gpu = Cuda(library)
    trt = bindings.load()
    bindings.major(trt.__version__)
    loaded = bindings.library(trt.__version__)
    if loaded and trt.__version__.split(".")[:3] != loaded.split("."):
        raise TargetError(
            f"TensorRT's library is {loaded}, its Python {trt.__version__}; "
            f"run: pip install --no-deps 'tensorrt-cu12-bindings=={loaded}.*' (-cu13- with CUDA 13)"
        )
    inside = server.is_file()
    containers.check(trt.__version__, container, inside)
    device = gpu.device()
    place = Place(
        gpu=device.name,
        capability=device.capability,
        driver=device.driver,
        tensorrt=trt.__version__,
        container=container,
        server=server.read_text(encoding="utf-8").strip() if inside else "",
    )
    return Here(place, trt, gpu)
