"""The kinds of models that can be built: how their spec is read, and their steps."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from build_engines import spec as specs
from build_engines import tasks
from build_engines.job import ROOT, Job
from build_engines.signals.job import SignalsJob
from build_engines.vision import spec as visions
from build_engines.vision.job import VisionJob

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


def steps_of(model: str) -> dict[str, str]:
    """Step -> the module that runs it, in their order."""
    stated = _stated(model)
    if stated.get("task") == "vision":
        return VISION
    return SIGNALS if "trunk" in stated else ENCODER


def job_of(model: str, build: Path | None = None, repository: Path | None = None) -> Job[Any]:
    """The build of models/<model>.toml. Raises SpecError."""
    committed = ROOT / "model_repository"
    stated = _stated(model)
    # Image encoders take each other's place.
    served = visions.ENCODER if stated.get("task") == "vision" else model
    folders = {
        "root": ROOT,
        "build": (build or ROOT / "build" / "engines") / model,
        "code": committed / served / "1",
        "target": (repository or committed) / served,
    }
    if stated.get("task") == "vision":
        return VisionJob(spec=visions.read(specs.path_of(model)), **folders)
    if "trunk" not in stated:
        return Job(spec=specs.read(specs.path_of(model)), **folders)
    spec = tasks.read(model)
    return SignalsJob(spec=spec, **folders, trunk=committed / spec.trunk)


def _stated(model: str) -> dict[str, Any]:
    """What the file says, unchecked; nothing where there is none: the reader says what is known."""
    path = specs.path_of(model)
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError:
        return {}
