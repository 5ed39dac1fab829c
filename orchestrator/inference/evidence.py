"""What the methods of a guard say of some texts: of each the highest score of its pieces."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from orchestrator.errors import InferenceError
from orchestrator.inference import Classification, Inference
from orchestrator.inference.contrast import Scores, Starts
from orchestrator.inference.questions import ask
from orchestrator.matching.pieces import Cut

Part = TypeVar("Part", bound=str)  # the name of a method


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of each text, the current one first; `risks` for all rules, the others by rule. Words in
    place of scores are the reason why there are none. `cut`: a part of it was not read. `read` are
    the places where its pieces start, `illegible` of those that the model cannot read.
    `unsearched`: a part of it was not searched for `hits`."""

    risks: Scores | str = ()
    cosines: Mapping[str, Scores] | str | None = None
    hits: Mapping[str, Scores] | None = None
    cut: tuple[bool, ...] = ()
    read: Starts = ()
    illegible: Starts = ()
    unsearched: tuple[bool, ...] = ()

    def of(self, part: str, rule: str, history: bool) -> float | str | None:
        """The highest score; None where all that the rule reads is blank."""
        found = {"contrastive": self.cosines, "patterns": self.hits}.get(part, self.risks)
        scores = found.get(rule) if isinstance(found, Mapping) else found
        if isinstance(scores, str):
            return scores
        read = (scores or ())[: None if history else 1]
        return max((score for score in read if score is not None), default=None)


def scores_of(
    readings: Sequence[Evidence], parts: Sequence[Part], rule: str, history: bool
) -> tuple[dict[Part, float], str | None]:
    """The highest score by each method that has one, and why one has none, if so."""
    said = [(part, one.of(part, rule, history)) for one in readings for part in parts]
    scores: dict[Part, float] = {}
    for part, score in said:
        if score is not None and not isinstance(score, str):
            scores[part] = max(score, scores.get(part, score))
    return scores, next((score for _, score in said if isinstance(score, str)), None)


def illegible(written: Evidence, plain: Evidence) -> list[bool]:
    """Of each text, whether a piece of it was not read: not as it is written, nor in plain words,
    which stand for it where it is in disguise."""
    texts = zip_longest(written.illegible, plain.read, plain.illegible, fillvalue=frozenset[int]())
    return [bool(own - again | lost) for own, again, lost in texts]


async def risks(
    inference: Inference, texts: Sequence[Cut], task: str, labels: Collection[str], enough: float
) -> Evidence:
    """The probability of `labels` in `contents`. A text of which a piece reaches `enough` is read
    no further."""

    def risk(said: Classification) -> float:
        return sum(said.probabilities[task][label] for label in labels)

    try:
        answers = await ask(inference, texts, (task,), lambda one: risk(one) >= enough, chat=True)
    except InferenceError as error:
        return Evidence(error.code, cut=tuple(text.truncated for text in texts))
    scores = [[risk(part.said) for part in answer.parts] for answer in answers]
    cut = tuple(answer.truncated for answer in answers)
    return Evidence(
        [max(one, default=None) for one in scores],
        cut=cut,
        read=tuple(frozenset(part.start for part in answer.parts) for answer in answers),
        illegible=tuple(answer.illegible for answer in answers),
    )
