"""What a signal may ask of a model server. This file is the contract."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Embeddings = npt.NDArray[np.float32]

# Of one text in UTF-8: 65,536 characters of four bytes. Triton's shared memory grows with the
# largest message and stays.
MAX_BYTES = 262_144


class Inference(Protocol):
    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """L2-normalised sentence embeddings, float32 [len(texts), d], rows in order.

        Raises InferenceTimeout, InferenceUnavailable, ModelUntrusted or InferenceError;
        never answers with a part. A text of more than MAX_BYTES is an InferenceError; up to there
        the model reads a long text in windows and counts what it cuts. Deadlines are the
        caller's (cancellation reaches the server).
        """
        ...
