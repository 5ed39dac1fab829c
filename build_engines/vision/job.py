"""One build of an image encoder: the job of a model, and what else it reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from build_engines.errors import WeightsError
from build_engines.job import ROOT, Job
from build_engines.vision.configs import pixels_of
from build_engines.vision.spec import PREPROCESS, SIGNALS, TEXT, Vision

_COMMITTED = ROOT / "model_repository"


@dataclass(frozen=True, slots=True)
class VisionJob(Job[Vision]):
    """`target` is the folder of `vision_encoder`; its neighbours are published with it."""

    projection: Path = Path(__file__).parent / "light" / "projection.safetensors"
    prompts: Path = Path(__file__).parent / "golden_prompts.json"
    pictures: Path = _COMMITTED / SIGNALS / "pictures"
    preprocess: Path = _COMMITTED / PREPROCESS
    tower: Path = _COMMITTED / TEXT / "1"  # the Python of a text tower

    def beside(self) -> dict[str, object]:
        """What pixels the network reads: those that `image_preprocess` beside it makes."""
        config = self.target.parent / PREPROCESS / "config.pbtxt"
        if not config.is_file():
            return {"pixels": None}
        return {"pixels": pixels_of(config.read_text(encoding="utf-8"))}

    def trained(self) -> list[Path]:
        """What is trained here. Raises WeightsError where a light encoder has no projection."""
        if self.spec.family != "light":
            return []
        if not self.projection.is_file():
            raise WeightsError(f"{self.projection}: no projection; run: make train")
        return [self.projection]

    def shown(self) -> list[Path]:
        """The golden pictures, by name."""
        return sorted(path for path in self.pictures.iterdir() if path.suffix != ".md")
