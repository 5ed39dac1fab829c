"""Field types that the config models share: strictness, durations, secrets, the not-run mark."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    model_validator,
)

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Header = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, to_lower=True)]
Unit = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Port = Annotated[int, Field(ge=1, le=65535)]
Percent = Annotated[int, Field(ge=0, le=100)]
Opaque = dict[str, Any]  # owned by an extension, or by a store that validates it when it is built
Secrets = dict[str, SecretStr]


class Strict(BaseModel):
    """Frozen; unknown keys are errors; an explicit null means "not given".

    Numbers are taken where text is wanted (`param_size: 8`), as YAML writes many names so.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        coerce_numbers_to_str=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        protected_namespaces=(),
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, data: object) -> object:
        if isinstance(data, dict) and None in data.values():
            known = {field.alias or name for name, field in cls.model_fields.items()}
            return {k: v for k, v in data.items() if v is not None or k not in known}
        return data


_UNIT_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d+)?|\.\d+)(ns|us|µs|ms|s|m|h)")
_MOST_SECONDS = 1e9


def parse_duration(value: object) -> float:
    """Seconds of `300s`, `1m30s`, `500ms`, or of a bare number. Raises ValueError."""
    seconds = -1.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(value)
    elif isinstance(value, str) and len(value) <= 64:
        text = value.strip()
        parts = _PART.findall(text)
        if parts and "".join(n + u for n, u in parts) == text:
            seconds = sum(float(n) * _UNIT_SECONDS[u] for n, u in parts)
        elif re.fullmatch(r"\d+(\.\d+)?", text):
            seconds = float(text)
    if not 0 <= seconds <= _MOST_SECONDS:
        raise ValueError("expected a duration such as 300s, 1m30s or 500ms")
    return seconds


Duration = Annotated[float, BeforeValidator(parse_duration)]


def one_of(words: str) -> Callable[[str], str]:
    """A check that a text is one of `words` (separated by blanks)."""
    choices = words.split()

    def check(value: str) -> str:
        if value not in choices:
            raise ValueError("expected one of " + ", ".join(choices))
        return value

    return check


def _never(_: object) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class NotRun:
    """Marks a field that is accepted but that this version does not act upon.

    The mark in the schema is the only record of it: `unused` reads it, and running the field
    one day means removing the mark. `unless` names values that need no action.
    """

    unless: Callable[[Any], bool] = _never


class Switch(Protocol):
    @property
    def enabled(self) -> bool: ...


def off(block: Switch) -> bool:
    return not block.enabled


NOT_RUN = NotRun()
NOT_RUN_IF_ON = NotRun(unless=off)
