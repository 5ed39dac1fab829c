"""multi_factor -- quality, latency, price and load, weighed (spec/algorithms.md 5.1).

Candidates that break a limit of `slo` are left out; what is not known of a model breaks none. Of
the rest, each factor is brought to 0 (worst) to 1 (best), 0.5 where all are equal, 0 where it is
not known, and added up by weight. Latency is the time per token, of models that have none the time
to the first token. Where every candidate breaks a limit, `on_no_candidates` says who answers;
`fail` refuses the request with 503, while the reference answers from the first after all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from orchestrator.config.fields import Strict
from orchestrator.ranking.scores import best, normalised
from orchestrator.selection import SELECTORS, Contender, Needs, Selector, Surroundings, Values
from orchestrator.standing import Percentiles, Record
from orchestrator.types import Plan

Weight = Annotated[float, Field(ge=0)]
Limit = Annotated[float, Field(ge=0)]  # 0: none, as where it is not given


class Weights(Strict):
    """Shares; what is not given is 0 once another is."""

    quality: Weight = 0
    """Of the card's quality_score."""
    latency: Weight = 0
    """Of the time per token."""
    cost: Weight = 0
    """Of the price of prompts."""
    load: Weight = 0
    """Of the requests under way."""

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        if not (self.quality or self.latency or self.cost or self.load):
            raise ValueError("one of quality, latency, cost and load has to be above 0")
        return self


class Slo(Strict):
    max_tpot_ms: Limit | None = None
    """Time per token; 0: no limit, here and below."""
    max_ttft_ms: Limit | None = None
    """Time to the first token."""
    max_cost_per_1m: Limit | None = None
    """Price of a million prompt tokens."""
    max_inflight: Limit | None = None
    """Requests under way."""


class Settings(Strict):
    weights: Weights = Weights(quality=0.25, latency=0.25, cost=0.25, load=0.25)
    """Shares; what is not given is 0 once another is."""
    slo: Slo = Slo()
    """Candidates beyond a limit are left out."""
    latency_percentile: Annotated[float, Field(ge=1, le=100)] = 95
    """Of both times."""
    on_no_candidates: Literal["cheapest", "first", "fail"] = "cheapest"
    """Who answers where all are left out; fail: 503."""


@SELECTORS.register("multi_factor")
class MultiFactor(Selector[Settings]):
    Settings = Settings

    def prepare(self, surroundings: Surroundings) -> None:
        percentile = self.settings.latency_percentile
        self.needs = Needs(standing=Percentiles(ttft=percentile, tpot=percentile))
        prices = [float("inf") if one.price is None else one.price for one in self.contenders]
        self._cheapest = prices.index(min(prices))

    def choose(self, values: Values) -> Plan:
        records = self.records(values)
        left = [
            at
            for at, (one, record) in enumerate(zip(self.contenders, records, strict=True))
            if not _breaks(self.settings.slo, one, record)
        ]
        if not left:
            return self._nobody()
        found = self._weighed(left, records)
        scores: list[float | None] = [None] * len(self.contenders)
        for at, score in zip(left, found, strict=True):
            scores[at] = score
        position = left[best(found)]
        out = len(self.contenders) - len(left)
        reason = f"best of {len(left)}, score {max(found):.3f}"
        if out:
            reason += f"; {out} left out by slo"
        return self.picked(position, reason, scores, _confidence(found))

    def _weighed(self, left: Sequence[int], records: Sequence[Record]) -> list[float]:
        weights = self.settings.weights
        rest = [(self.contenders[at], records[at]) for at in left]
        latencies = [r.ttft if r.tpot is None else r.tpot for _, r in rest]
        factors = (
            (weights.quality, normalised([one.quality for one, _ in rest])),
            (weights.latency, normalised(latencies, lower_is_better=True)),
            (weights.cost, normalised([one.price for one, _ in rest], lower_is_better=True)),
            (weights.load, normalised([r.inflight for _, r in rest], lower_is_better=True)),
        )
        total = sum(weight for weight, _ in factors)
        columns = zip(*(values for _, values in factors), strict=True)
        shares = [weight / total for weight, _ in factors]
        return [sum(s * v for s, v in zip(shares, column, strict=True)) for column in columns]

    def _nobody(self) -> Plan:
        why, choice = "every candidate breaks the slo", self.settings.on_no_candidates
        if choice == "fail":
            return Plan(self.contenders[0].candidate, self.method, "failed", why)
        if choice == "first":
            return self.picked(0, f"{why}: the first candidate")
        return self.picked(self._cheapest, f"{why}: the cheapest candidate")


def _breaks(slo: Slo, contender: Contender, record: Record) -> bool:
    limits = (
        (slo.max_tpot_ms, None if record.tpot is None else record.tpot * 1000),
        (slo.max_ttft_ms, None if record.ttft is None else record.ttft * 1000),
        (slo.max_cost_per_1m, contender.price),
        (slo.max_inflight, record.inflight),
    )
    return any(limit and value is not None and value > limit for limit, value in limits)


def _confidence(scores: Sequence[float]) -> float:
    if len(scores) == 1:
        return 1.0
    first, second, *_ = sorted(scores, reverse=True)
    return min(1.0, (first - second) / first + 0.5) if first > 0 else 0.5
