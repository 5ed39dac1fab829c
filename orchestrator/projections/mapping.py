"""mapping -- bands of a score as named outputs (spec/projections.md 4.3).

`threshold_bands` gives the first output whose bounds all hold, `multi_emit` all of them. The
confidence is a sigmoid of the distance from the score to the nearest of the output's own bounds,
so at least 0.5. Of a score with bounds instead of a value, an output is decided when it comes out
the same over the whole interval (its confidence is then the lowest in it), and else unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from orchestrator.claims import Claim, Interval, Number, Reads
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

SLOPE = 12.0


class Output(Strict):
    name: Name
    """As decisions call it, as {type: projection, name: ...}."""
    lt: float | None = None
    """Below."""
    lte: float | None = None
    """At most."""
    gt: float | None = None
    """Above."""
    gte: float | None = None
    """At least."""

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if not self.bounds:
            raise ValueError("an output needs at least one of lt, lte, gt, gte")
        if None not in (self.gt, self.gte) or None not in (self.lt, self.lte):
            raise ValueError("gt and gte exclude each other, and so do lt and lte")
        return self

    @property
    def bounds(self) -> tuple[float, ...]:
        return tuple(b for b in (self.lt, self.lte, self.gt, self.gte) if b is not None)


class Band(NamedTuple):
    """An Output, resolved once."""

    name: str
    above: float  # holds over this
    least: float  # and from this
    below: float  # and under this
    most: float  # and up to this
    bounds: tuple[float, ...]

    def holds(self, score: float) -> bool:
        return self.above < score < self.below and self.least <= score <= self.most

    def distance(self, score: float) -> float:
        return min([abs(score - bound) for bound in self.bounds])


def _band(output: Output) -> Band:
    return Band(
        output.name,
        -math.inf if output.gt is None else output.gt,
        -math.inf if output.gte is None else output.gte,
        math.inf if output.lt is None else output.lt,
        math.inf if output.lte is None else output.lte,
        output.bounds,
    )


class Calibration(Strict):
    method: Literal["", "sigmoid_distance"] = ""
    """How far a score is from a bound becomes a confidence."""
    slope: float = Field(default=SLOPE, ge=0)
    """How steeply; 0 means the default."""


class MappingRule(Row):
    source: Name
    """The name of a score."""
    method: Literal["", "threshold_bands", "multi_emit"] = ""
    """The first output whose bounds hold, or all of them; empty: the first."""
    calibration: Calibration = Calibration()
    """Confidence of an output."""
    outputs: tuple[Output, ...] = Field(min_length=1)
    """Bands."""

    @model_validator(mode="after")
    def _several_for_several(self) -> Self:
        if self.method == "multi_emit" and len(self.outputs) < 2:
            raise ValueError("multi_emit needs at least two outputs")
        return self


@PROJECTIONS.register("mapping")
class Mapping(Projection[MappingRule]):
    Rule = MappingRule
    section = "mappings"

    def __init__(self, rule: MappingRule, known: Known) -> None:
        super().__init__(rule, known)
        self._slope = rule.calibration.slope or SLOPE
        self._bands = tuple(_band(output) for output in rule.outputs)
        self._several = rule.method == "multi_emit"
        self._bounds = sorted({bound for output in rule.outputs for bound in output.bounds})

    @classmethod
    def needs(cls, rule: MappingRule) -> tuple[tuple[Path, Fact], ...]:
        return ((("source",), (SCORE, rule.source)),)

    @classmethod
    def gives(cls, rule: MappingRule) -> tuple[tuple[Path, Fact], ...]:
        named = enumerate(output.name for output in rule.outputs)
        return tuple((("outputs", i, "name"), (PROJECTION, name)) for i, name in named)

    def claims(self) -> Iterator[tuple[str, Claim]]:
        """The first band that holds is the output's, or each that does."""
        score = Number(
            self.rule.source, whole=False, always=True, label=f"score {self.rule.source}"
        )
        before: list[Interval] = []
        for output in self.rule.outputs:
            band = Interval.of(**output.model_dump(exclude={"name"}))
            outside = () if self._several else tuple(before)
            yield PROJECTION, Reads(output.name, score, band, outside, exact=True)
            before.append(band)

    def apply(self, facts: Facts) -> Facts:
        own = facts.readings.get(PROJECTION, SILENT)
        score = own.values.get(self.rule.source)
        if score is not None:
            matches = {o.name: self._confidence(o, score) for o in self._chosen(score)}
            return extended(facts, PROJECTION, Reading(matches)) if matches else facts
        if f"low:{self.rule.source}" not in own.values:
            return facts
        return extended(facts, PROJECTION, self._between(own))

    def explain(self, facts: Facts) -> dict[str, Any]:
        own = facts.readings.get(PROJECTION, SILENT)
        score = own.values.get(self.rule.source)
        chosen = [band for band in self._bands if band.name in own.matches]
        trace: dict[str, Any] = {
            "mapping_name": self.rule.name,
            "source_score": self.rule.source,
            "score_value": score,
            "outputs": [self._step(band, own, score) for band in self._bands],
        }
        if chosen:
            trace["selected_output"] = chosen[0].name
            trace["confidence"] = own.matches[chosen[0].name]
            if score is not None:
                trace["boundary_distance"] = chosen[0].distance(score)
        return trace

    def _step(self, band: Band, own: Reading, score: float | None) -> dict[str, Any]:
        distance = None if score is None else band.distance(score)
        step = {"name": band.name, "matched": band.name in own.matches}
        if band.name in own.unknown:
            return {**step, "boundary_distance": distance, "unknown": own.unknown[band.name]}
        return {**step, "boundary_distance": distance}

    def _chosen(self, score: float) -> tuple[Band, ...]:
        held = tuple(band for band in self._bands if band.holds(score))
        return held if self._several else held[:1]

    def _confidence(self, band: Band, score: float) -> float:
        return 1.0 / (1.0 + math.exp(-self._slope * band.distance(score)))

    def _between(self, own: Reading) -> Reading:
        source = self.rule.source
        reason = own.unknown.get(f"score:{source}", "unknown")
        ends = own.values[f"low:{source}"], own.values[f"high:{source}"]
        outcomes = [frozenset(self._chosen(score)) for score in self._samples(*self._clip(*ends))]
        always, ever = frozenset.intersection(*outcomes), frozenset.union(*outcomes)
        certain = [band for band in self._bands if band in always]
        return Reading(
            {band.name: min(self._confidence(band, end) for end in ends) for band in certain},
            {f"most:{band.name}": self._most(band, *ends) for band in certain},
            {band.name: reason for band in self._bands if band in ever - always},
        )

    def _most(self, band: Band, low: float, high: float) -> float:
        """The highest confidence in the interval: at an end, or half-way between two bounds."""
        middle = sum(band.bounds) / len(band.bounds)
        return max(
            self._confidence(band, score) for score in (low, high, min(max(middle, low), high))
        )

    def _clip(self, low: float, high: float) -> tuple[float, float]:
        """Beyond the outermost bounds nothing changes any more; infinities end there."""
        least, most = self._bounds[0] - 1.0, self._bounds[-1] + 1.0
        return min(max(low, least), most), max(min(high, most), least)

    def _samples(self, low: float, high: float) -> Iterator[float]:
        """One score for each stretch on which the outcome is constant: exact, not a guess."""
        points = [low, *(bound for bound in self._bounds if low < bound < high), high]
        yield from points
        yield from ((left + right) / 2 for left, right in zip(points, points[1:], strict=False))
