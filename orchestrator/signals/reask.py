"""reask -- the user asks once more what was asked before (spec/signals.md 2.6).

Walks back from the newest earlier turn of the user while turns are alike. `rule` has as its value
how many in a row are, of the turns that were read: as many as the largest `lookback_turns`. Of
several rules that match, those that look back the furthest stay. The confidence is the lowest
cosine among the turns that the rule requires. Turns without text count as if they were not there.

Each turn is read up to `examples.MOST_BYTES`, a longer one as a sample (`truncated`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import Field, field_validator

from orchestrator.claims import AtMost, Claim, Interval, Number
from orchestrator.inference.examples import MODEL, embed
from orchestrator.matching.prototypes import Numbers, cosines_between
from orchestrator.signals import SIGNALS, Inferred, Rule, Surroundings
from orchestrator.types import Reading, Request

THRESHOLD = 0.8  # cosine of two turns that ask the same


class ReaskRule(Rule):
    """One row of routing.signals.reasks. Zero means the default, as the v0.3 format has it."""

    threshold: float = Field(default=THRESHOLD, ge=0, le=1)
    """Likeness from which on a turn repeats another; 0 means the default."""
    lookback_turns: int = Field(default=1, ge=0)
    """Earlier turns in a row that must be alike; 0 means 1."""

    @field_validator("threshold")
    @classmethod
    def default_threshold(cls, value: float) -> float:
        return value or THRESHOLD

    @field_validator("lookback_turns")
    @classmethod
    def default_lookback(cls, value: int) -> int:
        return value or 1


@SIGNALS.register("reask")
class Reask(Inferred[ReaskRule]):
    Rule = ReaskRule
    section = "reasks"
    results = "reask"
    models = (MODEL,)

    def __init__(self, rules: Sequence[ReaskRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._inference = surroundings.inference
        self._furthest = max((rule.lookback_turns for rule in rules), default=0)

    @classmethod
    def limits(cls, rules: Sequence[ReaskRule]) -> dict[str, float]:
        return {rule.name: float(rule.lookback_turns) for rule in rules}

    @classmethod
    def claims(cls, rules: Sequence[ReaskRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        """Of the rules that match, those that look back the furthest stay."""
        turns = sorted({rule.lookback_turns for rule in rules})
        groups = (tuple(r.name for r in rules if r.lookback_turns == turn) for turn in turns)
        yield AtMost(tuple(groups), "of reask rules, those that look back the furthest stay")

    @classmethod
    def numbers(
        cls, rules: Sequence[ReaskRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        furthest = max((rule.lookback_turns for rule in rules), default=0)
        within = Interval(0.0, float(furthest))
        return {rule.name: Number(rule.name, within, whole=True) for rule in rules}

    async def evaluate(self, request: Request) -> Reading:
        earlier = [turn for turn in request.prior_user_texts if turn.strip()]
        newest_first = earlier[::-1][: self._furthest]
        if not newest_first or not request.user_text.strip():
            return Reading(values={rule.name: 0.0 for rule in self.rules})
        vectors, truncated = await embed(self._inference, [request.user_text, *newest_first])
        alike = cosines_between(vectors[:1], vectors[1:])[0]
        streaks = {rule.name: _streak(alike, rule.threshold) for rule in self.rules}
        matched = [rule for rule in self.rules if streaks[rule.name] >= rule.lookback_turns]
        furthest = max((rule.lookback_turns for rule in matched), default=0)
        return Reading(
            {
                rule.name: float(alike[:furthest].min())
                for rule in matched
                if rule.lookback_turns == furthest
            },
            {name: float(streak) for name, streak in streaks.items()},
            truncated=truncated,
        )


def _streak(alike: Numbers, threshold: float) -> int:
    below = np.flatnonzero(alike < threshold)
    return int(below[0]) if below.size else len(alike)
