"""The reference model's answers that travel with a model, and the comparison with live ones.

`<repository>/<model>/goldens.json` is written by `build_engines` from PyTorch and transformers;
model_repository/README.md describes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import orjson
from pydantic import BaseModel, ValidationError

from orchestrator.errors import InferenceError
from orchestrator.inference import Embeddings


@dataclass(frozen=True, slots=True)
class Goldens:
    texts: tuple[bytes, ...]  # UTF-8
    vectors: Embeddings  # [texts, d]
    windows: tuple[int, ...]
    truncated: tuple[bool, ...]
    tolerance: float  # least cosine

    def part(self, turn: int, parts: int) -> Goldens:
        """One of `parts` of about the same size; `parts` turns in a row give all texts."""
        step = min(parts, len(self.texts))
        rows = slice(turn % step, None, step)
        return replace(
            self,
            texts=self.texts[rows],
            vectors=self.vectors[rows],
            windows=self.windows[rows],
            truncated=self.truncated[rows],
        )


@dataclass(frozen=True, slots=True)
class Parity:
    """How live answers compare with the reference's, over `count` texts."""

    min_cosine: float
    mean_cosine: float
    count: int
    tolerance: float

    @property
    def held(self) -> bool:
        return self.min_cosine >= self.tolerance


class _Tolerance(BaseModel):
    cosine: float


class _Document(BaseModel):
    texts: list[str]
    embeddings: list[list[float]]
    windows: list[int]
    truncated: list[bool]
    tolerance: _Tolerance


def load_goldens(repository: Path, model: str) -> Goldens:
    """Raises InferenceError where there are none, or they cannot be read."""
    path = repository / model / "goldens.json"
    try:
        document = _Document.model_validate(orjson.loads(path.read_bytes()))
    except FileNotFoundError:
        raise InferenceError(f"{model}: no golden answers at {path}") from None
    except (OSError, orjson.JSONDecodeError, ValidationError) as error:
        raise InferenceError(f"{model}: {path} cannot be read: {error}") from error
    sizes = {len(document.texts), len(document.embeddings)}
    sizes |= {len(document.windows), len(document.truncated)}
    widths = {len(row) for row in document.embeddings}
    if len(sizes) != 1 or len(widths) != 1:
        raise InferenceError(f"{model}: {path} is empty, or its lists differ in length")
    return Goldens(
        texts=tuple(text.encode("utf-8", errors="replace") for text in document.texts),
        vectors=np.array(document.embeddings, np.float32),
        windows=tuple(document.windows),
        truncated=tuple(document.truncated),
        tolerance=document.tolerance.cosine,
    )


def compare(goldens: Goldens, live: Embeddings) -> Parity:
    """Row by row. A live vector of the wrong length, or without one, has cosine -1.

    Live vectors must be normalised too, because signals take dot products for cosines: what a
    vector's length lacks of 1 counts against it.
    """
    count = len(goldens.texts)
    if live.shape != goldens.vectors.shape:
        return Parity(-1.0, -1.0, count, goldens.tolerance)
    left, right = live.astype(np.float64), goldens.vectors.astype(np.float64)
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    lengths = np.linalg.norm(left, axis=1)
    dots = (left * right).sum(1)
    cosines = np.where(lengths > 0, dots / np.maximum(lengths, 1e-30), -1.0)
    cosines -= np.abs(lengths - 1.0)
    return Parity(
        min_cosine=float(cosines.min()),
        mean_cosine=float(cosines.mean()),
        count=count,
        tolerance=goldens.tolerance,
    )
