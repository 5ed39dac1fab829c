"""Few vectors that stand for many examples, and how close a text comes to them.

Every family that compares a text with example phrases scores it here (spec/signals.md 2.2).
Knows nothing of rules, thresholds or models: unit vectors in, numbers out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orchestrator.config.modules import PrototypeScoring

Vectors = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.float64]

# The last bits of a matrix product depend on its shape and the processor. Products in float64,
# rounded to what a float32 vector means, keep equal scores equal: ties fall to the names.
DECIMALS = 6
PADDING = -2.0  # below every cosine, so it sorts behind all prototypes


@dataclass(frozen=True, slots=True)
class Prototype:
    """The example that represents a cluster (its medoid)."""

    text: str
    vector: Vectors
    size: int  # examples in the cluster
    cohesion: float  # mean cosine to the cluster's members, itself included


@dataclass(frozen=True, slots=True)
class Bank:
    """The prototypes of one rule, most representative first, and how they are weighed."""

    prototypes: tuple[Prototype, ...]
    best_weight: float
    top_m: int


@dataclass(frozen=True, slots=True)
class Score:
    """Cosines lie in [-1, 1], and so do all three numbers."""

    score: float  # best_weight x best + (1 - best_weight) x support
    best: float
    support: float  # mean of the top_m cosines
    prototypes: int


def build(
    texts: Sequence[str], vectors: Vectors, scoring: PrototypeScoring, *, average: bool = False
) -> Bank:
    """The bank of `texts`, whose unit vectors are the rows of `vectors`.

    `average` (aggregation_method mean) scores the mean over all prototypes instead. Raises
    ValueError without any text: nothing can be compared with an empty bank.
    """
    rows = {text: row for row, text in reversed(list(enumerate(texts)))}  # the first one counts
    kept = sorted(rows)  # from here on the lower index is the tie-break by text
    if not kept:
        raise ValueError("a bank needs at least one example")
    unit = np.asarray(vectors[[rows[text] for text in kept]], dtype=np.float32)
    if scoring.enabled:
        prototypes = _condense(kept, unit, scoring)
    else:
        prototypes = tuple(Prototype(kept[i], unit[i], 1, 1.0) for i in range(len(kept)))
    if average:
        return Bank(prototypes, best_weight=0.0, top_m=len(prototypes))
    return Bank(prototypes, scoring.best_weight, min(scoring.top_m, len(prototypes)))


class Stack:
    """Many banks as one matrix: a request costs one product, whatever the number of rules."""

    def __init__(self, banks: Sequence[Bank]) -> None:
        widest = max(len(bank.prototypes) for bank in banks)
        self._counts = [len(bank.prototypes) for bank in banks]
        columns = [p.vector for bank in banks for p in bank.prototypes]
        self._matrix = np.stack(columns, axis=1).astype(np.float64)
        last = self._matrix.shape[1]  # the column of padding appended to the cosines
        self._columns = np.full((len(banks), widest), last)
        self._shares = np.zeros((len(banks), widest))
        self._best_weights = np.array([bank.best_weight for bank in banks])
        start = 0
        for row, bank in enumerate(banks):
            count = len(bank.prototypes)
            self._columns[row, :count] = np.arange(start, start + count)
            self._shares[row, : bank.top_m] = 1 / bank.top_m
            start += count

    @property
    def dimension(self) -> int:
        return int(self._matrix.shape[0])

    def score(self, query: Vectors) -> list[Score]:
        """One Score per bank, in order. `query` is a unit vector of `dimension` numbers."""
        cosines = np.append(_rounded(query.astype(np.float64) @ self._matrix), PADDING)[
            self._columns
        ]
        cosines = -np.sort(-cosines, axis=1)
        best = cosines[:, 0]
        support = (cosines * self._shares).sum(axis=1)
        score = self._best_weights * best + (1 - self._best_weights) * support
        return [
            Score(float(s), float(b), float(m), count)
            for s, b, m, count in zip(
                np.round(score, DECIMALS),
                best,
                np.round(support, DECIMALS),
                self._counts,
                strict=True,
            )
        ]


def _condense(
    texts: Sequence[str], unit: Vectors, scoring: PrototypeScoring
) -> tuple[Prototype, ...]:
    """Greedy clustering, the biggest neighbourhood first; one medoid per cluster."""
    wide = unit.astype(np.float64)
    cosines = _rounded(wide @ wide.T)
    np.fill_diagonal(cosines, 1.0)
    near = cosines >= scoring.cluster_similarity_threshold
    left = np.ones(len(texts), dtype=bool)
    found = []
    while left.any():
        sizes = np.where(left, (near & left).sum(axis=1), -1)
        members = np.flatnonzero(near[int(sizes.argmax())] & left)
        found.append(_medoid(texts, unit, cosines, members))
        left[members] = False
    found.sort(key=lambda p: (-p.size, -p.cohesion, p.text))
    return tuple(found[: scoring.max_prototypes])


def _medoid(
    texts: Sequence[str], unit: Vectors, cosines: Numbers, members: npt.NDArray[np.intp]
) -> Prototype:
    means = np.round(cosines[np.ix_(members, members)].mean(axis=1), DECIMALS)
    chosen = int(members[int(means.argmax())])
    return Prototype(texts[chosen], unit[chosen], len(members), float(means.max()))


def shortened(vectors: Vectors, dimension: int) -> Vectors:
    """The first `dimension` numbers of each vector, of length 1 again; all of them where there are
    no more, or `dimension` is 0. What has nothing there stays 0 and is close to nothing.
    """
    if not 0 < dimension < vectors.shape[-1]:
        return vectors
    cut = vectors[..., :dimension].astype(np.float64)
    lengths = np.linalg.norm(cut, axis=-1, keepdims=True)
    return np.asarray(cut / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def cosines_between(queries: Vectors, others: Vectors) -> Numbers:
    """Of each row of `queries` with each row of `others`; all are unit vectors."""
    return _rounded(queries.astype(np.float64) @ others.astype(np.float64).T)


def _rounded(products: Numbers) -> Numbers:
    return np.clip(np.round(products, DECIMALS), -1.0, 1.0)
