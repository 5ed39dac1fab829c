"""What the served code reads against what is expected, in any batching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from build_engines import check_parity
from build_engines.errors import ParityError
from build_engines.signals.job import SignalsJob

Floats = npt.NDArray[np.float32]
Spans = list[tuple[int, int, int, float]]  # start, stop, label, score

# Each text alone, by threes, all at once, and in another order.
BATCHES = (1, 3, 1_000_000)


@dataclass(frozen=True, slots=True)
class Expected:
    """PEFT's answers: of a sequence task [texts, classes], of a token task spans with scores."""

    embeddings: check_parity.Reference
    probabilities: dict[str, Floats]
    entities: dict[str, list[Spans | None]]  # None: too near to other spans to be compared


class Entity(Protocol):
    start: int
    stop: int
    label: int
    score: float


class Read(Protocol):
    """Of the served module `reader`, as are the other two."""

    embeddings: Floats
    probabilities: Mapping[str, Floats]
    entities: Mapping[str, Sequence[Sequence[Entity]]]
    windows: npt.NDArray[np.int32]
    truncated: npt.NDArray[np.bool_]


class Reader(Protocol):
    def read(self, texts: Sequence[str], asked: Sequence[Sequence[str]]) -> Read: ...


@dataclass(slots=True)
class Worst:
    """The largest differences so far."""

    probability: dict[str, float] = field(default_factory=dict)  # by task
    span_score: float = 0.0
    least_cosine: float = 1.0

    def figures(self) -> dict[str, Any]:
        return {
            "probability": self.probability,
            "least_cosine": self.least_cosine,
            "span_score": self.span_score,
        }


def compare(
    job: SignalsJob, reader: Reader, expected: Expected, texts: list[str]
) -> dict[str, Any]:
    """The largest differences over all batchings. Raises ParityError above the tolerance."""
    worst = Worst()
    orders = [(list(range(len(texts))), size) for size in BATCHES]
    orders.append((list(reversed(range(len(texts)))), 8))
    for order, size in orders:
        for at in range(0, len(order), size):
            rows = order[at : at + size]
            read = reader.read([texts[row] for row in rows], [list(job.spec.tasks)] * len(rows))
            _sequences(job, worst, expected, rows, read)
            _tokens(job, worst, expected, rows, read)
            _embeddings(job, worst, expected.embeddings, rows, read)
    return worst.figures()


# NaN is neither above nor below a limit: hence `not … <=`.


def _sequences(
    job: SignalsJob, worst: Worst, expected: Expected, rows: list[int], read: Read
) -> None:
    limit = job.spec.tolerance.export
    for name, found in read.probabilities.items():
        wanted = expected.probabilities[name][rows]
        gap = float(np.abs(found - wanted).max())
        worst.probability[name] = max(worst.probability.get(name, 0.0), gap)
        if not gap <= limit:
            raise ParityError(f"{name}: a probability is off by {gap:.5f}")
        close = np.sort(wanted, 1)[:, -1] - np.sort(wanted, 1)[:, -2] < limit
        if ((found.argmax(1) != wanted.argmax(1)) & ~close).any():
            raise ParityError(f"{name}: another label than PEFT's")


def _tokens(job: SignalsJob, worst: Worst, expected: Expected, rows: list[int], read: Read) -> None:
    for name, entities in read.entities.items():
        for row, found in zip(rows, entities, strict=True):
            spans = expected.entities[name][row]
            if spans is None:
                continue
            if [(one.start, one.stop, one.label) for one in found] != [w[:3] for w in spans]:
                raise ParityError(f"{name}: text {row}: {found}, PEFT {spans}")
            for one, other in zip(found, spans, strict=True):
                gap = abs(one.score - other[3])
                worst.span_score = max(worst.span_score, gap)
                if not gap <= job.spec.tolerance.export_span:
                    raise ParityError(f"{name}: the score of a span is off by {gap:.5f}")


def _embeddings(
    job: SignalsJob, worst: Worst, expected: check_parity.Reference, rows: list[int], read: Read
) -> None:
    least = float(check_parity.cosines(read.embeddings, expected.embeddings[rows]).min())
    worst.least_cosine = min(worst.least_cosine, least)
    if not least >= job.spec.tolerance.cosine:
        raise ParityError(f"{job.spec.name}: least cosine {least:.6f}")
    wanted = [(expected.windows[row], expected.truncated[row]) for row in rows]
    found = list(zip(read.windows.tolist(), read.truncated.tolist(), strict=True))
    if found != wanted:
        raise ParityError(f"windows and cuts {found}, reference {wanted}")
