"""The trunk of the light default alone, as it is served; what it knows of ImageNet's classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from build_engines import weights
from build_engines.vision import export, families
from build_engines.vision.features import Eye
from build_engines.vision.job import VisionJob
from build_engines.vision.light import SCALE, SHIFT
from build_engines.vision.lite0 import Lite0
from build_engines.vision.lite0 import load as load_trunk

Floats = npt.NDArray[np.float32]


# torch has types only where it is installed.
class _Trunk(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, trunk: Lite0) -> None:
        super().__init__()
        self.trunk = trunk

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.trunk(pixels * SCALE + SHIFT)
        return found


def eye(job: VisionJob, folder: Path) -> Eye:
    """The trunk exported once into `folder`, named by its weights. Raises WeightsError."""
    checkpoint = families.trunk_of(job, weights.find(job.spec, job.root).folder)
    (pin,) = job.spec.files.values()
    path = folder / f"trunk-{pin[:12]}-{job.spec.onnx.storage}.onnx"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        trunk = load_trunk(checkpoint)
        trunk.fold()
        size = job.spec.pixels.size
        example = torch.rand(3, 3, size, size) * 2 - 1
        graph = export.to_onnx(_Trunk(trunk).eval(), example, "PIXELS", ["FEATURES"], job.spec)
        path.write_bytes(graph.SerializeToString(deterministic=True))
    return Eye(job, path)


def classes(job: VisionJob) -> Floats:
    """[1000, 1280]: the rows of the trunk's own classifier, one for each class of ImageNet."""
    checkpoint = families.trunk_of(job, weights.find(job.spec, job.root).folder)
    tensors = torch.load(checkpoint, map_location="cpu", weights_only=True)
    found: Floats = tensors["_fc.weight"].float().numpy()
    return found
