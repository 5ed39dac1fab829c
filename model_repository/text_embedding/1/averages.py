"""Embeddings of windows into embeddings of texts. Knows neither the network nor Triton."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Counts = npt.NDArray[np.int32]


def mean(rows: Floats, counts: Counts, weights: Floats) -> Floats:
    """One row per text from one per window. `counts`: windows of each text; `weights`: of each
    window, none of them 0."""
    if len(rows) == len(counts):
        return rows
    starts = np.cumsum(counts) - counts
    totals = np.add.reduceat(weights, starts)
    means = np.add.reduceat(rows * weights[:, None], starts) / totals[:, None]
    single = counts == 1
    means[single] = rows[starts[single]]  # bit for bit
    return np.asarray(means, np.float32)


def unit(means: Floats, counts: Counts) -> Floats:
    """Means of several windows to length 1; a single window's embedding has it already."""
    several = counts > 1
    if several.any():
        means[several] /= np.linalg.norm(means[several], axis=1, keepdims=True)
    return means


def shortened(vectors: Floats, dimension: int) -> Floats:
    """The first `dimension` numbers of each vector, of length 1 again (Kusupati et al. 2022)."""
    if dimension == vectors.shape[1]:
        return vectors
    cut = vectors[:, :dimension]
    return np.asarray(cut / np.linalg.norm(cut, axis=1, keepdims=True).clip(min=1e-12), np.float32)
