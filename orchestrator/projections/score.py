"""score -- a weighted sum of what signals and other projections say (spec/projections.md 4.2).

An input that is unknown contributes anything between its extremes: match and miss, 0 and 1 for a
confidence, any number for a raw value, -1 and 1 for a metric of a knowledge base. The sum then has
bounds instead of a value; a mapping decides what it can from the bounds. An input whose family was
not evaluated counts as not matched.

Unlike the reference router, inputs from any family are accepted, its classifiers (as
`name:label`) and metadata too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from orchestrator.claims import UNIT, Interval
from orchestrator.config.document import Path
from orchestrator.config.fields import Name, Strict
from orchestrator.projections import (
    PROJECTION,
    PROJECTIONS,
    SCORE,
    SILENT,
    Fact,
    Known,
    Projection,
    Row,
    extended,
)
from orchestrator.types import Facts, Reading

KB_METRIC = "kb_metric"  # read from the family's values, keyed `<kb>:<metric>`
METRICS = Interval(-2.0, 2.0)  # a score of a base, or a margin of two
KB = KB_METRIC.removesuffix("_metric")


class Input(Strict):
    """One summand; `name` for rules and projections, `kb` and `metric` for a kb_metric."""

    type: Name
    """A signal family, projection or kb_metric."""
    name: Name | None = None
    """Of a rule, a score or an output."""
    kb: Name | None = None
    """For kb_metric."""
    metric: Name | None = None
    """For kb_metric: of that base, or best_score or best_matched_score."""
    weight: float = 0.0
    """Factor."""
    value_source: Literal["", "binary", "confidence", "raw", "score"] = ""
    """What of it counts; empty: binary, or score where there is one."""
    match: float = 0.0
    """For binary, where it matched; 0 means 1."""
    miss: float = 0.0
    """For binary, where it did not."""

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        if self.type == KB_METRIC:
            if self.kb is None or self.metric is None or self.name is not None:
                raise ValueError("a kb_metric has kb and metric, and no name")
            self._allow("score")
        elif self.name is None or self.kb is not None or self.metric is not None:
            raise ValueError("an input has a name; kb and metric are for kb_metric only")
        elif self.type == PROJECTION:
            self._allow("score", "confidence")
        else:
            self._allow("binary", "confidence", "raw")
        return self

    def _allow(self, *sources: str) -> None:
        if self.value_source not in ("", *sources):
            choice = " or ".join(sources)
            raise ValueError(f"the value_source of a {self.type} input must be {choice}")

    @property
    def source(self) -> str:
        """`binary` where nothing else is said, `score` for what has one."""
        if self.value_source:
            return self.value_source
        return "score" if self.type in (KB_METRIC, PROJECTION) else "binary"

    @property
    def key(self) -> str:
        return f"{self.kb}:{self.metric}" if self.type == KB_METRIC else self.name or ""


class ScoreRule(Row):
    method: Literal["weighted_sum"] = "weighted_sum"
    """How inputs are added up."""
    inputs: tuple[Input, ...] = Field(min_length=1)
    """Summands."""


class Span(NamedTuple):
    """Bounds of a number that is unknown, and why it is."""

    low: float
    high: float
    reason: str

    def times(self, weight: float) -> Span:
        if weight == 0:
            return Span(0.0, 0.0, self.reason)  # an infinity times 0 is no number
        ends = (self.low * weight, self.high * weight)
        return Span(min(ends), max(ends), self.reason)


Value = Callable[[Mapping[str, Reading]], float | Span]  # readings by family -> an input, now


@PROJECTIONS.register("score")
class Score(Projection[ScoreRule]):
    Rule = ScoreRule
    section = "scores"

    def __init__(self, rule: ScoreRule, known: Known) -> None:
        super().__init__(rule, known)
        self._families = frozenset(_family(i) for i in rule.inputs if i.type != PROJECTION)
        self._terms = tuple((_value(item), item.weight) for item in rule.inputs)

    @classmethod
    def needs(cls, rule: ScoreRule) -> tuple[tuple[Path, Fact], ...]:
        named = [(("inputs", n, "name"), item) for n, item in enumerate(rule.inputs) if item.name]
        return tuple((path, (_kind(item), item.key)) for path, item in named)

    @classmethod
    def gives(cls, rule: ScoreRule) -> tuple[tuple[Path, Fact], ...]:
        return ((("name",), (SCORE, rule.name)),)

    @classmethod
    def uses(cls, rule: ScoreRule, known: Known) -> frozenset[Fact]:
        """A metric may come from any rule of its family."""
        metric = any(item.type == KB_METRIC for item in rule.inputs)
        rules = known.names.get(KB, ()) if metric else ()
        return super().uses(rule, known) | {(KB, name) for name in rules}

    @property
    def families(self) -> frozenset[str]:
        return self._families

    def span(
        self, spans: Mapping[Fact, Interval], silent: Collection[Fact] = ()
    ) -> Mapping[Fact, Interval]:
        total = Interval(0.0, 0.0)
        for item in self.rule.inputs:
            total = total.plus(_span(item, spans, silent).times(item.weight))
        rounding = (abs(total.low) + abs(total.high)) * 1e-9
        if math.isfinite(rounding):
            total = total.plus(Interval(-rounding, rounding))
        return {(SCORE, self.rule.name): total}

    def apply(self, facts: Facts) -> Facts:
        readings = facts.readings
        known = 0.0
        spans: list[Span] = []
        for value, weight in self._terms:
            now = value(readings)
            if isinstance(now, Span):
                spans.append(now.times(weight))
            else:
                known += now * weight
        name = self.rule.name
        low, high = (known + sum(ends) for ends in _ends(spans))
        if low == high:
            return extended(facts, PROJECTION, Reading(values={name: low}))
        bounds = {f"low:{name}": low, f"high:{name}": high}
        why = {f"score:{name}": next(span.reason for span in spans if span.low != span.high)}
        return extended(facts, PROJECTION, Reading(values=bounds, unknown=why))

    def explain(self, facts: Facts) -> dict[str, Any]:
        own = facts.readings.get(PROJECTION, SILENT)
        trace: dict[str, Any] = {
            "name": self.rule.name,
            "total": own.values.get(self.rule.name),
            "inputs": [
                self._part(item, value, facts)
                for item, (value, _) in zip(self.rule.inputs, self._terms, strict=True)
            ],
        }
        reason = own.unknown.get(f"score:{self.rule.name}")
        if reason is not None:
            bounds = [own.values.get(f"{end}:{self.rule.name}", 0.0) for end in ("low", "high")]
            trace["unknown"] = reason
            trace["bounds"] = [bound if math.isfinite(bound) else None for bound in bounds]
        return trace

    def _part(self, item: Input, value: Value, facts: Facts) -> dict[str, Any]:
        named = {"type": item.type, "name": item.name, "kb": item.kb, "metric": item.metric}
        part: dict[str, Any] = {key: text for key, text in named.items() if text is not None}
        part["weight"] = item.weight
        now = value(facts.readings)
        if isinstance(now, Span):
            return {**part, "value": None, "contribution": None, "unknown": now.reason}
        return {**part, "value": now, "contribution": now * item.weight}


def _kind(item: Input) -> str:
    return SCORE if item.type == PROJECTION and item.source == "score" else item.type


def _family(item: Input) -> str:
    return KB if item.type == KB_METRIC else item.type


def _ends(spans: Sequence[Span]) -> tuple[list[float], list[float]]:
    return [span.low for span in spans], [span.high for span in spans]


def _span(item: Input, spans: Mapping[Fact, Interval], silent: Collection[Fact]) -> Interval:
    """Where an input lies, matched or not; without a reading it counts 0."""
    family, key = _family(item), item.key
    match item.source:
        case "binary":
            miss = Interval(item.miss, item.miss)
            return miss if (family, key) in silent else miss.with_(item.match or 1.0)
        case "confidence":
            return Interval(0.0, 0.0) if (family, key) in silent else UNIT
        case "raw":
            return spans.get((family, key), Interval()).with_(0.0)
        case _:
            unbounded = METRICS if item.type == KB_METRIC else Interval()
            return spans.get((SCORE, key), unbounded).with_(0.0)


def _value(item: Input) -> Value:
    """The reader of one input, resolved once."""
    if item.source == "score":
        return _metric(item) if item.type == KB_METRIC else _score(item)
    return {"binary": _binary, "confidence": _graded, "raw": _raw}[item.source](item)


def _binary(item: Input) -> Value:
    family, key, hit, miss = _family(item), item.key, item.match or 1.0, item.miss
    low, high = sorted((hit, miss))

    def value(readings: Mapping[str, Reading]) -> float | Span:
        reading = readings.get(family, SILENT)
        if key in reading.matches:
            return hit
        return Span(low, high, reading.unknown[key]) if key in reading.unknown else miss

    return value


def _graded(item: Input) -> Value:
    family, key, most = _family(item), item.key, f"most:{item.key}"
    bounded = family == PROJECTION

    def value(readings: Mapping[str, Reading]) -> float | Span:
        reading = readings.get(family, SILENT)
        if key in reading.matches:
            least = reading.matches[key] or 1.0
            if bounded and most in reading.values:
                return Span(least, reading.values[most], next(iter(reading.unknown.values())))
            return least
        return Span(0.0, 1.0, reading.unknown[key]) if key in reading.unknown else 0.0

    return value


def _raw(item: Input) -> Value:
    """A leaf `rule:level` without a value of its own has its rule's, as those of complexity."""
    family, key, rule = _family(item), item.key, item.key.partition(":")[0]

    def value(readings: Mapping[str, Reading]) -> float | Span:
        reading = readings.get(family, SILENT)
        if (found := reading.values.get(key, reading.values.get(rule))) is not None:
            return found
        return Span(-math.inf, math.inf, reading.unknown[key]) if key in reading.unknown else 0.0

    return value


def _score(item: Input) -> Value:
    key, low, high, why = item.key, f"low:{item.key}", f"high:{item.key}", f"score:{item.key}"

    def value(readings: Mapping[str, Reading]) -> float | Span:
        reading = readings[PROJECTION]  # a score applies after the scores that it needs
        if key in reading.values:
            return reading.values[key]
        return Span(reading.values[low], reading.values[high], reading.unknown[why])

    return value


def _metric(item: Input) -> Value:
    family, key = _family(item), item.key

    def value(readings: Mapping[str, Reading]) -> float | Span:
        reading = readings.get(family, SILENT)
        if key in reading.values or not reading.unknown:
            return reading.values.get(key, 0.0)
        return Span(-1.0, 1.0, next(iter(reading.unknown.values())))

    return value
