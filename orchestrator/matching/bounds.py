"""Numbers against the bounds that a policy writes (spec/config.md 1.5, numeric predicate)."""

from __future__ import annotations

import math

from orchestrator.config.decisions import Predicate

HALF = 0.5  # where `scaled` puts a threshold


def satisfies(value: float, bounds: Predicate) -> bool:
    """Every bound that is given holds."""
    return (
        (bounds.gt is None or value > bounds.gt)
        and (bounds.gte is None or value >= bounds.gte)
        and (bounds.lt is None or value < bounds.lt)
        and (bounds.lte is None or value <= bounds.lte)
    )


def certainty(value: float, bounds: Predicate) -> float:
    """How far a value that satisfies its bounds is from the first of gt, gte, lt, lte, as
    sigmoid(4 * distance): 0.5 on the bound, 0.98 one away (spec/signals.md 2.10)."""
    first = next(
        bound for bound in (bounds.gt, bounds.gte, bounds.lt, bounds.lte) if bound is not None
    )
    return 1 / (1 + math.exp(-4 * abs(value - first)))


def scaled(score: float, threshold: float) -> float:
    """Scores of several kinds on one scale: 0 to HALF below the threshold, HALF to 1 from there
    on. What is beyond 0 and 1 counts as these."""
    score = min(1.0, max(0.0, score))
    if score < threshold:
        return HALF * score / threshold
    return HALF + (1 - HALF) * (score - threshold) / (1 - threshold) if threshold < 1 else 1.0
