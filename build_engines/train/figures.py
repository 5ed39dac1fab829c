"""The temperature of a trained task; how good its answers are is told by `orchestrator.quality`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


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
