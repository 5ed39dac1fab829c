"""Scores of candidates: brought to one scale, added up, compared. The first wins a tie."""

from __future__ import annotations

import math
from collections.abc import Sequence

EVEN = 0.5  # of values that are all the same
DECIMALS = 12  # sums in another order differ beyond


def normalised(values: Sequence[float | None], *, lower_is_better: bool = False) -> list[float]:
    """Each between the worst (0) and the best (1); 0.5 where all are equal, 0 where not known."""
    known = [value for value in values if value is not None]
    if not known:
        return [0.0] * len(values)
    low, high = min(known), max(known)

    def scaled(value: float | None) -> float:
        if value is None:
            return 0.0
        if high <= low:
            return EVEN
        share = (value - low) / (high - low)
        return 1.0 - share if lower_is_better else share

    return [scaled(value) for value in values]


def softmax(values: Sequence[float], temperature: float = 1.0) -> list[float]:
    """Shares that sum to 1; `temperature` above 0."""
    top = max(values)
    weights = [math.exp((value - top) / temperature) for value in values]
    total = sum(weights)
    return [weight / total for weight in weights]


def best(scores: Sequence[float]) -> int:
    """The position of the highest; of the first among equals."""
    rounded = [round(score, DECIMALS) for score in scores]
    return rounded.index(max(rounded))


def elo_shares(ratings: Sequence[float]) -> list[float]:
    """How likely each is to be the best of them, by Bradley-Terry on Elo's scale."""
    return softmax(ratings, 400 / math.log(10))


def raised(score: float, factor: float) -> float:
    """`score`, better by `factor` (below 1: worse), also where it is negative."""
    return score * factor if score >= 0 else score / factor
