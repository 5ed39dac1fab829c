"""What a document says that this version accepts and does not act upon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from orchestrator.config.document import Document, Path
from orchestrator.config.fields import NotRun
from orchestrator.config.problems import Finding, place
from orchestrator.errors import Problem

NOT_USED = "accepted, not used by this version"  # how such a warning ends
_HOLDERS = (BaseModel, tuple, dict)


def unused(config: BaseModel, document: Document | None = None) -> list[Problem]:
    """A warning for each marked field (`fields.NotRun`) that the document sets."""
    there = document or Document("<config>", {})
    problems = [place(finding, there) for finding in marked(config, ())]
    return sorted(problems, key=lambda problem: problem.line or 0)


def marked(model: BaseModel, path: Path) -> Iterator[Finding]:
    """The same as findings, of a part of the document that stands at `path`."""
    return _Search().of_model(model, path)


class _Search:
    """Walks through one document's models; the marks of a kind of model are looked up once."""

    def __init__(self) -> None:
        self._fields: dict[type[BaseModel], list[tuple[str, str, NotRun | None]]] = {}

    def of_model(self, model: BaseModel, path: Path) -> Iterator[Finding]:
        kind = type(model)
        if kind not in self._fields:
            self._fields[kind] = list(_marks(kind))
        given = model.model_fields_set
        for name, key, mark in self._fields[kind]:
            if name not in given:
                continue
            value = getattr(model, name)
            if mark is None:
                if isinstance(value, _HOLDERS):
                    yield from self._inside(value, (*path, key))
            elif value is not None and not mark.unless(value):
                type_ = value.get("type") if isinstance(value, dict) else value
                said = f"{type_!r} is " if isinstance(type_, str) else ""
                yield Finding((*path, key), f"{said}{NOT_USED}", None, "warning")

    def _inside(self, value: Any, path: Path) -> Iterator[Finding]:  # noqa: ANN401 - of any type
        if isinstance(value, BaseModel):
            yield from self.of_model(value, path)
        elif isinstance(value, tuple):
            for index, item in enumerate(value):
                if isinstance(item, _HOLDERS):
                    yield from self._inside(item, (*path, index))
        elif isinstance(value, dict):
            for key, item in value.items():
                if isinstance(item, _HOLDERS):
                    yield from self._inside(item, (*path, key))


def _marks(kind: type[BaseModel]) -> Iterator[tuple[str, str, NotRun | None]]:
    """Of each field: its name, its key in the file, its mark."""
    for name, field in kind.model_fields.items():
        mark = next((mark for mark in field.metadata if isinstance(mark, NotRun)), None)
        yield name, field.alias or name, mark
