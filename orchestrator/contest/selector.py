"""The contract of a selector, and the table of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from orchestrator.config.fields import Strict
from orchestrator.config.problems import Finding
from orchestrator.contest.contenders import Contender
from orchestrator.contest.needs import NOTHING, Needs, Values
from orchestrator.contest.surroundings import Surroundings
from orchestrator.registry import Registry
from orchestrator.standing import Record
from orchestrator.types import Plan

S = TypeVar("S", bound=Strict | None)  # settings: an instance of `Settings`


class Selector(ABC, Generic[S]):
    """Chooses among the candidates of one decision, at least two; keeps no state."""

    Settings: ClassVar[type[Strict] | None] = None  # of the block; None: there is no block
    needs: Needs = NOTHING
    embeds: ClassVar[bool] = False  # True: it may need the embedding of a text
    classifies: ClassVar[bool] = False  # True: it needs the subject of a text

    def __init__(
        self,
        method: str,
        contenders: Sequence[Contender],
        settings: S,
        surroundings: Surroundings,
    ) -> None:
        self.method = method
        self.contenders = tuple(contenders)
        self.settings = settings
        self.prepare(surroundings)

    def prepare(self, surroundings: Surroundings) -> None:
        """What can be known before any request, `needs` above all."""

    @classmethod
    def check(
        cls, contenders: Sequence[Contender], settings: BaseModel | None, around: Surroundings
    ) -> Iterator[Finding]:
        """What is wrong with valid settings beyond themselves; paths start at `algorithm`."""
        yield from ()

    @abstractmethod
    def choose(self, values: Values) -> Plan: ...

    # ---- plans

    def picked(
        self,
        position: int,
        reason: str,
        scores: Sequence[float | None] = (),
        confidence: float | None = None,
    ) -> Plan:
        chosen = self.contenders[position].candidate
        return Plan(chosen, self.method, "selected", reason, tuple(scores), confidence)

    def first(self, why: str, scores: Sequence[float | None] = ()) -> Plan:
        """The plan where the algorithm came to nothing."""
        reason = f"{why}; the first candidate answers"
        chosen = self.contenders[0].candidate
        return Plan(chosen, self.method, "fallback", reason, tuple(scores))

    def records(self, values: Values) -> list[Record]:
        """How each candidate has been doing; where nobody says, as one that was never asked."""
        return [
            values.standing.get(one.candidate.name, Record(quality=_quality(one)))
            for one in self.contenders
        ]


def _quality(contender: Contender) -> float:
    return Record().quality if contender.quality is None else contender.quality


SELECTORS: Registry[Selector[Any]] = Registry("algorithm")
