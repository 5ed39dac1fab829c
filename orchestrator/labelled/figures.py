"""The figures of one task: of all its texts, and of slices of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.inference.languages import Gate
from orchestrator.inference.tasks import Task
from orchestrator.labelled.asking import Said
from orchestrator.labelled.entities import Entities, spans
from orchestrator.labelled.guards import Guard, risks
from orchestrator.labelled.rows import SLICES, Row
from orchestrator.quality import Ints, Numbers
from orchestrator.quality.calibration import calibration_error
from orchestrator.quality.classes import Score, accuracy, confusion, macro_f1, scores
from orchestrator.quality.ranking import share_above
from orchestrator.quality.spans import span_score

FEWEST = 20  # texts of a slice that is reported


@dataclass(frozen=True, slots=True)
class Classes:
    """Of a task that gives each text one label: the most probable one against the truth."""

    accuracy: float
    macro_f1: float  # of the classes that occur
    calibration_error: float
    labels: Mapping[str, Score]
    confusion: tuple[tuple[int, ...], ...]  # [true label][label found]


@dataclass(frozen=True, slots=True)
class Slice:
    """Texts that share a `kind`, `language` or `source`."""

    by: str
    value: str
    texts: int
    figures: Mapping[str, float]  # by name, each 0 to 1 or NaN


@dataclass(frozen=True, slots=True)
class Latency:
    """Of one call with one text while nothing else is asked."""

    texts: int
    p50_ms: float
    p95_ms: float
    characters_p50: int
    characters_most: int


@dataclass(frozen=True, slots=True)
class Report:
    task: str
    texts: int
    truncated: int  # texts of which the model did not read all
    classes: Classes | None = None
    guard: Guard | None = None
    entities: Entities | None = None
    slices: tuple[Slice, ...] = ()
    latency: Latency | None = None


def table(said: Sequence[Said]) -> Numbers:
    """[texts, labels]."""
    return np.array([one.probabilities for one in said], dtype=float)


def targets(rows: Sequence[Row], task: Task) -> Ints:
    return np.array([task.labels.index(row.label) for row in rows], dtype=np.int64)


def classes(rows: Sequence[Row], said: Sequence[Said], task: Task) -> Classes:
    probabilities, wanted = table(said), targets(rows, task)
    found = probabilities.argmax(1)
    counts = confusion(found, wanted, len(task.labels))
    return Classes(
        accuracy(found, wanted),
        macro_f1(found, wanted, len(task.labels)),
        calibration_error(probabilities, wanted),
        dict(zip(task.labels, scores(counts), strict=True)),
        tuple(tuple(int(count) for count in line) for line in counts),
    )


def slices(
    rows: Sequence[Row],
    said: Sequence[Said],
    task: Task,
    guard: Guard | None = None,
    gate: Gate | None = None,
) -> tuple[Slice, ...]:
    """Those with FEWEST texts or more. With a guard's figures, those above its 1 % threshold too;
    NaN where a slice has no attacks, or nothing else. With a gate, the share that it refuses:
    there a signal does not use what was said, unless the policy has `any_language`."""
    members: dict[tuple[str, str], list[int]] = {}
    for at, row in enumerate(rows):
        for by in SLICES:
            if by in row.slices:
                members.setdefault((by, row.slices[by]), []).append(at)
    found = []
    for (by, value), some in sorted(members.items()):
        if len(some) >= FEWEST:
            own, answers = [rows[at] for at in some], [said[at] for at in some]
            figures = _brief(own, answers, task)
            if guard is not None and guard.points:
                figures |= _flagged(own, answers, task, guard.points[0].threshold)
            if gate is not None:
                figures["refused"] = sum(bool(gate.refusal(row.text)) for row in own) / len(own)
            found.append(Slice(by, value, len(some), figures))
    return tuple(found)


def latency(texts: Sequence[str], seconds: Sequence[float]) -> Latency:
    """Of one text at least."""
    lengths = [len(text) for text in texts]
    p50, p95 = np.percentile(np.array(seconds) * 1e3, [50, 95])
    return Latency(len(texts), float(p50), float(p95), int(np.median(lengths)), max(lengths))


def _brief(rows: Sequence[Row], said: Sequence[Said], task: Task) -> dict[str, float]:
    if task.spans:
        one = span_score([spans(some.united) for some in said], [row.spans for row in rows])
        return {"precision": one.precision, "recall": one.recall, "F1": one.f1}
    found = classes(rows, said, task)
    return {"accuracy": found.accuracy, "macro-F1": found.macro_f1}


def _flagged(
    rows: Sequence[Row], said: Sequence[Said], task: Task, threshold: float
) -> dict[str, float]:
    risk = risks(said, [task.labels.index(label) for label in task.positive])
    positive = np.array([row.label in task.positive for row in rows])
    return {
        "recall": share_above(risk[positive], threshold),
        "FPR": share_above(risk[~positive], threshold),
    }
