"""What a model is worth for its price, as automix reckons (spec/algorithms.md 5.1).

After Madaan et al., AutoMix (arXiv 2310.12963). The paper's second call, to a larger model where
the first answer does not verify, is not made here, so no value of it is counted.
"""

from __future__ import annotations

from pydantic import BaseModel

from orchestrator.config.fields import Unit
from orchestrator.ranking.scores import raised

DEAR = 10.0  # per million prompt tokens: a penalty of the whole trade-off
TRUSTED = 1.1  # factor for a model whose answers verify


class Worth(BaseModel):
    """Settings of automix that count wherever quality is weighed against the price."""

    verification_threshold: Unit = 0.7
    """Share of verified answers from which on a model counts more."""
    cost_aware_routing: bool = True
    """Weighs prices."""
    cost_quality_tradeoff: Unit = 0.3
    """How much a price counts against quality."""


def worth(quality: float, price: float | None, tradeoff: float) -> float:
    """Quality less the price as a share of DEAR, weighted by `tradeoff`; no price is no penalty."""
    return quality - (price or 0.0) / DEAR * tradeoff


def for_the_price(
    value: float, price: float | None, cost_weight: float, verified: float, threshold: float
) -> float:
    """`value`, worth less the dearer the model is, and more where its answers verify."""
    discounted = raised(value, 1 / (1 + (price or 0.0) * cost_weight))
    return raised(discounted, TRUSTED) if verified >= threshold else discounted
