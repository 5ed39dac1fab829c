"""Do the right texts win? What scores of pictures against groups of texts say, and propose.

A group's score is the best cosine of its texts or their mean, as that of an embedding rule with
these candidates. A picture is *inverted* where its right group does not beat the best other one: a
tie is no win, or an encoder that says the same of everything would pass. Where the encoder does not
know the picture (KNOWN below its floor) no rule is decided: it is *unknown*, and not inverted. How
many of these would be is told apart, for whoever lowers the floor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.labelled.groups import OTHER
from orchestrator.labelled.looking import Looked


class Aggregation(StrEnum):
    """Of the texts of a group; the words are those of `aggregation_method`."""

    MAX = "max"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class Judged:
    """One picture. `margin` is None where no group is right, or where there is only one."""

    file: str
    group: str | None  # the right one, or OTHER; None: nothing is said
    scores: Mapping[str, float]  # group -> cosine
    known: float
    familiar: bool  # `known` reaches the floor: rules are decided
    margin: float | None  # right group minus the best wrong one

    @property
    def beaten(self) -> bool:
        """By another group, heeded or not."""
        return self.margin is not None and not self.margin > 0

    @property
    def inverted(self) -> bool:
        return self.familiar and self.beaten

    @property
    def best(self) -> str:
        return max(self.scores, key=self.scores.__getitem__)


@dataclass(frozen=True, slots=True)
class Threshold:
    """Of one group, over the familiar pictures: the middle between its own lowest score and the
    highest score of any other picture. `value` is None where these overlap, or one is missing.
    """

    value: float | None
    lowest_right: float | None
    highest_wrong: float | None


@dataclass(frozen=True, slots=True)
class Report:
    pictures: tuple[Judged, ...]
    floor: float
    thresholds: Mapping[str, Threshold]
    aggregation: Aggregation

    @property
    def judged(self) -> tuple[Judged, ...]:
        return tuple(one for one in self.pictures if one.margin is not None)

    @property
    def told(self) -> tuple[Judged, ...]:
        """Those of the judged that are not unknown."""
        return tuple(one for one in self.judged if one.familiar)

    @property
    def inverted(self) -> tuple[Judged, ...]:
        return tuple(one for one in self.pictures if one.inverted)

    def summary(self) -> dict[str, object]:
        """As JSON has it; what there is nothing to tell of is None."""
        judged, others = self.judged, [one for one in self.pictures if self._is_other(one)]
        margins = [one.margin for one in judged if one.margin is not None]
        unknown = [one for one in judged if not one.familiar]
        return {
            "aggregation": str(self.aggregation),
            "pictures": len(self.pictures),
            "judged": len(judged),
            "inverted": len(self.inverted),
            "inversion_rate": _share([one.inverted for one in self.told]),
            "unknown": len(unknown),
            "unknown_beaten": sum(one.beaten for one in unknown),
            "margin": {
                "min": min(margins, default=None),
                "mean": sum(margins) / len(margins) if margins else None,
            },
            "others": len(others),
            "others_unknown": sum(not one.familiar for one in others),
            "floor": self.floor,
        }

    def _is_other(self, one: Judged) -> bool:
        return one.group == OTHER and OTHER not in one.scores


def judge(
    looked: Looked,
    groups: Mapping[str, Sequence[str]],
    right: Mapping[str, str],
    aggregation: Aggregation = Aggregation.MAX,
) -> Report:
    """`right`: name of a picture -> one of `groups`, or OTHER."""
    column = {text: at for at, text in enumerate(looked.texts)}
    scores = {}
    for name, texts in groups.items():
        cosines = looked.cosines[:, [column[text] for text in texts]]
        scores[name] = cosines.mean(1) if aggregation == Aggregation.MEAN else cosines.max(1)
    pictures = tuple(
        _judged(at, looked, {name: float(all_[at]) for name, all_ in scores.items()}, right)
        for at in range(len(looked.names))
    )
    thresholds = {one: _threshold(one, pictures) for one in groups}
    return Report(pictures, looked.floor, thresholds, aggregation)


def _judged(
    at: int, looked: Looked, scores: Mapping[str, float], right: Mapping[str, str]
) -> Judged:
    name, known = looked.names[at], float(looked.known[at])
    group = right.get(name)
    wrong = [score for other, score in scores.items() if other != group]
    told = group is not None and group in scores and bool(wrong)
    margin = scores[group] - max(wrong) if told and group is not None else None
    return Judged(name, group, scores, known, known >= looked.floor, margin)


def _threshold(group: str, pictures: Sequence[Judged]) -> Threshold:
    labelled = [one for one in pictures if one.familiar and one.group is not None]
    own = [one.scores[group] for one in labelled if one.group == group]
    others = [one.scores[group] for one in labelled if one.group != group]
    lowest, highest = min(own, default=None), max(others, default=None)
    if lowest is None or highest is None or not lowest > highest:
        return Threshold(None, lowest, highest)
    return Threshold((lowest + highest) / 2, lowest, highest)


def _share(some: Sequence[bool]) -> float | None:
    return sum(some) / len(some) if some else None
