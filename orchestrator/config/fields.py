"""Field types that the config models share: strictness, durations, secrets, the not-run mark."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

UNQUOTED = "unquoted"  # type of an error whose message must not show the value
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_UNSENDABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")  # in the value of a header; RFC 9110 5.5
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def unquoted(message: str) -> PydanticCustomError:
    """An error about a value that may be a secret: the value is left out of the report."""
    return PydanticCustomError(UNQUOTED, "{said}", {"said": message})


def sendable(value: str) -> bool:
    """Has `value` only characters that a header may carry? Blanks around it are not sent."""
    return _UNSENDABLE.search(value.strip()) is None


def _printable(value: str) -> str:
    if _CONTROL.search(value):
        raise ValueError("a name has no control characters")
    return value


def _not_truth(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("expected a number")
    return value


def header_name(value: str) -> str:
    """`value`, or an error that does not show it: keys are pasted into the wrong field."""
    if not _TOKEN.fullmatch(value):
        raise unquoted("the name of a header has only letters, digits and !#$%&'*+.^_`|~-")
    return value


def header_value(value: str) -> str:
    if not sendable(value):
        raise unquoted("the value of a header has no control characters")
    return value


def variable_name(value: str) -> str:
    if not _VARIABLE.fullmatch(value):
        raise unquoted(
            "expected the name of an environment variable (letters, digits and _),"
            " not the key itself"
        )
    return value


_TEXT = StringConstraints(strip_whitespace=True, min_length=1)
Text = Annotated[str, _TEXT]  # of any number of lines
Name = Annotated[str, _TEXT, AfterValidator(_printable)]
Variable = Annotated[str, _TEXT, AfterValidator(variable_name)]  # name of an environment variable
HeaderName = Annotated[str, _TEXT, AfterValidator(header_name)]
Header = Annotated[HeaderName, StringConstraints(to_lower=True)]
_NUMBER = BeforeValidator(_not_truth)  # pydantic takes true for 1
Unit = Annotated[float, Field(ge=0, le=1), _NUMBER]
Count = Annotated[int, Field(ge=0), _NUMBER]
Port = Annotated[int, Field(ge=1, le=65535), _NUMBER]
Percent = Annotated[int, Field(ge=0, le=100), _NUMBER]
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


class OneOf:
    """A check that a text is one of `words` (separated by blanks)."""

    def __init__(self, words: str) -> None:
        self.choices = tuple(words.split())

    def __call__(self, value: str) -> str:
        if value not in self.choices:
            raise ValueError("expected one of " + ", ".join(self.choices))
        return value


def _never(_: object) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class NotRun:
    """Marks a field that is accepted but that this version does not act upon.

    The mark in the schema is the only record of it: `unused` reads it, and running the field
    one day means removing the mark. `unless` names values that need no action.
    """

    unless: Callable[[Any], bool] = _never

    @property
    def always(self) -> bool:
        """No value of the field is acted upon."""
        return self.unless is _never


class Switch(Protocol):
    @property
    def enabled(self) -> bool: ...


def off(block: Switch) -> bool:
    return not block.enabled


NOT_RUN = NotRun()
NOT_RUN_IF_ON = NotRun(unless=off)
