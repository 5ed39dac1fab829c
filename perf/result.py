"""What perf.bench has written, read and checked.

Ranges are of the rounds' own figures. Results of one round, or without ranges, show no noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

Range = tuple[float, float]  # least and most
# Not a number where all requests of a round failed.
Figure = Annotated[float, BeforeValidator(lambda found: math.nan if found is None else found)]


class Unreadable(Exception):
    """A file that is no result; the message names it and says why."""


class Row(BaseModel):
    """One cell: an input, a load and an arm."""

    model_config = ConfigDict(frozen=True)

    input: str
    load: str
    arm: str
    rate: float = Field(alias="requests/s")
    rate_range: Range = Field(alias="requests/s, least and most")
    p50: Figure = Field(alias="p50 ms")
    p50_range: Range | None = Field(None, alias="p50 ms, least and most")
    p95: Figure = Field(alias="p95 ms")
    p95_range: Range | None = Field(None, alias="p95 ms, least and most")
    cpu: float = Field(alias="CPU ms")
    cpu_range: Range | None = Field(None, alias="CPU ms, least and most")
    failures: int
    why: str = Field("", alias="failed with")
    batch: float | None = None
    first: float | None = Field(None, alias="first byte p50 ms")
    floor: Mapping[str, Figure] = Field({}, alias="to the floor")  # requests/s, p50, CPU
    floor_range: Mapping[str, Range] = Field({}, alias="to the floor, least and most")

    @property
    def cell(self) -> tuple[str, str, str]:
        return self.input, self.load, self.arm


class Result(BaseModel):
    """One scenario, measured."""

    model_config = ConfigDict(frozen=True)

    about: str
    date: str
    commit: str
    machine: str
    load_before: float = Field(alias="load average before")
    rounds: int = Field(ge=1)
    asked_by: Mapping[str, str] = Field(alias="asked by")
    absent: Mapping[str, str]  # arm -> why it could not run
    rows: tuple[Row, ...] = Field(min_length=1)

    def of(self, name: str) -> tuple[Row, ...]:
        """The rows of an input."""
        return tuple(row for row in self.rows if row.input == name)


def names(rows: Sequence[Row], what: Literal["input", "load", "arm"]) -> list[str]:
    """The inputs, loads or arms of rows, each once, in the order of the rows."""
    at = ("input", "load", "arm").index(what)
    return list(dict.fromkeys(row.cell[at] for row in rows))


def read(path: Path) -> Result:
    """Raises Unreadable."""
    try:
        return Result.model_validate_json(path.read_bytes())
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
    except ValidationError as error:
        first: Any = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise Unreadable(
            f"{path}: no result of perf.bench: {place + ': ' if place else ''}{first['msg']}"
        ) from error
