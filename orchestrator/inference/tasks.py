"""The tasks of a text classifier, as the `labels.json` beside it in the model repository says.

model_repository/README.md describes the file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

import orjson
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from orchestrator.errors import InferenceError


@dataclass(frozen=True, slots=True)
class Task:
    """`labels` in the order of the model's columns; of a token task, the types of entities."""

    labels: tuple[str, ...]
    spans: bool = False  # a token task: it finds entities; else it gives probabilities
    positive: tuple[str, ...] = ()  # labels that are a risk
    languages: tuple[str, ...] | None = None  # ISO 639-1, those that it reads well; None: any

    @property
    def guards(self) -> bool:
        """Whether it may stop a request, or change what of it is sent on: a risk, personal data."""
        return self.spans or bool(self.positive)


Tasks = Mapping[str, Task]
NO_TASKS: Tasks = MappingProxyType({})  # of a model that only embeds


class _Row(BaseModel):
    kind: Literal["sequence", "token"]
    labels: Annotated[tuple[str, ...], Field(min_length=1)]
    positive: tuple[str, ...] = ()
    languages: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def names(self) -> _Row:
        if len(set(self.labels)) != len(self.labels):
            raise ValueError("a label occurs twice")
        if not set(self.positive) <= set(self.labels):
            raise ValueError("positive names what is no label")
        return self


_DOCUMENT = TypeAdapter(dict[str, _Row])


def load_tasks(repository: Path, model: str) -> Tasks:
    """Empty for a model without the file. Raises InferenceError where it cannot be read."""
    path = repository / model / "labels.json"
    try:
        document = _DOCUMENT.validate_python(orjson.loads(path.read_bytes()))
    except FileNotFoundError:
        return NO_TASKS
    except (OSError, orjson.JSONDecodeError, ValidationError) as error:
        raise InferenceError(f"{model}: {path} cannot be read: {error}") from error
    return {
        name: Task(row.labels, row.kind == "token", row.positive, row.languages)
        for name, row in document.items()
    }


def check_tasks(model: str, asked: Collection[str], known: Collection[str]) -> None:
    """Raises InferenceError that names the first unknown task, and those there are."""
    for task in asked:
        if task not in known:
            raise InferenceError(f"{model}: no task {task!r}; the tasks are: {', '.join(known)}")


def unexpected(tasks: Tasks, expected: Mapping[str, frozenset[str]]) -> str:
    """How the model's tasks are not those that its users were written for; empty where they are."""
    said = []
    for name, labels in expected.items():
        if name not in tasks:
            said.append(f"task {name} is missing")
            continue
        found = frozenset(tasks[name].labels)
        parts = [
            f"{what}: {', '.join(map(repr, sorted(some)))}"
            for what, some in (("missing", labels - found), ("extra", found - labels))
            if some
        ]
        if parts:
            said.append(f"task {name} has other labels than expected ({'; '.join(parts)})")
    return "; ".join(said)
