"""Figures of a trained task: temperature, accuracy, F1, calibration, spans."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from build_engines.data import Span

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

BINS = 15  # of the expected calibration error (Guo et al. 2017)


def temperature(logits: Floats, targets: Ints) -> float:
    """What to divide logits by so that probabilities fit the targets best (Guo et al. 2017)."""
    found, wanted = torch.from_numpy(logits), torch.from_numpy(targets)
    log = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([log], max_iter=50, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        value = torch.nn.functional.cross_entropy(found / log.exp(), wanted)
        value.backward()
        return value

    optimizer.step(closure)
    return round(float(log.exp().detach()), 3)


def calibration_error(probabilities: Floats, targets: Ints) -> float:
    """Expected calibration error of the top label, over bins of equal width."""
    confidence, right = probabilities.max(1), probabilities.argmax(1) == targets
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        abs(confidence[bins == at].mean() - right[bins == at].mean()) * (bins == at).mean()
        for at in range(BINS)
        if (bins == at).any()
    ]
    return float(sum(gaps))


def macro_f1(found: Ints, wanted: Ints, classes: int) -> float:
    """The mean F1 of the classes that occur."""
    scores = []
    for label in range(classes):
        hits = ((found == label) & (wanted == label)).sum()
        total = (found == label).sum() + (wanted == label).sum()
        if (wanted == label).any():
            scores.append(2 * hits / total if total else 0.0)
    return float(np.mean(scores))


def recall_at(risk: Floats, positive: npt.NDArray[np.bool_], rate: float) -> tuple[float, float]:
    """The recall where at most `rate` of the negatives are flagged, and that threshold."""
    negatives = np.sort(risk[~positive])[::-1]
    threshold = float(negatives[min(len(negatives) - 1, int(rate * len(negatives)))])
    return float((risk[positive] > threshold).mean()), threshold


def span_f1(
    found: Sequence[Sequence[Span]], wanted: Sequence[Sequence[Span]]
) -> tuple[float, float, float]:
    """Precision, recall and F1 of whole spans: start, stop and label must agree."""
    hits = sum(len(set(f) & set(w)) for f, w in zip(found, wanted, strict=True))
    precision = hits / max(1, sum(map(len, found)))
    recall = hits / max(1, sum(map(len, wanted)))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)
