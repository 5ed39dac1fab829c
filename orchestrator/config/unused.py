"""What a document says that this version accepts and does not act upon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from orchestrator.config.document import Document, Path
from orchestrator.config.fields import NotRun
from orchestrator.config.problems import Finding, place
from orchestrator.errors import Problem


def unused(config: BaseModel, document: Document | None = None) -> list[Problem]:
    """A warning for each marked field (`fields.NotRun`) that the document sets."""
    there = document or Document("<config>", {})
    problems = [place(finding, there) for finding in marked(config, ())]
    return sorted(problems, key=lambda problem: problem.line or 0)


def marked(model: BaseModel, path: Path) -> Iterator[Finding]:
    """The same as findings, of a part of the document that stands at `path`."""
    for name, field in type(model).model_fields.items():
        if name not in model.model_fields_set:
            continue
        here = (*path, field.alias or name)
        value = getattr(model, name)
        mark = next((mark for mark in field.metadata if isinstance(mark, NotRun)), None)
        if mark is None:
            yield from _inside(value, here)
        elif value is not None and not mark.unless(value):
            kind = value.get("type") if isinstance(value, dict) else value
            said = f"{kind!r} is " if isinstance(kind, str) else ""
            yield Finding(here, f"{said}accepted, not used by this version", None, "warning")


def _inside(value: Any, path: Path) -> Iterator[Finding]:  # noqa: ANN401 - a field of any type
    if isinstance(value, BaseModel):
        yield from marked(value, path)
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _inside(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _inside(item, (*path, key))
