"""The kinds of models that can be built: how their spec is read, and their steps."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypedDict

from build_engines import spec as specs
from build_engines import tasks
from build_engines.errors import SpecError
from build_engines.job import ROOT, Job
from build_engines.signals.job import SignalsJob
from build_engines.vision import spec as visions
from build_engines.vision.job import VisionJob

DEFAULT_ENCODER = "text_embedding"
ENCODER = {
    "export": "build_engines.export_onnx",
    "parity": "build_engines.check_parity",
    "publish": "build_engines.publish",
}
SIGNALS = {
    "export": "build_engines.signals.export",
    "parity": "build_engines.signals.parity",
    "publish": "build_engines.publish",
}
VISION = {
    "export": "build_engines.vision.export",
    "parity": "build_engines.vision.parity",
    "publish": "build_engines.vision.publish",
}


class _Folders(TypedDict):
    root: Path
    build: Path
    code: Path
    target: Path


def steps_of(model: str) -> dict[str, str]:
    """Step -> the module that runs it, in their order."""
    stated = _stated(model)
    if stated.get("task") == "vision":
        return VISION
    return SIGNALS if "trunk" in stated else ENCODER


def job_of(
    model: str,
    build: Path | None = None,
    repository: Path | None = None,
    revision: str | None = None,
) -> Job[Any]:
    """The build of models/<model>.toml. `revision` is of the hub, for a spec that pins none.

    Raises SpecError.
    """
    committed = ROOT / "model_repository"
    stated = _stated(model)
    # Image encoders take each other's place.
    served = visions.ENCODER if stated.get("task") == "vision" else model
    folders: _Folders = {
        "root": ROOT,
        "build": (build or ROOT / "build" / "engines") / model,
        "code": committed / served / "1",
        "target": (repository or committed) / served,
    }
    if stated.get("task") == "vision":
        return VisionJob(spec=visions.read(specs.path_of(model)), **folders)
    if "trunk" not in stated:
        # All encoders are served by the same code.
        folders["code"] = committed / DEFAULT_ENCODER / "1"
        encoder, default = specs.read(specs.path_of(model)), model == DEFAULT_ENCODER
        check_engine(encoder, default)
        return Job(spec=encoder, **folders, revision=revision, brings_code=not default)
    spec, default = tasks.read(model), model == tasks.DEFAULT
    check_engine(spec, default)
    folders["code"] = committed / tasks.DEFAULT / "1"
    return SignalsJob(
        spec=spec,
        **folders,
        trunk=(committed if default else repository or committed) / spec.trunk,
        adapters=tasks.adapters(model),
        revision=revision,
        brings_code=not default,
    )


def check_engine(spec: specs.Spec | tasks.Signals, default: bool) -> None:
    """Raises SpecError where another model than the default one asks for an engine."""
    if spec.gpu is not None and not default:
        raise SpecError(
            f"{specs.path_of(spec.name)}: there are steps around an engine for {DEFAULT_ENCODER} "
            f"and {tasks.DEFAULT} alone, {spec.name} is served on CPUs: leave [gpu] out"
        )


def _stated(model: str) -> dict[str, Any]:
    """What the file says, unchecked; nothing where there is none: the reader says what is known."""
    path = specs.path_of(model)
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError:
        return {}
