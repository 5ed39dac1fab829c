"""The trunk of the light default alone, as it is served."""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch

from build_engines import weights
from build_engines.vision import export, families, lite0
from build_engines.vision.features import Eye, meaning
from build_engines.vision.job import VisionJob
from build_engines.vision.light import SCALE, SHIFT
from build_engines.vision.lite0 import Lite0
from build_engines.vision.lite0 import load as load_trunk


# torch has types only where it is installed.
class _Trunk(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, trunk: Lite0) -> None:
        super().__init__()
        self.trunk = trunk

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.trunk(pixels * SCALE + SHIFT)
        return found


def eye(job: VisionJob, folder: Path) -> Eye:
    """The trunk exported once into `folder`, named by `key`. Raises WeightsError."""
    checkpoint = families.trunk_of(job, weights.find(job.spec, job.root).folder)
    path = folder / f"trunk-{key(job)}.onnx"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        trunk = load_trunk(checkpoint)
        trunk.fold()
        size = job.spec.pixels.size
        example = torch.rand(3, 3, size, size) * 2 - 1
        graph = export.to_onnx(_Trunk(trunk).eval(), example, "PIXELS", ["FEATURES"], job.spec)
        path.write_bytes(graph.SerializeToString(deterministic=True))
    return Eye(job, path)


def key(job: VisionJob, network: Path = Path(lite0.__file__)) -> str:
    """A name for all that decides its features: weights, how they are stored, network, scale."""
    decides = f"{sorted(job.spec.files.values())} {job.spec.onnx.model_dump_json()} {SCALE} {SHIFT}"
    return hashlib.sha256(decides.encode() + meaning(network)).hexdigest()[:16]
