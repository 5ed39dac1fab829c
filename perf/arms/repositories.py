"""Model repositories to measure: models as shipped, or with copies and changed configs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from perf.served import REPOSITORY

Change = Callable[[str], str]  # of the text of a config


def steps(model: str) -> list[str]:
    """The model, and the models that it asks where it is an ensemble on CPUs."""
    config = _on_cpus(REPOSITORY / model).read_text(encoding="utf-8")
    return [model, *re.findall(r'model_name: "(\w+)"', config)]


def copy_names(model: str, copies: int) -> list[str]:
    return [model] if copies == 1 else [f"{model}_{number}" for number in range(copies)]


def build(folder: Path, copies: Mapping[str, int], *changes: Change) -> list[str]:
    """Make the repository `folder` of these models, of those that they ask, and where more than one
    copy is wanted of the copies, their configs for CPUs changed. Answers the names of all.
    """
    names = {step: step for model in copies for step in steps(model)}
    for model, count in copies.items():
        names |= dict.fromkeys(copy_names(model, count), model)
    for name, model in names.items():
        shutil.copytree(REPOSITORY / model, folder / name)
        path = _on_cpus(folder / name)
        config = _named(name)(path.read_text(encoding="utf-8"))
        for change in changes:
            config = change(config)
        path.write_text(config, encoding="utf-8")
    return list(names)


def without_batching(config: str) -> str:
    """An ensemble, which has none, stays as it is."""
    if "dynamic_batching" not in config:
        return config
    return _replaced(config, r"dynamic_batching \{[^{}]*\}", "")


def one_instance(config: str) -> str:
    return _replaced(config, r"count: \d+", "count: 1")


def _named(name: str) -> Change:
    return lambda config: _replaced(config, r'^name: ".*"', f'name: "{name}"')


def _on_cpus(folder: Path) -> Path:
    path = folder / "configs/cpu.pbtxt"
    return path if path.is_file() else folder / "config.pbtxt"


def _replaced(config: str, pattern: str, by: str) -> str:
    config, found = re.subn(pattern, by, config, flags=re.MULTILINE)
    if found != 1:
        raise ValueError(f"a config has {found} of {pattern}, not one")
    return config
