"""How the models have been doing: the one place that remembers anything between requests.

The client of the backends tells `started`, `ended`, `first_token` and `per_token`; whoever hears
what became of an answer tells `judged`. Selectors are given a `Record` of each candidate, a value.
One object a process, used by its event loop alone; nothing survives a restart. Memory is bounded:
1,000 numbers of each kind for each model, and 4,096 ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.standing.ratings import Experience
from orchestrator.standing.window import Window
from orchestrator.types import EMPTY


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Which of the observed latencies a selector looks at, 1 to 100 each; None: it does not."""

    ttft: float | None = None
    tpot: float | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Of one model, at one moment.

    `ttft` is the time to the first token, `tpot` the time for each further one, in seconds, at the
    percentile that was asked for; None: fewer than three observations. `rating` is the Elo rating,
    `quality` and `verified` are the running means of the outcomes, 0 to 1 (spec/algorithms.md 5.1).
    """

    ttft: float | None = None
    tpot: float | None = None
    inflight: int = 0
    rating: float = 1500.0
    quality: float = 0.8
    verified: float = 0.7


class Standing:
    """`qualities` are the cards' quality scores by model, 0 to 1: where its rating begins."""

    def __init__(self, qualities: Mapping[str, float] = EMPTY) -> None:
        self._experience = Experience(qualities)
        self._ttft: dict[str, Window] = {}
        self._tpot: dict[str, Window] = {}
        self._inflight: dict[str, int] = {}

    def know(self, qualities: Mapping[str, float]) -> None:
        """A policy came into force. What was observed stays."""
        self._experience.know(qualities)

    # ---- what the client of the backends observes

    def started(self, model: str) -> None:
        """A request to `model` is under way; `ended` must follow, whatever happens."""
        self._inflight[model] = self._inflight.get(model, 0) + 1

    def ended(self, model: str) -> None:
        left = self._inflight.get(model, 0) - 1
        if left > 0:
            self._inflight[model] = left
        else:
            self._inflight.pop(model, None)

    def first_token(self, model: str, seconds: float) -> None:
        """A stream began, `seconds` after its request was sent."""
        self._ttft.setdefault(model, Window()).add(seconds)

    def per_token(self, model: str, seconds: float) -> None:
        """An answer came whole, in `seconds` for each token."""
        self._tpot.setdefault(model, Window()).add(seconds)

    # ---- what became of an answer

    def judged(self, decision: str, winner: str | None = None, loser: str | None = None) -> None:
        """`winner` did better than `loser` on a request of `decision` (`scope_of`), or one of them
        alone did well or badly. Models are named as their candidates are.

        Raises ValueError where neither is named, or both are the same.
        """
        self._experience.judged(decision, winner, loser)

    # ---- what selectors are told

    def records(
        self, models: Iterable[str], decision: str = "", asked: Percentiles | None = None
    ) -> dict[str, Record]:
        """Of each of `models`; ratings are those of `decision` where it has been judged."""
        asked = asked or Percentiles()
        return {
            model: Record(
                ttft=_at(self._ttft.get(model), asked.ttft),
                tpot=_at(self._tpot.get(model), asked.tpot),
                inflight=self._inflight.get(model, 0),
                rating=self._experience.rating(model, decision),
                quality=self._experience.quality(model),
                verified=self._experience.verified(model),
            )
            for model in models
        }


def scope_of(recipe: str, decision: str) -> str:
    """The name under which a decision is judged: recipes do not share what they learn."""
    return decision if recipe == "default" else f"{recipe}::{decision}"


def _at(window: Window | None, percentile: float | None) -> float | None:
    return None if window is None or percentile is None else window.percentile(percentile)
