"""hybrid -- experience, likeness and value for the price, weighed (spec/algorithms.md 5.1).

After Ding et al., Hybrid LLM (arXiv 2404.14618). Experience is the chance of each candidate to be
the best by its Elo rating; likeness and value are those of router_dc and automix with their
settings of `global.router.model_selection`, the first without its minimum. Each is brought to 0 to
1, weighed over the components that are there, and raised for cheaper models. Without an embedding
the other two decide, and the reason says so. Nothing feeds outcomes yet, so ratings stay at their
start and all candidates have the same experience.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Self

from pydantic import BaseModel, model_validator

from orchestrator.config.fields import NOT_RUN, Strict, Unit
from orchestrator.config.problems import Finding
from orchestrator.ranking.likeness import Likeness, cosines_of, model_text
from orchestrator.ranking.scores import best, elo_shares, normalised, raised, softmax
from orchestrator.ranking.worth import Worth, worth
from orchestrator.selection import SELECTORS, Contender, Needs, Selector, Surroundings, Values
from orchestrator.standing import Percentiles
from orchestrator.types import Plan

COST_WEIGHT = 0.5  # of the request, where the decision does not give one of its own
Component = tuple[str, float, list[float], float]  # name, weight, scores, confidence


class Settings(Strict):
    experience_weight: Unit = 0.3
    """Of the chance to be the best by Elo rating."""
    router_dc_weight: Unit = 0.3
    """Of the likeness with the description."""
    automix_weight: Unit = 0.2
    """Of quality for the price."""
    cost_weight: Unit = 0.2
    """How much cheaper models are raised."""
    quality_gap_threshold: Annotated[Unit, NOT_RUN] = 0.1
    """Below which the cheaper one is taken."""
    normalize_scores: bool = True
    """Brings each part to 0 to 1 first."""
    use_mlp: Annotated[bool, NOT_RUN] = False
    """Adds a trained network."""

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        if not (self.experience_weight or self.router_dc_weight or self.automix_weight):
            raise ValueError(
                "one of experience_weight, router_dc_weight and automix_weight has to be above 0"
            )
        return self


@SELECTORS.register("hybrid")
class Hybrid(Selector[Settings]):
    Settings = Settings
    embeds = True

    def prepare(self, surroundings: Surroundings) -> None:
        defaults = surroundings.defaults
        self._likeness = Likeness.model_validate(defaults.get("router_dc", {}))
        self._worth = Worth.model_validate(defaults.get("automix", {}))
        given = "cost_weight" in self.settings.model_fields_set
        self._cost = self.settings.cost_weight * (
            self.settings.cost_weight if given else COST_WEIGHT
        )
        self._texts = [
            model_text(one.description, one.capabilities, self._likeness.use_capabilities)
            for one in self.contenders
        ]
        described = tuple(dict.fromkeys(text for text in self._texts if text))
        compares = self.settings.router_dc_weight > 0
        self.needs = Needs(texts=described if compares else (), standing=Percentiles())

    @classmethod
    def check(
        cls, contenders: Sequence[Contender], settings: BaseModel | None, around: Surroundings
    ) -> Iterator[Finding]:
        assert isinstance(settings, Settings)
        if settings.router_dc_weight and not any(one.description for one in contenders):
            said = "no candidate has a description: router_dc_weight counts for nothing"
            yield Finding(("hybrid",), said, "describe them in routing.modelCards", "warning")

    def choose(self, values: Values) -> Plan:
        found = [part for part in self._components(values) if part[1] > 0]
        if not found:
            return self.first(f"the request could not be embedded ({values.unread or 'not asked'})")
        total = sum(weight for _, weight, _, _ in found)
        scores = [0.0] * len(self.contenders)
        for _, weight, own, _ in found:
            scaled = normalised(own) if self.settings.normalize_scores else own
            scores = [sum_ + weight / total * one for sum_, one in zip(scores, scaled, strict=True)]
        scores = self._cheaper_is_better(scores)
        position = best(scores)
        agree = sum(best(own) == position for _, _, own, _ in found) / len(found)
        sure = sum(confidence for *_, confidence in found) / len(found)
        names = ", ".join(name for name, *_ in found)
        missing = f"; no likeness ({values.unread})" if values.unread and self.needs.texts else ""
        reason = f"best of {names}: {scores[position]:.3f}{missing}"
        return self.picked(position, reason, scores, (agree + sure) / 2)

    def _components(self, values: Values) -> Iterator[Component]:
        records = self.records(values)
        shares = elo_shares([record.rating for record in records])
        yield "experience", self.settings.experience_weight, shares, max(shares)
        cosines = cosines_of(self._texts, values.cosines, 0.0) if self.needs.texts else None
        if cosines is not None:
            like = softmax(cosines, self._likeness.temperature)
            confidence = min(max(*cosines, 0.0), 1.0)
            yield "likeness", self.settings.router_dc_weight, like, confidence
        worths = []
        for one, record in zip(self.contenders, records, strict=True):
            aware = self._worth.cost_aware_routing
            worths.append(
                worth(record.quality, one.price, self._worth.cost_quality_tradeoff * aware)
            )
        verified = records[best(worths)].verified
        yield "value", self.settings.automix_weight, worths, verified

    def _cheaper_is_better(self, scores: list[float]) -> list[float]:
        prices = [one.price for one in self.contenders]
        known = {price for price in prices if price is not None}
        if len(known) < 2:
            return scores
        cheap = normalised(prices, lower_is_better=True)
        return [
            score if price is None else raised(score, 1 + share * self._cost)
            for score, price, share in zip(scores, prices, cheap, strict=True)
        ]
