"""From what is wrong to a Problem: YAML path, line, a plain sentence, the nearest known name.

`Check` is what the rest of the router uses to report on the document: it validates the rows of
extensions and turns findings of `check` into problems with lines.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from orchestrator.config.document import Document, Path, dotted
from orchestrator.config.fields import UNQUOTED
from orchestrator.config.known import keys_at
from orchestrator.errors import ConfigError, Problem

M = TypeVar("M", bound=BaseModel)
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong at a place, before the place has a line."""

    path: Path
    message: str
    hint: str | None = None
    severity: Severity = "error"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """`did you mean 'priority'?`, by spelling and ignoring case, or None."""
    by_lower = {choice.lower(): choice for choice in known}
    near = difflib.get_close_matches(name.lower(), by_lower, 1, cutoff=0.6)
    return f"did you mean {by_lower[near[0]]!r}?" if near else None


def unknown(kind: str, name: str, known: Iterable[str], path: Path) -> Finding:
    """A name that refers to nothing; the hint is the nearest one, or the list if it is short."""
    names = sorted(set(known))
    few = f"known: {', '.join(names)}" if 0 < len(names) <= 12 else None
    return Finding(path, f"unknown {kind} {name!r}", nearest(name, names) or few)


def problems_of(
    error: ValidationError,
    prefix: Path,
    document: Document,
    model: type[BaseModel],
) -> list[Problem]:
    """Each of pydantic's errors as a Problem. `prefix` is the path of what `model` validated."""
    return [
        place(_finding(details, prefix, document, model), document)
        for details in error.errors(include_url=False, include_input=False)
    ]


def place(finding: Finding, document: Document) -> Problem:
    return Problem(
        path=dotted(finding.path),
        message=finding.message,
        line=document.line(finding.path),
        file=document.name,
        hint=finding.hint,
        severity=finding.severity,
    )


def _finding(
    details: ErrorDetails, prefix: Path, document: Document, model: type[BaseModel]
) -> Finding:
    loc = details["loc"]
    path = (*prefix, *loc)
    if details["type"] == "extra_forbidden":
        return unknown("key", str(loc[-1]), keys_at(model, loc[:-1]), path)
    if details["type"] == "missing":
        key = str(loc[-1])
        return Finding(path[:-1], f"the key {key!r} is missing")
    if details["type"] == UNQUOTED:
        return Finding(path, details["msg"])
    context = details.get("ctx", {})
    if details["type"] == "value_error":
        found = document.found(path)
        said = str(context["error"])
        scalar = found not in (None, "a mapping", "a list") and "found" not in said
        return Finding(path, f"{said}, found {found}" if scalar else said)
    expected = _EXPECTED.get(details["type"], _as_pydantic_says)(context)
    found = document.found(path)
    message = f"expected {expected or details['msg'].lower()}"
    return Finding(path, f"{message}, found {found}" if found else message, _hint(context, found))


def _hint(context: dict[str, Any], found: str | None) -> str | None:
    choices = re.findall(r"'([^']*)'", str(context.get("expected", "")))
    return nearest((found or "").strip("'"), choices) if choices else None


Expectation = Callable[[dict[str, Any]], str]


def _as_pydantic_says(_: dict[str, Any]) -> str:
    return ""


def _constant(text: str) -> Expectation:
    return lambda _: text


_WORDS = {
    "an integer": ("int_type", "int_parsing", "int_parsing_size", "int_from_float"),
    "a number": ("float_type", "float_parsing"),
    "a finite number": ("finite_number",),
    "true or false": ("bool_type", "bool_parsing"),
    "a text": ("string_type",),
    "a text that is not empty": ("string_too_short",),
    "a mapping": ("dict_type", "model_type", "model_attributes_type", "mapping_type"),
    "a list": ("list_type", "tuple_type", "set_type", "frozen_set_type"),
}
_EXPECTED: dict[str, Expectation] = {
    kind: _constant(words) for words, kinds in _WORDS.items() for kind in kinds
} | {
    "literal_error": lambda context: str(context["expected"]),
    "enum": lambda context: str(context["expected"]),
    "greater_than": lambda context: f"a number above {context['gt']:g}",
    "greater_than_equal": lambda context: f"a number of at least {context['ge']:g}",
    "less_than": lambda context: f"a number below {context['lt']:g}",
    "less_than_equal": lambda context: f"a number of at most {context['le']:g}",
    "too_short": lambda context: f"at least {context['min_length']} item(s)",
    "too_long": lambda context: f"at most {context['max_length']} item(s)",
}


class Check:
    """Collects the problems of one document; nothing is raised before `finish`."""

    def __init__(self, document: Document, problems: Iterable[Problem] = ()) -> None:
        self._document = document
        self._problems = list(problems)

    def validate(self, model: type[M], row: object, path: Path) -> M | None:
        """`row`, which stands at `path`, as a `model`; None after reporting what is wrong."""
        try:
            return model.model_validate(row)
        except ValidationError as error:
            self._problems += problems_of(error, path, self._document, model)
            return None

    def add(self, findings: Iterable[Finding]) -> None:
        self._problems += [place(finding, self._document) for finding in findings]

    def error(self, path: Path, message: str, hint: str | None = None) -> None:
        self.add([Finding(path, message, hint)])

    def warn(self, path: Path, message: str, hint: str | None = None) -> None:
        self.add([Finding(path, message, hint, "warning")])

    def unknown(self, kind: str, name: str, known: Iterable[str], path: Path) -> None:
        """Report a name (of a section, a plugin, an algorithm) that no extension has."""
        self.add([unknown(kind, name, known, path)])

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything reported, errors and warnings, in file order."""
        return tuple(sorted(self._problems, key=lambda problem: problem.line or 0))

    def finish(self) -> tuple[Problem, ...]:
        """The warnings. Raises ConfigError with every error, if there is one."""
        errors = tuple(p for p in self.problems if p.severity == "error")
        if errors:
            raise ConfigError(summary(self._document.name, len(errors)), errors)
        return self.problems


def summary(name: str, errors: int) -> str:
    return f"{name} cannot be used: {errors} error{'s' if errors > 1 else ''}"
