"""What a signal may ask of a model server. This file is the contract."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Embeddings = npt.NDArray[np.float32]


class Inference(Protocol):
    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """L2-normalised sentence embeddings, float32 [len(texts), d], rows in order.

        Raises InferenceTimeout, InferenceUnavailable, ModelUntrusted or InferenceError;
        never answers with a part. Deadlines are the caller's (cancellation reaches the server).
        """
        ...
