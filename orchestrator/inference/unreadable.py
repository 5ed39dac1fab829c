"""When a model that reads words has not read a text: much of it is in a script that it lacks.

A vocabulary spells what it was made from. Words of other scripts (Thai, Amharic, Khmer), emoji and
strings that are no words become one and the same token, so that all such texts get one answer, and
it looks as sure as any. The model tells which share of a text that is (`UNREADABLE`,
model_repository/README.md); from MOST on its answer is not used.
"""

from __future__ import annotations

import numpy as np

from orchestrator.errors import UnreadableText
from orchestrator.inference import Classification, Embeddings

# A sentence in a script that the vocabulary lacks has this or more. Below, of texts that trained
# nothing, the guard finds seven attacks in ten, and more (by steps of 0.1, before an ideograph
# counted half). Of the texts of build_engines/data 0.0 % of English, French, German, Spanish,
# Arabic, 1 % of Chinese and 3 % of Japanese have it (2026-11).
MOST = 0.5


def illegible(said: Classification) -> bool:
    """Whether a text was not read, for what it is about."""
    return said.unreadable >= MOST


def partly_illegible(said: Classification) -> bool:
    """Whether some of a text was not read, for a guard: what it looks for stands anywhere."""
    return max(said.unreadable, said.unreadable_stretch) >= MOST


def missing(vectors: Embeddings) -> list[int]:
    """The rows of `Inference.embed` whose texts were not read."""
    return [int(row) for row in np.flatnonzero(np.isnan(vectors).any(axis=1))]


def require(model: str, vectors: Embeddings) -> Embeddings:
    """Raises UnreadableText where a text was not read."""
    if rows := missing(vectors):
        raise refusal(model, len(rows), len(vectors))
    return vectors


def refusal(model: str, texts: int = 1, of: int = 1) -> UnreadableText:
    return UnreadableText(f"{model}: {texts} of {of} texts are in no script that it reads")
