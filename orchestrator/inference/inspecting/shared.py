"""Files that the steps of an ensemble have from the form without steps: the same ones.

In a checkout they are links. A copy of the repository has copies, and a build that writes into it
changes one of them alone: the steps would answer with labels, or cut with a tokenizer, of before.
"""

from __future__ import annotations

import filecmp
from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote

from orchestrator.inference.inspecting.models import Model
from orchestrator.inference.inspecting.problem import Problem

# Of each model its own.
OWN = frozenset({"model.py", "goldens.json", "receipt.json", "engine.json"})


def problems(repository: Path, models: Mapping[str, Model]) -> Iterator[Problem]:
    for name, model in models.items():
        for step in dict.fromkeys(one.model_name for one in model.config.ensemble_scheduling.step):
            if step in models and step.startswith(f"{name}_"):
                yield from _of(repository, name, step)


def _of(repository: Path, model: str, step: str) -> Iterator[Problem]:
    folder = repository / step
    for path in sorted([*folder.glob("*.json"), *folder.glob("1/*.py")]):
        first = repository / model / path.relative_to(folder)
        both = path.is_file() and first.is_file()
        if path.name not in OWN and both and not filecmp.cmp(path, first, shallow=False):
            yield Problem(
                file=str(path.relative_to(repository)),
                wrong=f"not the file that {first.relative_to(repository)} is",
                right="the same, as a link or a copy",
                command=f"cp {quote(str(first))} {quote(str(path))}",
            )
