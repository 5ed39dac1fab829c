"""Pictures to a model server and its answers back. Malformed answers are refused.

It knows the tensors of `image_signals` (model_repository/README.md) and nothing of gRPC.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from orchestrator.errors import ImageRefused, InferenceError, InvalidScore
from orchestrator.inference import MAX_IMAGE_BYTES, Seen
from orchestrator.inference.answers import ROUNDING, Tensors, embeddings

PREPROCESSOR = "image_preprocess"  # the first step of `image_signals`; its name in the repository
OUTPUTS = ("EMBEDDING", "KNOWN")


def check_size(picture: bytes, max_bytes: int = MAX_IMAGE_BYTES) -> None:
    """Raises ImageRefused, in the words of the preprocessor."""
    if len(picture) > max_bytes:
        raise ImageRefused(f"longer than {max_bytes} bytes")


def decode_seen(model: str, tensors: Tensors, rows: int, floor: float) -> Seen:
    """Raises InferenceError for anything that is not an answer to `rows` pictures."""
    vectors = embeddings(model, tensors, rows)
    _, raw = tensors.get("KNOWN", ((), b""))
    if len(raw) != 4 * rows:
        raise InferenceError(f"{model}: KNOWN has {len(raw)} bytes for {rows} pictures")
    known = np.frombuffer(raw, np.float32)
    if not ((known >= -ROUNDING) & (known <= 1 + ROUNDING)).all():  # NaN is neither
        raise InvalidScore(f"{model}: KNOWN holds what is no probability")
    return Seen(vectors, known.clip(0, 1), floor)


def decode_pixels(tensors: Tensors) -> bytes:
    """Of one picture: float32, little endian, C order. Raises InferenceError."""
    shape, raw = tensors.get("PIXELS", ((), b""))
    if len(shape) != 4 or shape[:2] != (1, 3) or len(raw) != 4 * math.prod(shape):
        raise InferenceError(f"{PREPROCESSOR}: PIXELS has shape {shape}, expected (1, 3, h, w)")
    return raw


def joined(model: str, parts: Sequence[Seen]) -> Seen:
    """In order, at least one. Raises InferenceError where servers answer with other lengths."""
    if len({part.embeddings.shape[1] for part in parts}) != 1:
        raise InferenceError(f"{model}: its embeddings differ in length")
    return Seen(
        np.concatenate([part.embeddings for part in parts]),
        np.concatenate([part.known for part in parts]),
        parts[0].floor,
    )
