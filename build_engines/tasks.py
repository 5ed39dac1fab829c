"""What models/text_signals.toml says: the tasks, how they are trained, what is tolerated."""

from __future__ import annotations

import hashlib
import json
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from build_engines import spec as specs
from build_engines.errors import SpecError
from build_engines.fleet.spec import Fleet
from build_engines.gpu.spec import GpuText
from build_engines.spec import WINDOWS, Serving, Spec

ADAPTERS = Path(__file__).parent / "adapters"
DEFAULT = "text_signals"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Training(_Part):
    """How an adapter is trained. `depth` 0 trains a head alone, over the encoder as it is."""

    depth: int = Field(default=1, ge=0)
    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.0, ge=0, lt=1)  # slow on a CPU: random numbers per token
    rate: float = Field(default=1e-3, gt=0)  # peak learning rate
    epochs: int = Field(default=6, ge=1)
    batch: int = Field(default=32, ge=1)  # texts
    seed: int = 7


class Task(_Part):
    """One classifier. `positive`: the labels whose summed probability is the risk."""

    kind: Literal["sequence", "token"]
    layers: int | None = None  # of the trunk that are read, from below; None: all
    over_windows: Literal["mean", "max"] = "mean"
    positive: tuple[str, ...] = ()
    training: Training = Training()
    limits: tuple[str, ...] = ()  # what the model card says it cannot do

    @model_validator(mode="after")
    def a_maximum_is_of_a_risk(self) -> Self:
        if self.over_windows == "max" and not self.positive:
            raise ValueError("over_windows max needs the positive labels")
        return self


class Tolerance(_Part):
    cosine: float
    probability: float
    span_score: float
    export: float
    export_span: float


class Signals(_Part):
    """A model that answers several tasks over the layers of one trunk."""

    name: str
    trunk: str
    summary: str
    tasks: dict[str, Task]
    tolerance: Tolerance
    serving: Serving
    gpu: GpuText | None = None
    fleet: Fleet | None = None

    def encoder(self) -> Spec:
        """The spec of the trunk: its checkpoint, and how texts are cut."""
        return specs.read(specs.path_of(self.trunk))

    def settings(self) -> dict[str, str]:
        """What the served code is told, as `parameters` of the config.pbtxt."""
        served = {"max_tokens", "padding", "threads"}
        values = self.encoder().text.model_dump() | self.serving.model_dump(include=served)
        return {name: str(value) for name, value in values.items()}

    def digest(self) -> str:
        """Of all that decides what is built: not how it is trained or served."""
        built = {
            "trunk": self.encoder().digest(),
            "tolerance": self.tolerance.model_dump(),
            "tasks": {
                name: one.model_dump(exclude={"training", "limits"})
                for name, one in self.tasks.items()
            },
        }
        return hashlib.sha256(json.dumps(built).encode()).hexdigest()

    def published(self) -> dict[str, str]:
        """Name in the build -> name in the model's folder."""
        names = {"branches.onnx": "1/branches.onnx"}
        return names | {name: name for name in ("labels.json", "goldens.json")}

    def config(self) -> str:
        """The config.pbtxt."""
        outputs = {"EMBEDDING": f"data_type: TYPE_FP32 dims: [ {self.encoder().dimension} ]"}
        for name, task in self.tasks.items():
            if task.kind == "sequence":
                classes = len(labels(name))
                outputs[f"PROBS_{name}"] = f"data_type: TYPE_FP32 dims: [ {classes} ]"
            else:
                outputs[f"SPANS_{name}"] = "data_type: TYPE_INT32 dims: [ -1, 3 ]"
                outputs[f"SPAN_SCORES_{name}"] = "data_type: TYPE_FP32 dims: [ -1 ]"
        return specs.render(
            self.name,
            self.summary,
            self.serving,
            self.settings(),
            ["TEXT", "TASKS"],
            outputs | WINDOWS,
        )


def adapters(model: str) -> Path:
    """Where the adapters of a model lie: only those of the default are committed."""
    if model == DEFAULT:
        return ADAPTERS
    return Path(__file__).parent.parent / "build" / "adapters" / model


def read(model: str = DEFAULT) -> Signals:
    """Raises SpecError that names the file and each field that is wrong."""
    path = specs.path_of(model)
    try:
        spec = Signals.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        if spec.gpu is not None:
            text = spec.encoder().text
            spec.gpu.fits(text.window, text.max_windows)
        return spec
    except ValueError as error:  # pydantic's, TOML's and that of `fits`
        raise SpecError(f"{path}: {error}") from None


def labels(task: str) -> tuple[str, ...]:
    """The labels that the task's data declares, in the order of the network's classes."""
    found: tuple[str, ...] = import_module(f"build_engines.data.{task}").LABELS
    return found
