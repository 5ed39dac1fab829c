"""How good a trained task is: its figures on one split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, SupportsFloat

import numpy as np
import numpy.typing as npt

from build_engines import tasks
from build_engines.data import Example, Span
from build_engines.train import rows
from build_engines.train.fit import Job
from build_engines.train.parts import Part
from orchestrator.quality.calibration import calibration_error
from orchestrator.quality.classes import macro_f1
from orchestrator.quality.ranking import recall_at
from orchestrator.quality.spans import span_f1

Floats = npt.NDArray[np.float32]
SLICE = 20  # fewest texts of a slice that is reported


def sequences(job: Job, name: str, part: Part, scores: Floats) -> dict[str, Any]:
    """Of texts, from their probabilities [texts, classes]."""
    labels = tasks.labels(name)
    wanted, found = part.rows.targets, scores.argmax(1)
    report: dict[str, Any] = {
        "accuracy": rounded((found == wanted).mean()),
        "macro_f1": rounded(macro_f1(found, wanted, len(labels))),
        "calibration_error": rounded(calibration_error(scores, wanted)),
        "per_label": {
            label: {
                "texts": int((wanted == at).sum()),
                "recall": rounded((found[wanted == at] == at).mean()),
                "precision": rounded((wanted[found == at] == at).mean() if at in found else 0.0),
            }
            for at, label in enumerate(labels)
            if (wanted == at).any()
        },
        "slices": {
            key: {"texts": len(at), "accuracy": rounded((found[at] == wanted[at]).mean())}
            for key, at in slices(part.rows.examples)
        },
    }
    if job.positive:
        risk, positive = scores[:, list(job.positive)].sum(1), np.isin(wanted, job.positive)
        for rate in (0.01, 0.05):
            recall, threshold = recall_at(risk, positive, rate)
            report[f"recall_at_{rate:g}"] = {
                "recall": rounded(recall),
                "threshold": rounded(threshold),
            }
    return report


def slices(examples: Sequence[Example]) -> Iterator[tuple[str, list[int]]]:
    """Texts by language, kind and source, where there are enough."""
    found: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(examples):
        for key in (one.language, one.kind and f"kind {one.kind}", f"source {one.source}"):
            if key:
                found[key].append(at)
    return ((key, at) for key, at in sorted(found.items()) if len(at) >= SLICE)


def tokens(name: str, part: Part, values: Floats) -> dict[str, Any]:
    """Of tokens and the spans they make, from their logits [tokens, classes]."""
    classes = rows.bio(tasks.labels(name))
    chosen = values.argmax(1)
    real = part.rows.targets != rows.IGNORED
    # Special tokens stay, as O: no span goes on from one window or text into the next.
    found = [classes[at] if is_real else "O" for at, is_real in zip(chosen, real, strict=True)]
    wanted = [classes[max(0, at)] for at in part.rows.targets]
    spans = [set(token_spans(side)) for side in (found, wanted)]
    report: dict[str, Any] = {"accuracy": rounded((chosen == part.rows.targets)[real].mean())}
    for label in (*tasks.labels(name), ""):
        mine = [{one for one in side if label in ("", one.label)} for side in spans]
        if mine[1]:
            scores = span_f1([list(mine[0])], [list(mine[1])])
            key = label or "all"
            report.setdefault("spans", {})[key] = {
                "count": len(mine[1]),
                "precision": rounded(scores[0]),
                "recall": rounded(scores[1]),
                "f1": rounded(scores[2]),
            }
    return report


def token_spans(marks: Sequence[str]) -> Iterator[Span]:
    """Spans over token positions, from BIO marks."""
    start, label = 0, ""
    for at, mark in enumerate((*marks, "O")):
        kind, _, name = mark.partition("-")
        if label and (kind != "I" or name != label):
            yield Span(start, at, label)
            label = ""
        if kind != "O" and not label:
            start, label = at, name


def rounded(value: SupportsFloat) -> float:
    return round(float(value), 4)
