"""JSONL files of labelled texts, checked line by line.

A line: {"text": "...", "task": "...", "label": "..."}, or for a task that finds entities
{"text": "...", "task": "...", "spans": [[start, stop, "LABEL"], ...]}, with Python string indices.
The keys kind, language and source name slices that are reported apart; id is the writer's own.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orchestrator.config.problems import nearest
from orchestrator.errors import ConfigError, Problem
from orchestrator.inference.tasks import Task
from orchestrator.quality.spans import Span

SHAPE = '{"text": "...", "task": "...", "label": "..."}'


class _Slices(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    kind: str = ""
    language: str = ""
    source: str = ""


class _Line(_Slices):
    text: str
    task: str
    label: str | None = None
    spans: list[Span] | None = None
    id: Annotated[str | int | None, Field(union_mode="left_to_right")] = None


SLICES = tuple(_Slices.model_fields)


@dataclass(frozen=True, slots=True)
class Row:
    """`label` is empty where `spans` label the text. `place` is file:line."""

    text: str
    task: str
    label: str
    spans: tuple[Span, ...]
    slices: Mapping[str, str]  # of SLICES, those that the line gives
    place: str


def read(paths: Sequence[Path], tasks: Mapping[str, Task], only: str | None = None) -> list[Row]:
    """The rows of all files, or those of the task `only`.

    Raises ConfigError with everything that is wrong with any line, and where nothing is left.
    """
    rows: list[Row] = []
    problems: list[Problem] = []
    if only is not None and only not in tasks:
        raise ConfigError(f"no task {only!r}; the tasks are: {', '.join(tasks)}")
    for path in paths:
        try:
            lines = path.read_bytes().removeprefix(BOM_UTF8).split(b"\n")
        except OSError as error:
            problems.append(Problem("", f"{path} cannot be read: {error.strerror}", file=str(path)))
            continue
        for number, raw in enumerate(lines, 1):
            found = _row(raw, f"{path}:{number}", tasks) if raw.strip() else []
            if isinstance(found, Row):
                rows.append(found)
            else:
                problems += [replace(one, file=str(path), line=number) for one in found]
    if problems:
        raise ConfigError("the labelled texts cannot be used", tuple(problems))
    kept = [row for row in rows if only in (None, row.task)]
    if not kept:
        what = f"of the task {only!r} " if only else ""
        raise ConfigError(f"no labelled text {what}in {', '.join(map(str, paths))}")
    return kept


def by_task(rows: Sequence[Row], limit: int | None = None) -> dict[str, list[Row]]:
    """Of each task at most `limit` rows, evenly spread: a file may be in the order of labels."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.task, []).append(row)
    return {task: spread(some, limit) for task, some in sorted(found.items())}


def spread(rows: Sequence[Row], limit: int | None) -> list[Row]:
    if limit is None or len(rows) <= limit:
        return list(rows)
    return [rows[at * len(rows) // limit] for at in range(limit)]


def _row(raw: bytes, place: str, tasks: Mapping[str, Task]) -> Row | list[Problem]:
    try:
        line = _Line.model_validate_json(raw)
    except ValidationError as error:
        return list(_invalid(error))
    problems = list(_wrong(line, tasks))
    if problems:
        return problems
    slices = {name: said for name in SLICES if (said := getattr(line, name))}
    return Row(line.text, line.task, line.label or "", tuple(line.spans or ()), slices, place)


def _invalid(error: ValidationError) -> Iterator[Problem]:
    for one in error.errors(include_url=False, include_input=False):
        path = ".".join(map(str, one["loc"]))
        hint = nearest(path, _Line.model_fields) or f"the keys are {', '.join(_Line.model_fields)}"
        match one["type"]:
            case "extra_forbidden":
                yield Problem(path, "is no key of a line", hint=hint)
            case "missing":
                yield Problem(path, "is missing")
            case "json_invalid":
                yield Problem("", f"is not JSON: {one['ctx']['error']}", hint=SHAPE)
            case "model_type":
                yield Problem("", "is no JSON object", hint=SHAPE)
            case _:
                yield Problem(path, one["msg"])


def _wrong(line: _Line, tasks: Mapping[str, Task]) -> Iterator[Problem]:
    if not line.text.strip():
        yield Problem("text", "is blank")
    if line.task not in tasks:
        known = f"the tasks are: {', '.join(tasks)}"
        yield Problem(
            "task", f"unknown task {line.task!r}", hint=nearest(line.task, tasks) or known
        )
        return
    task = tasks[line.task]
    if task.spans:
        if line.label is not None:
            yield Problem("label", f"{line.task} is labelled by spans", hint='"spans": [] for none')
        if line.spans is None:
            yield Problem("spans", "is missing", hint='[[start, stop, "LABEL"], ...], [] for none')
        for at, span in enumerate(line.spans or ()):
            yield from _wrong_span(at, span, line.text, task)
        return
    if line.spans is not None:
        yield Problem("spans", f"{line.task} takes one label for a text")
    if line.label is None:
        yield Problem("label", "is missing", hint=_known(task))
    elif line.label not in task.labels:
        yield _unknown("label", line.label, task)


def _wrong_span(at: int, span: Span, text: str, task: Task) -> Iterator[Problem]:
    start, stop, label = span
    if not 0 <= start < stop <= len(text):
        said = f"[{start}, {stop}] is no piece of the text"
        hint = f"0 <= start < stop <= {len(text)}, in characters"
        yield Problem(f"spans[{at}]", said, hint=hint)
    if label not in task.labels:
        yield _unknown(f"spans[{at}]", label, task)


def _unknown(path: str, label: str, task: Task) -> Problem:
    return Problem(
        path, f"unknown label {label!r}", hint=nearest(label, task.labels) or _known(task)
    )


def _known(task: Task) -> str:
    return f"the labels are: {', '.join(task.labels)}"
