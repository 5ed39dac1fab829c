"""One task, examined: asked, judged, swayed, timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.inference.languages import Gate
from orchestrator.inference.tasks import Task
from orchestrator.labelled import entities, guards
from orchestrator.labelled.asking import Ask, Said, ask_all, seconds
from orchestrator.labelled.figures import Report, classes, latency, slices
from orchestrator.labelled.rows import Row, spread
from orchestrator.matching.languages import Detector

TIMED = 100  # texts, at most

# Told what is asked now and of how many texts; the answer is told how many are done.
Stage = Callable[[str, int], Callable[[int], None]]


@dataclass(frozen=True, slots=True)
class Examined:
    """The figures, and the answers that they are of."""

    report: Report
    task: Task
    rows: Sequence[Row]
    said: Sequence[Said]


async def examine(
    ask: Ask,
    name: str,
    task: Task,
    rows: Sequence[Row],
    *,
    served: float | None,
    concurrency: int,
    stage: Stage,
) -> Examined:
    """`rows` are all of the task, one at least; `served` is the threshold that decides. Raises
    what `ask` raises."""
    texts = [row.text for row in rows]
    said = await ask_all(ask, texts, concurrency, stage(name, len(texts)))
    guard = None
    if task.positive:
        columns = [task.labels.index(label) for label in task.positive]
        positive = np.array([row.label in task.positive for row in rows])
        swayed = guards.suffixed([t for t, risky in zip(texts, positive, strict=True) if risky])
        again = await ask_all(
            ask, swayed, concurrency, stage(f"{name}, words appended", len(swayed))
        )
        risk, after = guards.risks(said, columns), guards.risks(again, columns)
        guard = guards.judge(rows, risk, positive, after, served)
    gate = None if task.languages is None else Gate(task.languages, Detector())
    timed = [row.text for row in spread(rows, TIMED)]
    done = stage(f"{name}, one by one", len(timed))
    report = Report(
        name,
        len(rows),
        sum(one.truncated for one in said),
        None if task.spans else classes(rows, said, task),
        guard,
        entities.judge(rows, said, served) if task.spans else None,
        slices(rows, said, task, guard, gate),
        latency(timed, await seconds(ask, timed, done)),
    )
    return Examined(report, task, rows, said)
