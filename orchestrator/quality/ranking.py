"""A score that should be higher for positives than for negatives, and where to cut it.

`positive` says which of the scores in `risk` belong to positives. A threshold of `recall_at` is
exceeded (>) by what is flagged; one that is configured is reached (>=), which `between` minds.
"""

from __future__ import annotations

import numpy as np

from orchestrator.quality import Numbers, Truths


def auc(risk: Numbers, positive: Truths) -> float:
    """The chance that a positive scores higher than a negative, a tie counting half (Mann and
    Whitney 1947); NaN where there are none of either."""
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        return float("nan")
    _, inverse, counts = np.unique(risk, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[inverse]  # ties share the mean of their ranks, from 1
    above = ranks[positive].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))


def recall_at(risk: Numbers, positive: Truths, rate: float) -> tuple[float, float]:
    """The recall where at most `rate` of the negatives are flagged, and that threshold.

    Raises ValueError without negatives; the recall without positives is NaN.
    """
    negatives = np.sort(risk[~positive])[::-1]
    if not len(negatives):
        raise ValueError("a rate of false alarms needs negatives")
    threshold = float(negatives[min(len(negatives) - 1, int(rate * len(negatives)))])
    return share_above(risk[positive], threshold), threshold


def share_above(risk: Numbers, threshold: float) -> float:
    """The share of scores that exceed the threshold; NaN of nothing."""
    return float((risk > threshold).mean()) if len(risk) else float("nan")


def share_from(risk: Numbers, threshold: float) -> float:
    """The share of scores that reach the threshold; NaN of nothing."""
    return float((risk >= threshold).mean()) if len(risk) else float("nan")


def f1_from(risk: Numbers, positive: Truths, threshold: float, missed: int = 0) -> float:
    """The F1 of flagging what reaches the threshold; 0 where nothing is flagged or positive.
    `missed`: see `best_f1`."""
    flagged = risk >= threshold
    total = int(flagged.sum() + positive.sum()) + missed
    return 2 * int((flagged & positive).sum()) / total if total else 0.0


def best_f1(risk: Numbers, positive: Truths, missed: int = 0) -> tuple[float, float]:
    """The highest F1 that a threshold reaches, and the highest score that does so when it is the
    threshold to reach (>=). `missed` are positives without a score, which no threshold finds.
    Raises ValueError without scores."""
    if not len(risk):
        raise ValueError("no scores, no threshold")
    order = np.argsort(-risk, kind="stable")
    ranked, hits = risk[order], np.cumsum(positive[order])
    flagged = np.arange(1, len(risk) + 1)
    f1 = 2 * hits / (flagged + positive.sum() + missed)
    f1[:-1][ranked[:-1] == ranked[1:]] = -1  # of equal scores none can be left out
    best = int(f1.argmax())
    return float(f1[best]), float(ranked[best])


def between(low: float, high: float) -> float:
    """The number with the fewest decimals that is above `low` and at most `high`: it cuts where
    both scores are next to each other. Raises ValueError where there is no room."""
    if not low < high:
        raise ValueError(f"nothing lies between {low} and {high}")
    for digits in range(2, 16):
        found = round(float(np.floor(high * 10.0**digits)) / 10.0**digits, digits)
        if low < found <= high:
            return found
    return high
