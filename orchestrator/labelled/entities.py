"""How well entities are found: whole spans, by their type, and texts that hold any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.inference import Entity
from orchestrator.labelled.asking import Said
from orchestrator.labelled.rows import Row
from orchestrator.quality.calibration import binned_error
from orchestrator.quality.classes import Score
from orchestrator.quality.spans import Span, by_label, span_score


@dataclass(frozen=True, slots=True)
class Found:
    overall: Score
    labels: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Entities:
    """Start, stop and label must agree. `served`: the united ones that reach the threshold that is
    served, and what they say of whole texts.

    `calibration_error` holds the scores of the model's own spans against how many of them touch a
    true one of their label: a score says that there is something, not where to the letter it ends.
    A router tells them united only.
    """

    alone: Found | None
    united: Found
    threshold: float | None
    served: Found | None
    calibration_error: float | None
    text_recall: float | None  # of the texts with entities, those in which some is served
    text_rate: float | None  # of the others, those too


def judge(rows: Sequence[Row], said: Sequence[Said], threshold: float | None) -> Entities:
    """Of the rows of one task, and what was said of each."""
    wanted = [row.spans for row in rows]
    alone = [one.alone for one in said if one.alone is not None]
    own = alone if len(alone) == len(said) else None
    kept = None if threshold is None else [spans(one.united, threshold) for one in said]
    return Entities(
        alone=None if own is None else _found([spans(some) for some in own], wanted),
        united=_found([spans(one.united) for one in said], wanted),
        threshold=threshold,
        served=None if kept is None else _found(kept, wanted),
        calibration_error=None if own is None else _error(own, wanted),
        text_recall=None if kept is None else _share(kept, [bool(true) for true in wanted]),
        text_rate=None if kept is None else _share(kept, [not true for true in wanted]),
    )


def spans(entities: Iterable[Entity], threshold: float = 0.0) -> tuple[Span, ...]:
    return tuple((one.start, one.stop, one.label) for one in entities if one.score >= threshold)


def _found(found: Sequence[Sequence[Span]], wanted: Sequence[Sequence[Span]]) -> Found:
    return Found(span_score(found, wanted), by_label(found, wanted))


def _error(found: Sequence[Sequence[Entity]], wanted: Sequence[Sequence[Span]]) -> float:
    pairs = [
        (one.score, any(_touch(one, span) for span in true))
        for some, true in zip(found, wanted, strict=True)
        for one in some
    ]
    scores = np.array([score for score, _ in pairs], dtype=float)
    return binned_error(scores, np.array([right for _, right in pairs], dtype=bool))


def _touch(one: Entity, span: Span) -> bool:
    start, stop, label = span
    return one.label == label and one.start < stop and start < one.stop


def _share(kept: Sequence[Sequence[Span]], chosen: Sequence[bool]) -> float:
    """Of the chosen texts, those in which something was found."""
    hits = [bool(some) for some, wanted in zip(kept, chosen, strict=True) if wanted]
    return float(np.mean(hits)) if hits else float("nan")
