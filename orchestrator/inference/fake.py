"""Scripted answers, for unit tests only."""

from collections.abc import Mapping, Sequence

import numpy as np

from orchestrator.errors import InferenceError
from orchestrator.inference import Embeddings


class FakeInference:
    """Answers with the vectors it was given (normalised); `failure` is raised instead."""

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float]] | None = None,
        failure: InferenceError | None = None,
    ) -> None:
        self.vectors = dict(vectors or {})
        self.failure = failure
        self.calls: list[tuple[str, tuple[str, ...]]] = []

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        self.calls.append((model, tuple(texts)))
        if self.failure is not None:
            raise self.failure
        rows = np.array([self.vectors[text] for text in texts], dtype=np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)
