"""event -- an incident, alert or transaction that the text reports (spec/signals.md 2.18).

Reads the whole text, in linear time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from orchestrator.claims import Interval, Number
from orchestrator.config.fields import Name
from orchestrator.matching.literals import Literals
from orchestrator.signals import SIGNALS, Heuristic, Rule, Surroundings
from orchestrator.types import Reading, Request

URGENT = (
    "urgent",
    "immediate",
    "asap",
    "deadline",
    "time-sensitive",
    "time sensitive",
    "time_sensitive",
    "now",
    "critical window",
    "critical-window",
    "critical_window",
)


def _lower(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


Severity = Annotated[Literal["critical", "high", "medium", "low"], BeforeValidator(_lower)]


class EventRule(Rule):
    """One row of routing.signals.events. Each list that is given is one criterion, met by any of
    its words; one criterion is enough to match."""

    event_types: tuple[Name, ...] = ()
    """Words of kinds of events."""
    severities: tuple[Severity, ...] = ()
    """Words of how grave it is."""
    action_codes: tuple[Name, ...] = ()
    """Words of what to do."""
    temporal: bool = False
    """Words of urgency."""

    @model_validator(mode="after")
    def _some_criterion(self) -> Self:
        if not self.criteria():
            raise ValueError("needs one of event_types, severities, action_codes, temporal")
        return self

    def criteria(self) -> tuple[tuple[str, ...], ...]:
        """The words of each criterion."""
        urgent = URGENT if self.temporal else ()
        lists = (self.event_types, self.severities, self.action_codes, urgent)
        return tuple(words for words in lists if words)


@SIGNALS.register("event")
class Event(Heuristic[EventRule]):
    Rule = EventRule
    section = "events"
    results = "event"

    @classmethod
    def numbers(
        cls, rules: Sequence[EventRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        within = Interval(0.5, 1.0)
        return {rule.name: Number(rule.name, within, of_match=True) for rule in rules}

    def __init__(self, rules: Sequence[EventRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        numbers: dict[str, int] = {}  # word -> its position in the matcher
        self._criteria = [
            (rule.name, [frozenset(_number(numbers, words)) for words in rule.criteria()])
            for rule in self.rules
        ]
        self._words = Literals([*numbers])

    def evaluate(self, request: Request) -> Reading:
        found = self._words.found(request.text)
        if not found:
            return Reading()
        matches: dict[str, float | None] = {}
        for name, criteria in self._criteria:
            met = sum(not words.isdisjoint(found) for words in criteria)
            if met:
                matches[name] = 0.5 + 0.5 * met / len(criteria)
        return Reading(matches)


def _number(numbers: dict[str, int], words: Sequence[str]) -> list[int]:
    return [numbers.setdefault(word, len(numbers)) for word in words]
