"""latency_aware -- the candidate that has been quickest (spec/algorithms.md 5.1).

Time to the first token (streams) and time per token, each at its percentile over the last 1,000
answers, as multiples of the lowest among the candidates; the mean of both, and the lowest wins.
A metric that no candidate has counts for none; a candidate without one that others have is left
out; with no data at all, the first answers. Scores are those means: lower is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from orchestrator.config.fields import Strict
from orchestrator.ranking.scores import best
from orchestrator.selection import SELECTORS, Needs, Selector, Surroundings, Values
from orchestrator.standing import Percentiles
from orchestrator.types import Plan

Percentile = Annotated[float, Field(ge=1, le=100)]


class Settings(Strict):
    tpot_percentile: Percentile | None = None
    """Of the time per token; this or the next one is needed."""
    ttft_percentile: Percentile | None = None
    """Of the time to the first token."""
    description: str | None = None
    """For people."""

    @model_validator(mode="after")
    def _one_at_least(self) -> Self:
        if self.tpot_percentile is None and self.ttft_percentile is None:
            raise ValueError("needs tpot_percentile, ttft_percentile or both")
        return self


@SELECTORS.register("latency_aware")
class LatencyAware(Selector[Settings]):
    Settings = Settings

    def prepare(self, surroundings: Surroundings) -> None:
        self.needs = Needs(
            standing=Percentiles(
                ttft=self.settings.ttft_percentile, tpot=self.settings.tpot_percentile
            )
        )

    def choose(self, values: Values) -> Plan:
        records = self.records(values)
        columns = [[record.tpot for record in records], [record.ttft for record in records]]
        known = [_multiples(column) for column in columns if any(v is not None for v in column)]
        scores = [_mean(row) for row in zip(*known, strict=True)] if known else []
        measured = [(score, at) for at, score in enumerate(scores) if score is not None]
        if not measured:
            return self.first("no latencies yet")
        position = measured[best([-score for score, _ in measured])][1]
        lowest, *others = sorted(score for score, _ in measured)
        confidence = (others[0] - lowest) / others[0] if others else 1.0
        left_out = len(self.contenders) - len(measured)
        unknown = f"; {left_out} without data left out" if left_out else ""
        reason = f"lowest latency, {lowest:.2f} times the best of each metric{unknown}"
        return self.picked(position, reason, scores, confidence)


def _multiples(column: Sequence[float | None]) -> list[float | None]:
    """Of the lowest; where that is 0, all that are 0 are equal and the others far behind."""
    lowest = max(min(value for value in column if value is not None), 1e-9)
    return [None if value is None else max(value, 1e-9) / lowest for value in column]


def _mean(row: Sequence[float | None]) -> float | None:
    values = [value for value in row if value is not None]
    return sum(values) / len(values) if len(values) == len(row) else None
