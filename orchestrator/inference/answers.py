"""Output tensors of a model to answers, one for each row. Malformed ones are refused.

It knows the layout of the tensors (model_repository/README.md) and nothing of gRPC.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orchestrator.errors import InferenceError, InvalidScore
from orchestrator.inference import Classification, Embeddings, Entity
from orchestrator.inference.rows import Row
from orchestrator.inference.tasks import Task, Tasks
from orchestrator.inference.unreadable import illegible

Tensors = Mapping[str, tuple[tuple[int, ...], bytes]]  # name -> shape, content
Spans = tuple[Entity, ...]

# A probability that has gone through float32 may be this much outside of 0 to 1.
ROUNDING = 1e-4


@dataclass(frozen=True, slots=True)
class Answer:
    """To one row. `vector` [d] is None where the embedding was not asked."""

    vector: Embeddings | None
    said: Classification


def stack(model: str, answers: Iterable[Answer]) -> Embeddings:
    """The vectors of at least one answer, float32 [answers, d]; raises InferenceError where
    one lacks it, or servers answer with different lengths.
    """
    vectors = [answer.vector for answer in answers if answer.vector is not None]
    if len({len(vector) for vector in vectors}) != 1:
        raise InferenceError(f"{model}: its embeddings differ in length")
    return np.stack(vectors)


def legible(model: str, answers: Sequence[Answer]) -> Embeddings:
    """As `stack`, with a row of NaN for each text that was not read."""
    vectors = stack(model, answers)
    vectors[[illegible(answer.said) for answer in answers]] = np.nan
    return vectors


def outputs(rows: Sequence[Row], tasks: Tasks) -> list[str]:
    """Names of the tensors that answer `rows`; what is not named is not computed. None where the
    model has no tasks: all it has, for not each encoder has UNREADABLE.
    """
    if not tasks:
        return []
    asked = asked_tasks(rows)
    return [
        *(["EMBEDDING"] if any(row.embeds for row in rows) else []),
        "WINDOWS",
        "TRUNCATED",
        "UNREADABLE",
        *(f"PROBS_{task}" for task in asked if not tasks[task].spans),
        *(f"{kind}_{task}" for task in asked if tasks[task].spans for kind in _SPANS),
    ]


def asked_tasks(rows: Iterable[Row]) -> list[str]:
    return sorted(set().union(*(row.tasks for row in rows)))


def decode(model: str, tensors: Tensors, rows: Sequence[Row], tasks: Tasks) -> list[Answer]:
    """Raises InferenceError for anything that is not what was asked."""
    count = len(rows)
    windows = _column(model, tensors, "WINDOWS", np.int32, count).tolist()
    truncated = _column(model, tensors, "TRUNCATED", np.bool_, count).tolist()
    unreadable = _unreadable(model, tensors, count)
    vectors = embeddings(model, tensors, count) if any(row.embeds for row in rows) else None
    probabilities: list[dict[str, dict[str, float]]] = [{} for _ in rows]
    entities: list[dict[str, Spans]] = [{} for _ in rows]
    for name in asked_tasks(rows):
        task = tasks[name]
        asking = [index for index, row in enumerate(rows) if name in row.tasks]
        if task.spans:
            found = _entities(model, tensors, name, task, rows)
            for index in asking:
                entities[index][name] = found[index]
        else:
            numbers = _probabilities(model, tensors, name, task, count, asking)
            for index in asking:
                probabilities[index][name] = dict(zip(task.labels, numbers[index], strict=True))
    return [
        Answer(
            vectors[index] if vectors is not None and row.embeds else None,
            Classification(
                probabilities[index],
                entities[index],
                windows[index],
                truncated[index],
                *unreadable[index],
            ),
        )
        for index, row in enumerate(rows)
    ]


_SPANS = ("SPANS", "SPAN_SCORES")


def embeddings(model: str, tensors: Tensors, rows: int) -> Embeddings:
    """EMBEDDING, one vector a row. Raises InferenceError."""
    shape, raw = tensors.get("EMBEDDING", ((), b""))
    if len(shape) != 2 or shape[0] != rows or len(raw) != 4 * rows * shape[1] or not raw:
        raise InferenceError(f"{model}: EMBEDDING has shape {shape}, expected ({rows}, d)")
    vectors: Embeddings = np.frombuffer(raw, np.float32).reshape(shape)
    if not np.isfinite(vectors).all():
        raise InferenceError(f"{model}: EMBEDDING is not finite")
    return vectors


def _column(
    model: str, tensors: Tensors, name: str, kind: type[np.generic], rows: int
) -> npt.NDArray[np.generic]:
    _, raw = tensors.get(name, ((), b""))
    if len(raw) != rows * np.dtype(kind).itemsize:
        raise InferenceError(f"{model}: {name} has {len(raw)} bytes for {rows} rows")
    return np.frombuffer(raw, kind)


def _unreadable(model: str, tensors: Tensors, rows: int) -> list[tuple[float, float]]:
    """Nothing of a model that does not say so, such as one that spells every text."""
    if "UNREADABLE" not in tensors:
        return [(0.0, 0.0)] * rows
    shape, raw = tensors["UNREADABLE"]
    if tuple(shape) != (rows, 2) or len(raw) != 8 * rows:
        raise InferenceError(f"{model}: UNREADABLE has shape {shape}, expected ({rows}, 2)")
    shares = np.frombuffer(raw, np.float32).reshape(rows, 2)
    if not ((shares >= -ROUNDING) & (shares <= 1 + ROUNDING)).all():  # NaN is neither
        raise InvalidScore(f"{model}: UNREADABLE holds what is no share")
    return [(whole, stretch) for whole, stretch in shares.tolist()]


def _probabilities(
    model: str, tensors: Tensors, name: str, task: Task, rows: int, asking: Collection[int]
) -> list[list[float]]:
    """All rows; those that did not ask hold NaN."""
    shape, raw = tensors.get(f"PROBS_{name}", ((), b""))
    expected = rows, len(task.labels)
    if tuple(shape) != expected or len(raw) != 4 * rows * len(task.labels):
        raise InferenceError(f"{model}: PROBS_{name} has shape {shape}, expected {expected}")
    numbers = np.frombuffer(raw, np.float32).reshape(expected)
    asked = numbers[list(asking)]
    if not ((asked >= -ROUNDING) & (asked <= 1 + ROUNDING)).all():  # NaN is neither
        raise InvalidScore(f"{model}: PROBS_{name} holds what is no probability")
    answered: list[list[float]] = numbers.clip(0, 1).tolist()
    return answered


def _entities(
    model: str, tensors: Tensors, name: str, task: Task, rows: Sequence[Row]
) -> list[Spans]:
    """Rows are padded to the longest with -1."""
    count = len(rows)
    shape, raw = tensors.get(f"SPANS_{name}", ((), b""))
    _, raw_scores = tensors.get(f"SPAN_SCORES_{name}", ((), b""))
    most = shape[1] if len(shape) == 3 and shape[0] == count and shape[2] == 3 else -1
    if most < 0 or len(raw) != 12 * count * most or len(raw_scores) != 4 * count * most:
        raise InferenceError(f"{model}: SPANS_{name} has shape {shape}, expected ({count}, n, 3)")
    spans = np.frombuffer(raw, np.int32).reshape(count, most, 3).tolist()
    scores = np.frombuffer(raw_scores, np.float32).reshape(count, most).tolist()
    return [
        tuple(
            _entity(model, name, task, span, score, len(row.text))
            for span, score in zip(spans[index], scores[index], strict=True)
            if span[0] >= 0
        )
        for index, row in enumerate(rows)
    ]


def _entity(
    model: str, name: str, task: Task, span: Sequence[int], score: float, most: int
) -> Entity:
    """`most`: the bytes of the text, of which there are no fewer than characters."""
    start, stop, label = span
    sound = start < stop <= most and 0 <= label < len(task.labels)
    if not sound or not -ROUNDING <= score <= 1 + ROUNDING:
        raise InferenceError(f"{model}: SPANS_{name} holds {tuple(span)} with the score {score}")
    return Entity(start, stop, task.labels[label], min(max(score, 0.0), 1.0))
