"""One split as batches of texts: their windows, and the cached states of their tokens."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch

from build_engines.train.hidden import Halves
from build_engines.train.rows import Rows

Ints = npt.NDArray[np.int64]

CHUNK = 16  # batches of texts that are sorted by length together


@dataclass(frozen=True, slots=True)
class Batch:
    """Some texts. Windows come in the order of the texts."""

    texts: Ints  # [texts], indices into the rows
    windows: Ints  # [windows]
    owner: torch.Tensor  # int64 [windows], index into `texts`
    tokens: Ints  # [real places of the rectangle], row by row
    hidden: torch.Tensor  # float32 [windows, longest, d]
    mask: torch.Tensor  # bool [windows, longest]


@dataclass(frozen=True, slots=True)
class Part:
    """`states` [tokens, d]: of every token, below what is trained."""

    rows: Rows
    states: Halves
    _starts: Ints = field(init=False)  # [windows], first token
    _count: Ints = field(init=False)  # [texts], windows
    _first: Ints = field(init=False)  # [texts], first window

    def __post_init__(self) -> None:
        count = np.bincount(self.rows.owner, minlength=len(self.rows))
        object.__setattr__(self, "_starts", np.cumsum(self.rows.lengths) - self.rows.lengths)
        object.__setattr__(self, "_count", count)
        object.__setattr__(self, "_first", np.cumsum(count) - count)

    def batch(self, texts: Ints) -> Batch:
        owner = np.repeat(np.arange(len(texts)), self._count[texts])
        nth = np.arange(len(owner)) - np.repeat(
            np.cumsum(self._count[texts]) - self._count[texts], self._count[texts]
        )
        windows = self._first[texts][owner] + nth
        lengths = self.rows.lengths[windows]
        columns = np.arange(lengths.max())
        mask = columns < lengths[:, None]
        places = self._starts[windows][:, None] + columns
        tokens = places[mask]
        hidden = np.zeros((*mask.shape, self.states.shape[1]), np.float32)
        hidden[mask] = self.states[tokens]
        return Batch(
            texts,
            windows,
            torch.from_numpy(owner),
            tokens,
            torch.from_numpy(hidden),
            torch.from_numpy(mask),
        )

    def order(self, size: int, seed: int | None = None) -> list[Ints]:
        """Batches of `size` texts of about one length; shuffled where there is a seed."""
        longest = np.maximum.reduceat(self.rows.lengths, self._first)
        if seed is None:
            return _cut(np.argsort(longest, kind="stable"), size)
        random = np.random.default_rng(seed)
        chunks = _cut(random.permutation(len(self.rows)), size * CHUNK)
        batches = [
            batch
            for chunk in chunks
            for batch in _cut(chunk[np.argsort(longest[chunk], kind="stable")], size)
        ]
        return [batches[at] for at in random.permutation(len(batches))]


def _cut(order: Ints, size: int) -> list[Ints]:
    return [order[at : at + size] for at in range(0, len(order), size)]
