"""automix -- the best quality for its price (spec/algorithms.md 5.1).

One model is chosen beforehand: nothing is verified, and nothing escalated, in the path of a
request, in the reference neither. Quality and the share of verified answers begin at the card's
`quality_score` (else 0.8) and 0.7; nothing feeds outcomes yet, so they stay there. Equal
candidates: the cheaper one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from orchestrator.config.fields import NOT_RUN, Count, Strict, Unit
from orchestrator.config.problems import Finding
from orchestrator.ranking.scores import best
from orchestrator.ranking.worth import Worth, for_the_price, worth
from orchestrator.selection import SELECTORS, Contender, Needs, Selector, Surroundings, Values
from orchestrator.standing import Percentiles
from orchestrator.types import Plan

COST_WEIGHT = 0.5  # where the policy does not give a trade-off


class Settings(Worth, Strict):
    max_escalations: Annotated[Count, NOT_RUN] = 2
    """To larger models."""
    discount_factor: Annotated[Unit, NOT_RUN] = 0.95
    """Of later steps."""
    use_logprob_verification: Annotated[bool, NOT_RUN] = True
    """Verifies by the model's own sureness."""
    enable_self_verification: Annotated[bool, NOT_RUN] = False
    """Verifies by asking the model again."""
    verifier_server_url: Annotated[str | None, NOT_RUN] = None
    """Verifies by a service."""
    verification_samples: Annotated[Count, NOT_RUN] = 5
    """Asked of it."""
    verification_temperature: Annotated[float, Field(ge=0), NOT_RUN] = 0.7
    """Of these."""
    use_pomdp_router: Annotated[bool, NOT_RUN] = True
    """Plans several steps."""
    belief_particles: Annotated[Count, NOT_RUN] = 100
    """Of the plan."""
    cost_lambda: Annotated[float, Field(ge=0), NOT_RUN] = 0.5
    """Price of a step."""
    enable_cascade: Annotated[bool, NOT_RUN] = False
    """Asks a larger model where an answer does not verify."""


@SELECTORS.register("automix")
class Automix(Selector[Settings]):
    Settings = Settings
    needs = Needs(standing=Percentiles())

    def prepare(self, surroundings: Surroundings) -> None:
        given = "cost_quality_tradeoff" in self.settings.model_fields_set
        self._cost_weight = self.settings.cost_quality_tradeoff if given else COST_WEIGHT
        prices = [one.price or 0.0 for one in self.contenders]
        self._cheapest_first = sorted(range(len(prices)), key=prices.__getitem__)

    @classmethod
    def check(
        cls, contenders: Sequence[Contender], settings: BaseModel | None, around: Surroundings
    ) -> Iterator[Finding]:
        if all(one.quality is None for one in contenders):
            said = "no candidate has a quality_score: all count as 0.8, and the price decides"
            yield Finding((), said, "give one in routing.modelCards", "warning")

    def choose(self, values: Values) -> Plan:
        aware, records = self.settings.cost_aware_routing, self.records(values)
        scores = []
        for one, record in zip(self.contenders, records, strict=True):
            score = worth(record.quality, one.price, self.settings.cost_quality_tradeoff * aware)
            if aware:
                score = for_the_price(
                    score,
                    one.price,
                    self._cost_weight,
                    record.verified,
                    self.settings.verification_threshold,
                )
            scores.append(score)
        order = self._cheapest_first
        position = order[best([scores[at] for at in order])]
        what = "quality for its price" if aware else "quality"
        return self.picked(
            position, f"best {what}, {scores[position]:.3f}", scores, records[position].verified
        )
