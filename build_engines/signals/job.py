"""One build of branches: the job of a model, and where its trunk and its adapters are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from build_engines.errors import SpecError, WeightsError
from build_engines.job import Job, sha256
from build_engines.tasks import ADAPTERS, Signals

# Beside an adapter, for its card: they change nothing of what is built.
FIGURES, DEPTHS, CURVE = "figures.json", "depths.json", "curve.json"
TOLD = (FIGURES, DEPTHS, CURVE)


@dataclass(frozen=True, slots=True)
class SignalsJob(Job[Signals]):
    trunk: Path = Path()  # the published encoder's folder
    adapters: Path = ADAPTERS
    canaries: Path = Path(__file__).parent.parent / "canaries.toml"

    @property
    def network(self) -> Path:
        return self.trunk / "1" / "model.onnx"

    def beside(self) -> dict[str, object]:
        """Whose bytes the branches are joined to: they fit no other network."""
        return {"trunk": {"model": self.spec.trunk, "sha256": sha256(self.network)}}

    def shared(self) -> dict[str, Path]:
        """The code finds the trunk's network by the receipt."""
        return {"tokenizer.json": self.trunk / "tokenizer.json"}

    def weights(self) -> list[Path]:
        """Every file that the build reads of the tasks. Raises WeightsError where one has none."""
        absent = [name for name in self.spec.tasks if not (self.adapters / name).is_dir()]
        if absent:
            raise WeightsError(
                f"{self.adapters}: no adapter of {', '.join(absent)}; run: make train"
            )
        kept = (".json", ".safetensors")
        return sorted(
            path
            for name in self.spec.tasks
            for path in (self.adapters / name).iterdir()
            if path.suffix in kept and path.name not in TOLD
        )


@dataclass(frozen=True, slots=True)
class Labels:
    """labels.json beside an adapter: its classes in order, and what cools its logits.

    `languages`: those that it reads well (train/languages.py), none perhaps; None, and not written,
    of a guard, which reads all. `spans`: of a token task, the curve that makes its spans' scores
    probabilities (train/surety.py).
    """

    labels: tuple[str, ...]
    temperature: float
    languages: tuple[str, ...] | None = None
    spans: Mapping[str, float] | None = None

    @classmethod
    def read(cls, folder: Path) -> Labels:
        path = folder / "labels.json"
        try:
            stated = json.loads(path.read_text(encoding="utf-8"))
            known = stated.get("languages")
            languages = None if known is None else tuple(known)
            heat = float(stated["temperature"])
            return cls(tuple(stated["labels"]), heat, languages, stated.get("spans"))
        except (OSError, json.JSONDecodeError, KeyError) as error:
            raise SpecError(f"{path}: {error}") from None

    def write(self, folder: Path) -> None:
        stated: dict[str, object] = {"labels": list(self.labels), "temperature": self.temperature}
        if self.languages is not None:
            stated["languages"] = list(self.languages)
        if self.spans is not None:
            stated["spans"] = dict(self.spans)
        (folder / "labels.json").write_text(json.dumps(stated, indent=1) + "\n", encoding="utf-8")
