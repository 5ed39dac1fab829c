"""The kinds of models that can be built: how their spec is read, and their steps."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from build_engines import spec as specs
from build_engines import tasks
from build_engines.job import ROOT, Job
from build_engines.signals.job import SignalsJob

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


def steps_of(model: str) -> dict[str, str]:
    """Step -> the module that runs it, in their order."""
    return SIGNALS if _has_trunk(model) else ENCODER


def job_of(model: str, build: Path | None = None, repository: Path | None = None) -> Job[Any]:
    """The build of models/<model>.toml. Raises SpecError."""
    committed = ROOT / "model_repository"
    folders = {
        "root": ROOT,
        "build": (build or ROOT / "build" / "engines") / model,
        "code": committed / model / "1",
        "target": (repository or committed) / model,
    }
    if not _has_trunk(model):
        return Job(spec=specs.read(specs.path_of(model)), **folders)
    spec = tasks.read(model)
    return SignalsJob(spec=spec, **folders, trunk=committed / spec.trunk)


def _has_trunk(model: str) -> bool:
    path = specs.path_of(model)
    if not path.is_file():
        return False  # the reader says what is known
    try:
        return "trunk" in tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError:
        return False
