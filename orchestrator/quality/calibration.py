"""Do things come true as often as their probability says."""

from __future__ import annotations

import numpy as np

from orchestrator.quality import Ints, Numbers, Truths

BINS = 15  # Guo et al. 2017


def calibration_error(probabilities: Numbers, targets: Ints) -> float:
    """Expected calibration error of the top label, 0 to 1. `probabilities` are [texts, labels]."""
    if not len(targets):
        return float("nan")
    return binned_error(probabilities.max(1), probabilities.argmax(1) == targets)


def binned_error(confidence: Numbers, right: Truths) -> float:
    """The gap between confidence and truth, over 15 bins of equal width, by the share that each
    holds; NaN of nothing."""
    if not len(right):
        return float("nan")
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        abs(confidence[bins == at].mean() - right[bins == at].mean()) * (bins == at).mean()
        for at in range(BINS)
        if (bins == at).any()
    ]
    return float(sum(gaps))
