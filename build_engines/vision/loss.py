"""Fitting the projection and KNOWN to features: both small networks of `light.Projection`.

The projection: the sigmoid loss over all pairs of a picture and a wording (Zhai et al. 2023,
https://arxiv.org/abs/2303.15343), scale and bias learnt. KNOWN: binary cross-entropy. The text
tower stays as it is. Everything is seeded: the same rows give the same tensors on the same machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from rich.progress import track

from build_engines.vision.light import Projection

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Plan:
    """How both are fitted; chosen by the validation split (the card says what was tried)."""

    epochs: int = 12
    batch: int = 256
    rate: float = 1e-3
    decay: float = 0.05
    dropout: float = 0.2  # of features
    noise: float = 0.2  # added to standardised features
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pictures by row, wordings by column."""

    features: Floats  # [n, 3920]
    texts: Floats  # [m, 384], of length 1
    signs: Floats  # [n, m]: 1 where the wording fits the picture, -1 where not, 0 where it may
    shares: Floats  # [m]: what a wording counts, so that many of one family do not outvote others


def fit(pairs: Pairs, known: Floats, weights: Floats, plan: Plan) -> Projection:
    """Both networks. `known` [n]: 1 for families, 0 for others; `weights` [n]: of each row."""
    torch.manual_seed(plan.seed)
    mean = pairs.features.mean(0)
    spread = pairs.features.std(0) + 0.05
    inputs = torch.from_numpy((pairs.features - mean) / spread)
    projection = Projection()
    scale = torch.nn.Parameter(torch.tensor(math.log(10.0)))
    bias = torch.nn.Parameter(torch.tensor(-2.0))
    # What all wordings have in common tells nothing; each picture would be drawn to it.
    texts, signs = (
        torch.from_numpy(pairs.texts - pairs.texts.mean(0)),
        torch.from_numpy(pairs.signs),
    )
    shares, counts = torch.from_numpy(pairs.shares), torch.from_numpy(weights)
    targets = torch.from_numpy(known)

    def error(rows: torch.Tensor) -> torch.Tensor:
        embeddings, logits = projection(_spoiled(inputs[rows], plan))
        logs = scale.exp() * embeddings @ texts.T + bias
        pair = sigmoid_loss(logs, signs[rows], shares)
        surety = torch.nn.functional.binary_cross_entropy_with_logits(
            logits[:, 0], targets[rows], counts[rows]
        )
        return (pair * counts[rows]).mean() + surety

    _descend(list(projection.parameters()), [scale, bias], len(inputs), plan, error)
    _fold(projection, mean, spread)
    projection.train(False)
    return projection


def sigmoid_loss(logits: torch.Tensor, signs: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
    """[n]: of each picture, over its wordings. A pair with the sign 0 counts nothing."""
    errors = -torch.nn.functional.logsigmoid(signs * logits)
    return (errors * signs.abs() * shares).sum(1)


def cool(projection: Projection, heat: float) -> None:
    """Divide the logits of KNOWN by a temperature, in place."""
    with torch.no_grad():
        projection.known_out.weight /= heat
        projection.known_out.bias /= heat


def heat_of(logits: Floats, known: Floats) -> float:
    """What to divide logits of KNOWN by so that it fits best (Guo et al. 2017).

    Both kinds count alike; between 0.25 and 20.
    """
    found, wanted = torch.from_numpy(logits).double(), torch.from_numpy(known).double()
    weights = torch.where(wanted > 0, 0.5 / wanted.mean(), 0.5 / (1 - wanted.mean()))
    log = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([log], max_iter=50, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        value = torch.nn.functional.binary_cross_entropy_with_logits(
            found / log.exp(), wanted, weights
        )
        value.backward()
        return value

    optimizer.step(closure)
    return float(np.clip(float(log.exp().detach()), 0.25, 20.0))


def sharpness_of(scores: Floats, target: npt.NDArray[np.int64]) -> float:
    """What to multiply scores [n, families] by so that their softmax fits `target` [n] best.

    Between 1 and 200, in steps of 2 %.
    """
    steps = 1.02 ** np.arange(0, 268)
    return float(min(steps, key=lambda one: _surprise(one * scores.astype(np.float64), target)))


def _surprise(logits: npt.NDArray[np.float64], target: npt.NDArray[np.int64]) -> float:
    """Mean negative log-likelihood of scores of at most 1, times 200: no exponential overflows."""
    own = logits[np.arange(len(target)), target]
    return float((np.log(np.exp(logits).sum(1)) - own).mean())


def ridge(pairs: Pairs, strength: float = 1e3) -> Callable[[Floats], Floats]:
    """The baseline: a linear map of features to the mean of the wordings that fit."""
    mean, spread = pairs.features.mean(0), pairs.features.std(0) + 0.05
    inputs = (pairs.features - mean) / spread
    fitting = (pairs.signs > 0) * pairs.shares
    targets = fitting @ pairs.texts / np.maximum(fitting.sum(1, keepdims=True), 1e-9)
    middle = targets.mean(0)
    square = inputs.T @ inputs + strength * np.eye(inputs.shape[1], dtype=np.float32)
    weight = np.linalg.solve(square, inputs.T @ (targets - middle))

    def through(features: Floats) -> Floats:
        found = (features - mean) / spread @ weight + middle
        unit: Floats = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
        return unit

    return through


def _spoiled(inputs: torch.Tensor, plan: Plan) -> torch.Tensor:
    noisy = inputs + plan.noise * torch.randn_like(inputs)
    return torch.nn.functional.dropout(noisy, plan.dropout)


def _descend(
    parameters: list[torch.nn.Parameter],
    scalars: list[torch.nn.Parameter],
    rows: int,
    plan: Plan,
    error: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    matrices = [one for one in parameters if one.ndim > 1]
    others = [one for one in parameters if one.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [
            {"params": matrices, "weight_decay": plan.decay},
            {"params": others, "weight_decay": 0.0},
            {"params": scalars, "weight_decay": 0.0},
        ],
        lr=plan.rate,
    )
    steps = plan.epochs * math.ceil(rows / plan.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, [plan.rate, plan.rate, 20 * plan.rate], total_steps=steps, pct_start=0.1
    )
    for _ in track(range(plan.epochs), f"{plan.epochs} epochs"):
        for part in torch.randperm(rows).split(plan.batch):
            optimizer.zero_grad()
            error(part).backward()
            optimizer.step()
            schedule.step()


def _fold(projection: Projection, mean: Floats, spread: Floats) -> None:
    """The standardising of features into the first layers."""
    with torch.no_grad():
        for layer in (projection.hidden, projection.known_hidden):
            layer.weight /= torch.from_numpy(spread)
            layer.bias -= layer.weight @ torch.from_numpy(mean)
