"""Pairs of texts that are nearly the same: MinHash signatures, banded, then counted exactly.

A. Broder, On the resemblance and containment of documents, 1997; banding as in Leskovec, Rajaraman
and Ullman, Mining of Massive Datasets, chapter 3. Similarity is the Jaccard index of the sets of
runs of four characters, after case, accents, spaces and punctuation are gone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

RUN = 4  # characters
BANDS, ROWS = 32, 4  # at similarity 0.6 a pair is missed once in 85 times, at 0.7 once in 6000
SLACK = 0.15  # a signature estimates the similarity with a standard error of 0.043
PART = 1 << 18  # pairs that are compared at a time: 128 MB of signatures
Ints = NDArray[np.uint32]


def normalised(text: str) -> str:
    """Letters and digits alone, in one case, without accents and width variants."""
    flat = unicodedata.normalize("NFKD", text).casefold()
    return re.sub(r"[\W_]+", "", "".join(c for c in flat if not unicodedata.combining(c)))


def shingles(text: str) -> Ints:
    """The hashes of the runs of RUN characters of a normalised text, sorted, each once."""
    codes = np.frombuffer(text.ljust(RUN, "\0").encode("utf-32-le"), dtype=np.uint32)
    count = len(codes) - RUN + 1
    mixed = np.zeros(count, dtype=np.uint32)
    for at in range(RUN):
        mixed = (mixed ^ codes[at : at + count]) * np.uint32(16777619)
        mixed ^= mixed >> np.uint32(15)
    return np.unique(mixed)


def pairs(texts: Sequence[str], threshold: float) -> NDArray[np.int64]:
    """Rows (i, j), i < j, of texts whose similarity is at least `threshold` (0.5 to 1), sorted."""
    sets = [shingles(normalised(text) or text) for text in texts]
    signatures = (
        np.stack([_signature(one) for one in sets]) if sets else np.zeros((0, 0), np.uint32)
    )
    empty = np.zeros((0, 2), np.int64)
    parts = [empty, *_candidates(signatures, threshold - SLACK)]
    near = [
        (int(i), int(j))
        for i, j in np.unique(np.concatenate(parts), axis=0)
        if jaccard(sets[i], sets[j]) >= threshold
    ]
    return np.array(near, np.int64) if near else empty


def jaccard(left: Ints, right: Ints) -> float:
    """The similarity of two sets of shingles, 0 to 1."""
    both = len(np.intersect1d(left, right, assume_unique=True))
    return both / (len(left) + len(right) - both)


def _signature(shingle: Ints) -> Ints:
    """BANDS x ROWS minima, each under another random linear hash of the shingles."""
    random = np.random.default_rng(20260401)
    factors = random.integers(1, 2**32, BANDS * ROWS, dtype=np.uint32) | np.uint32(1)
    shifts = random.integers(0, 2**32, BANDS * ROWS, dtype=np.uint32)
    hashed = shingle[None, :] * factors[:, None] + shifts[:, None]
    minima: Ints = hashed.min(axis=1)
    return minima


def _candidates(signatures: Ints, floor: float) -> Iterator[NDArray[np.int64]]:
    """Pairs that share a band and whose signatures agree in at least `floor` of all places."""
    for band in range(BANDS if len(signatures) else 0):
        keys = signatures[:, band * ROWS : (band + 1) * ROWS]
        order = np.lexsort(keys.T)
        starts = np.flatnonzero((np.diff(keys[order], axis=0) != 0).any(axis=1)) + 1
        for bucket in np.split(order, starts):
            if len(bucket) > 1:
                bucket.sort()
                first, second = np.triu_indices(len(bucket), 1)
                for at in range(0, len(first), PART):
                    left, right = bucket[first[at : at + PART]], bucket[second[at : at + PART]]
                    agree = (signatures[left] == signatures[right]).mean(axis=1) >= floor
                    yield np.stack([left[agree], right[agree]], axis=1)
