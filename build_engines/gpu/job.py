"""One build of an engine: the published model that it is made of, and its own folders."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_engines import kinds
from build_engines.errors import SpecError
from build_engines.gpu import profiles
from build_engines.gpu.agreement import Task
from build_engines.gpu.profiles import Profile
from build_engines.gpu.samples import WRITTEN
from build_engines.gpu.spec import Gpu, GpuText
from build_engines.gpu.tensors import engine_of
from build_engines.job import Job
from build_engines.vision.job import VisionJob

# Beside what a build writes; of a published engine the first two.
PLAN, RECORD = "model.plan", "engine.json"
GRAPH, WIDE, TIMINGS = "encoder.onnx", "encoder.fp32.onnx", "timings.cache"


@dataclass(frozen=True, slots=True)
class Engine:
    """What the spec of a model says of its engine."""

    name: str  # of the model
    base: str  # digest of what the model is exported from
    gpu: Gpu
    settings: Mapping[str, str]

    def digest(self) -> str:
        """Of all that decides what is built."""
        built = {"model": self.base, "gpu": self.gpu.built()}
        return hashlib.sha256(json.dumps(built, sort_keys=True).encode()).hexdigest()

    def published(self) -> dict[str, str]:
        """Name in the build -> name in the engine's folder."""
        return {PLAN: f"1/{PLAN}"}

    def config(self) -> str:
        """An engine's config.pbtxt is rendered with those of its ensemble."""
        raise SpecError(f"{self.name}: the config of an engine is not rendered alone")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineJob(Job[Engine]):
    source: Job[Any]  # the model that the engine stands for, published in `source.target`
    written: int = WRITTEN  # texts that are compared beside the golden ones

    def command(self, step: str) -> str:
        return f"python -m build_engines {step} {self.spec.name} --target tensorrt"

    @property
    def pictures(self) -> VisionJob | None:
        """The image encoder's job, where it is one."""
        return self.source if isinstance(self.source, VisionJob) else None

    def profiles(self) -> list[Profile]:
        """Raises SpecError where the table is another kind's."""
        if self.pictures is not None:
            return profiles.of_pictures(self.spec.gpu, self.pictures.spec.pixels.size)
        if not isinstance(self.spec.gpu, GpuText):
            raise SpecError(f"{self.spec.name}: [gpu] of a text model needs lengths and windows")
        return profiles.of_texts(self.spec.gpu)

    def networks(self) -> list[Path]:
        """The published files that the graph is made of."""
        folder = self.source.target / "1"
        branches = [folder / "trunk.onnx", folder / "branches.onnx"]
        return branches if branches[1].is_file() else [folder / "model.onnx"]

    def tasks(self) -> dict[str, Task]:
        """Those of a text model with branches."""
        path = self.source.target / "labels.json"
        stated = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return {
            name: Task(one["kind"] == "token", float(one["temperature"]))
            for name, one in stated.items()
        }


def job_of(model: str, build: Path | None = None, repository: Path | None = None) -> EngineJob:
    """The engine of models/<model>.toml. Raises SpecError where it has no table [gpu]."""
    source = kinds.job_of(model, build, repository)
    if source.spec.gpu is None:
        raise SpecError(f"build_engines/models/{model}.toml has no table [gpu]: no engine is built")
    settings = {} if isinstance(source, VisionJob) else source.spec.settings()
    return EngineJob(
        spec=Engine(model, source.spec.digest(), source.spec.gpu, settings),
        root=source.root,
        build=source.build / "tensorrt",
        code=source.code,
        target=source.target.parent / engine_of(source.target.name),
        texts=source.texts,
        source=source,
    )
