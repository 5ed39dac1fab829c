"""What a model finds in the pieces of a text, and what has a form that can be checked: as one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile, zip_longest

from orchestrator.inference import Entity
from orchestrator.inference.questions import Answer
from orchestrator.matching.personal import Personal
from orchestrator.matching.pieces import Cut


def checked(text: str, cut: Cut, personal: Personal) -> tuple[Entity, ...]:
    """What passes the check of its form, in as much of the text as `cut` gives; by position."""
    found = personal.find_in(text, cut)
    return tuple(Entity(one.start, one.stop, one.label, one.score) for one in found)


def united(
    text: str, task: str, answer: Answer, proved: Sequence[Entity], personal: Personal
) -> tuple[Entity, ...]:
    """What the model said of `task` in its pieces, without what fails the check of its form; and
    what was `proved` by such a check. That stands for what the model calls the same, at the higher
    score of the two, and for what it is less sure of and sees within.
    """
    sure = list(proved)
    starts = [one.start for one in sure]
    kept: list[Entity] = []
    for one in _whole(task, answer):
        if personal.valid(one.label, text[one.start : one.stop]) is False:
            continue
        rivals = _overlapping(one, sure, starts)
        same = [at for at in rivals if sure[at].label == one.label]
        for at in same:
            sure[at] = replace(sure[at], score=max(sure[at].score, one.score))
        if not same and not any(_covers(sure[at], one) for at in rivals):
            kept.append(one)
    return tuple(sorted((*kept, *sure), key=lambda one: (one.start, one.stop, one.label)))


def _whole(task: str, answer: Answer) -> Iterator[Entity]:
    """Entities at their place in the text, each once. Of what neighbours share, the first tells
    what begins in its first half, and the second the rest: both saw that whole."""
    least = 0
    told: dict[str, int] = {}  # type -> where its last one stopped
    for part, following in zip_longest(answer.parts, answer.parts[1:]):
        shared = following is not None and following.start < part.stop
        most = (following.start + part.stop) // 2 if shared else part.stop
        for one in part.said.entities[task]:
            start, stop = part.start + one.start, part.start + one.stop
            if least <= start < most and start >= told.get(one.label, 0):
                told[one.label] = stop
                yield Entity(start, stop, one.label, one.score)
        least = most


def _overlapping(one: Entity, checked: Sequence[Entity], starts: Sequence[int]) -> list[int]:
    """Positions in `checked`, which are in order and do not overlap; `starts` are theirs."""
    before = range(bisect_left(starts, one.stop) - 1, -1, -1)
    return [*takewhile(lambda at: checked[at].stop > one.start, before)]


def _covers(checked: Entity, one: Entity) -> bool:
    inside = checked.start <= one.start and one.stop <= checked.stop
    return inside and checked.score >= one.score
