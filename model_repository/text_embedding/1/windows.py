"""Token sequences into windows, windows into runs, and where a run's tokens lie.

Pure arithmetic: knows neither the tokenizer, nor the network, nor Triton.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]
Window = tuple[int, int]  # first token, one past the last


def windows(tokens: int, size: int, overlap: int) -> list[Window]:
    """Cut `tokens` tokens into windows of at most `size`, neighbours sharing `overlap`.

    A text of no tokens is one empty window: it still has an embedding.
    """
    if tokens <= size:
        return [(0, tokens)]
    step = size - overlap
    count = 1 + -(-(tokens - size) // step)
    return [(start, min(start + size, tokens)) for start in range(0, count * step, step)]


def runs(lengths: Sequence[int], padding: float, max_tokens: int) -> list[list[int]]:
    """Group sequences so that each group is one run of the network.

    Only attention works on a rectangle, rows by longest row. Of that at most the share `padding` is
    empty, and it has at most `max_tokens` places (a single sequence always fits). Returns indices
    into `lengths`, every index once, longest group first.
    """
    groups: list[list[int]] = []
    longest = filled = 0
    for row in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        length = lengths[row]
        size = longest * (len(groups[-1]) + 1) if groups else 0
        if groups and size <= max_tokens and size - filled - length <= padding * size:
            groups[-1].append(row)
            filled += length
        else:
            groups.append([row])
            longest = filled = length
    return groups


def rectangle(lengths: Sequence[int]) -> tuple[Indices, Indices]:
    """Where the tokens of sequences that lie end to end go in a rectangle of rows, and back.

    First [rows, longest], the index of each place's token, -1 where there is none; then [tokens],
    the index of each token's place in the rectangle read row by row.
    """
    counts = np.asarray(lengths, np.int64)
    columns = np.arange(counts.max())
    real = columns < counts[:, None]
    starts = np.cumsum(counts) - counts
    return np.where(real, starts[:, None] + columns, -1), np.flatnonzero(real)
