"""JSONL files of what each model did with a request, checked line by line.

A line: {"query": "...", "model": "...", "quality": 0.8, "latency": 1.7}; quality between 0 and 1,
latency in seconds for the whole answer, 0 where it is not given.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from orchestrator.errors import ConfigError, Problem
from orchestrator.ranking.features import Feature
from orchestrator.ranking.merit import HALF_SPEED, QUALITY, SPEED

SHAPE = '{"query": "...", "model": "...", "quality": 0.8, "latency": 1.7}'


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    query: str = Field(min_length=1)
    model: str = Field(min_length=1)
    quality: float = Field(ge=0, le=1)
    latency: float = Field(default=0.0, ge=0)


@dataclass(frozen=True, slots=True)
class Outcome:
    query: str
    model: str
    quality: float
    latency: float  # seconds

    @property
    def score(self) -> float:
        """Quality, and a little of speed, between 0 and 1."""
        return QUALITY * self.quality + SPEED / (1 + self.latency / HALF_SPEED)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One request: its feature, and what the models did with it."""

    query: str
    feature: Feature
    outcomes: tuple[Outcome, ...]

    def scores(self) -> dict[str, float]:
        """Model -> its mean score here, in the order of names."""
        return _means((one.model, one.score) for one in self.outcomes)

    def qualities(self) -> dict[str, float]:
        return _means((one.model, one.quality) for one in self.outcomes)

    @property
    def best(self) -> str:
        """The model that did best; the first by name among equals."""
        scores = self.scores()
        return max(scores, key=scores.__getitem__)


def read(paths: Sequence[Path]) -> list[Outcome]:
    """Raises ConfigError with everything that is wrong with any line, and how many are of each
    file.
    """
    outcomes: list[Outcome] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            lines = path.read_bytes().removeprefix(BOM_UTF8).split(b"\n")
        except OSError as error:
            problems.append(Problem("", f"cannot be read: {error.strerror}", file=str(path)))
            continue
        found = [_outcome(raw, at, path) for at, raw in enumerate(lines, 1) if raw.strip()]
        wrong = [one for one in found if isinstance(one, Problem)]
        outcomes += [one for one in found if isinstance(one, Outcome)]
        problems += wrong
        if wrong:
            said = f"{len(wrong)} of {len(found)} lines cannot be used"
            problems.append(Problem("", said, file=str(path), hint=f"a line is {SHAPE}"))
    if not outcomes and not problems:
        problems.append(Problem("", "there is not one outcome", file=", ".join(map(str, paths))))
    if problems:
        raise ConfigError("the outcomes cannot be used", tuple(problems))
    return outcomes


def _outcome(raw: bytes, number: int, path: Path) -> Outcome | Problem:
    """One line, or everything that is wrong with it."""
    try:
        line = _Line.model_validate_json(raw)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)
        return Problem("", "; ".join(map(_said, wrong)), number, str(path))
    return Outcome(line.query, line.model, line.quality, line.latency)


def _said(wrong: ErrorDetails) -> str:
    """Not where in the line JSON ends: the parser counts lines of its own."""
    if wrong["type"] == "json_invalid":
        return "not JSON"
    at = ".".join(map(str, wrong["loc"]))
    return f"{at}: {wrong['msg']}" if at else wrong["msg"]


def lessons(outcomes: Sequence[Outcome], features: Mapping[str, Feature]) -> list[Lesson]:
    """One for each query, in the order in which they come; `features` by query."""
    by_query: dict[str, list[Outcome]] = {}
    for one in outcomes:
        by_query.setdefault(one.query, []).append(one)
    return [Lesson(query, features[query], tuple(some)) for query, some in by_query.items()]


def _means(pairs: Iterator[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for model, value in pairs:
        found.setdefault(model, []).append(value)
    return {model: sum(found[model]) / len(found[model]) for model in sorted(found)}
