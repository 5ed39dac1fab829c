"""Model repositories for arms: as shipped, with copies of a model, and without batching."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from perf.served import REPOSITORY


def steps(model: str) -> list[str]:
    """The model, and the models that it asks where it is an ensemble on CPUs."""
    path = REPOSITORY / model / "configs/cpu.pbtxt"
    path = path if path.is_file() else REPOSITORY / model / "config.pbtxt"
    return [model, *re.findall(r'model_name: "(\w+)"', path.read_text(encoding="utf-8"))]


def copy_names(model: str, copies: int) -> list[str]:
    return [model] if copies == 1 else [f"{model}_{number}" for number in range(copies)]


def copied(folder: Path, model: str, copies: int) -> None:
    """Add the copies to a repository."""
    for name in copy_names(model, copies):
        shutil.copytree(REPOSITORY / model, folder / name)
        for path in _configs(folder / name):
            _replace(path, r'^name: ".*"', f'name: "{name}"')


def without_batching(folder: Path, models: Iterable[str]) -> None:
    """Add the models, and those that they ask, to a repository without `dynamic_batching`."""
    for model in {step for name in models for step in steps(name)}:
        shutil.copytree(REPOSITORY / model, folder / model)
        for path in _configs(folder / model):
            if "dynamic_batching" in path.read_text(encoding="utf-8"):
                _replace(path, r"dynamic_batching \{[^}]*\}", "")


def _configs(folder: Path) -> list[Path]:
    return [folder / "config.pbtxt", *folder.glob("configs/*.pbtxt")]


def _replace(path: Path, pattern: str, by: str) -> None:
    config, found = re.subn(pattern, by, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert found == 1, f"{path}: {found} of {pattern}"
    path.write_text(config, encoding="utf-8")
