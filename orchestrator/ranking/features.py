"""What trained selectors see of a request: embedding, then subject (spec/algorithms.md 5.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# In the order of the reference's artefacts; subjects that it has no place for are `other`.
SUBJECTS = (
    *("math", "physics", "chemistry", "biology", "computer science", "history", "economics"),
    *("business", "law", "health", "psychology", "philosophy", "other", "unknown"),
)
OTHER, UNKNOWN = SUBJECTS.index("other"), SUBJECTS.index("unknown")

Feature = npt.NDArray[np.float64]


def feature(embedding: npt.NDArray[Any], subject: str) -> Feature:
    """The embedding and a one at the subject's place; an empty subject is `unknown`."""
    place = np.zeros(len(SUBJECTS))
    if subject in SUBJECTS:
        place[SUBJECTS.index(subject)] = 1.0
    else:
        place[OTHER if subject else UNKNOWN] = 1.0
    return np.concatenate([np.asarray(embedding, np.float64), place])


def fitting(embedding: npt.NDArray[Any], subject: str, dimension: int) -> Feature | None:
    """The feature of `dimension` numbers, with the subject or without; None: neither fits."""
    if len(embedding) == dimension:
        return np.asarray(embedding, np.float64)
    whole = feature(embedding, subject)
    return whole if len(whole) == dimension else None
