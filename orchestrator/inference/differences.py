"""How classifications differ from the reference's, in words that say where."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.inference import Classification, Entity

NAME_CHARS = 60  # of a text's name that are quoted

# Where the reference itself holds two labels for as likely, rounding may turn them.
TIE = 1e-3


@dataclass(frozen=True, slots=True)
class Limits:
    probability: float  # that one may be off by
    span_score: float


@dataclass(frozen=True, slots=True)
class Differences:
    """The largest over all texts, 0 to 1. `said` is empty where the limits are kept."""

    probability: float
    span_score: float
    said: str


@dataclass(frozen=True, slots=True)
class _Deviation:
    task: str
    text: str
    weight: float  # the larger, the rather it is told
    what: str

    def __str__(self) -> str:
        return f"task {self.task}: {self.what} on text {self.text[:NAME_CHARS]!r}"


def differences(
    names: Sequence[str],
    expected: Sequence[Classification],
    live: Sequence[Classification],
    limits: Limits,
) -> Differences:
    """Row by row; `names` are what to call the texts.

    Probabilities must be as near as `limits` says and have the same label on top; entities must be
    the same, with scores as near.
    """
    found: list[_Deviation] = []
    probability = span_score = 0.0
    for name, left, right in zip(names, expected, live, strict=True):
        for task, reference in left.probabilities.items():
            answer = right.probabilities[task]
            off = max(abs(p - answer[label]) for label, p in reference.items())
            probability = max(probability, off)
            found += _labels(task, name, reference, answer, off, limits.probability)
        for task, entities in left.entities.items():
            lacking, extra, off = _matched(entities, right.entities[task])
            span_score = max(span_score, off)
            found += _spans(task, name, lacking, extra)
            if off > limits.span_score:
                found.append(_Deviation(task, name, off, f"score of a span off by {off:.2f}"))
    return Differences(probability, span_score, _told(found))


def _labels(
    task: str,
    name: str,
    reference: Mapping[str, float],
    answer: Mapping[str, float],
    off: float,
    limit: float,
) -> Iterator[_Deviation]:
    if off > limit:
        yield _Deviation(task, name, off, f"probability off by {off:.2f}")
        return
    wanted, given = max(reference, key=reference.__getitem__), max(answer, key=answer.__getitem__)
    if wanted != given and reference[wanted] - reference[given] > TIE:
        yield _Deviation(task, name, off, f"label {given!r} instead of {wanted!r}")


def _matched(
    reference: Sequence[Entity], answer: Sequence[Entity]
) -> tuple[list[Entity], list[Entity], float]:
    """Entities that lack, entities too many, and how far the scores of the others differ."""
    left = {(one.start, one.stop, one.label): one for one in reference}
    right = {(one.start, one.stop, one.label): one for one in answer}
    off = max((abs(left[key].score - right[key].score) for key in left.keys() & right), default=0.0)
    return (
        [left[k] for k in left if k not in right],
        [right[k] for k in right if k not in left],
        off,
    )


def _spans(
    task: str, name: str, lacking: Collection[Entity], extra: Collection[Entity]
) -> Iterator[_Deviation]:
    for verb, some in (("does not find", lacking), ("finds", extra)):
        if some:
            listed = ", ".join(f"{one.label} {one.start}-{one.stop}" for one in some)
            weight = max(one.score for one in some)
            tail = "" if verb == "does not find" else ", which the reference does not,"
            yield _Deviation(task, name, weight, f"{verb} {listed}{tail}")


def _told(found: Sequence[_Deviation]) -> str:
    if not found:
        return ""
    worst = max(found, key=lambda one: one.weight)
    others = len({(one.task, one.text) for one in found}) - 1
    return f"{worst} (and {others} more like it)" if others else str(worst)
