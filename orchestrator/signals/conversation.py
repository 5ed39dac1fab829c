"""conversation -- what the messages and tools look like (spec/signals.md 2.17)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import model_validator

from orchestrator.claims import COUNT, UNIT, Claim, Interval, Number, Reads
from orchestrator.config.decisions import Predicate
from orchestrator.config.fields import Strict
from orchestrator.matching.bounds import satisfies
from orchestrator.signals import SIGNALS, Heuristic, Rule
from orchestrator.types import Reading, Request, Shape

# Several developer messages are one set of instructions.
AT_MOST_ONE = "developer"

COUNTS: Mapping[str, Callable[[Shape], int]] = {
    "tool_definition": lambda shape: shape.tool_definitions,
    "assistant_tool_call": lambda shape: shape.assistant_tool_calls,
    # A cycle is complete when its result is back.
    "assistant_tool_cycle": lambda shape: shape.tool_results,
    "active_tool_loop": lambda shape: int(shape.active_tool_loop),
    "image_content": lambda shape: shape.images,
}


class Source(Strict):
    type: Literal[
        "message",
        "tool_definition",
        "assistant_tool_call",
        "assistant_tool_cycle",
        "active_tool_loop",
        "image_content",
    ]
    """What is counted."""
    role: Literal["user", "assistant", "system", "developer", "tool", "non_user"] | None = None
    """For message: of whom."""

    @model_validator(mode="after")
    def _role_of_messages(self) -> Self:
        if self.role is not None and self.type != "message":
            raise ValueError(f"role is for source type message only, not for {self.type}")
        return self

    @property
    def number(self) -> Number:
        label = f"{self.type}{f' of {self.role}' if self.role else ''}"
        within = UNIT if self.type == "active_tool_loop" or self.role == AT_MOST_ONE else COUNT
        return Number(label, within, whole=True, always=True)

    def count(self, shape: Shape) -> int:
        if self.type != "message":
            return COUNTS[self.type](shape)
        return sum(
            min(number, 1) if role == AT_MOST_ONE else number
            for role, number in shape.roles.items()
            if self.role in (None, role) or (self.role == "non_user" and role != "user")
        )


class Feature(Strict):
    type: Literal["count", "exists"]
    """How many, or whether there is one."""
    source: Source
    """Of what."""


class ConversationRule(Rule):
    """One row of routing.signals.conversation. A count without predicate always matches: it is
    there for its value."""

    feature: Feature
    """What is measured."""
    predicate: Predicate | None = None
    """Bounds on a count; none: it always matches."""

    @model_validator(mode="after")
    def _no_predicate_on_exists(self) -> Self:
        if self.feature.type == "exists" and self.predicate is not None:
            raise ValueError("feature type exists takes no predicate; use count")
        return self

    @property
    def number(self) -> Number:
        counted = self.feature.source.number
        if self.feature.type == "count":
            return counted
        return Number(f"exists {counted.key}", UNIT, whole=True, always=True)

    def value(self, shape: Shape) -> float:
        number = self.feature.source.count(shape)
        return float(number > 0 if self.feature.type == "exists" else number)

    def holds(self, value: float) -> bool:
        if self.feature.type == "exists":
            return value > 0
        return self.predicate is None or satisfies(value, self.predicate)


@SIGNALS.register("conversation")
class Conversation(Heuristic[ConversationRule]):
    Rule = ConversationRule
    section = "conversation"
    results = "conversation"

    @classmethod
    def claims(
        cls, rules: Sequence[ConversationRule], settings: Mapping[str, Any]
    ) -> Iterator[Claim]:
        for rule in rules:
            exists = rule.feature.type == "exists"
            bounds = rule.predicate.model_dump() if rule.predicate else {}
            span = Interval.of(gt=0.0) if exists else Interval.of(**bounds)
            yield Reads(rule.name, rule.feature.source.number, span, exact=True)

    @classmethod
    def numbers(
        cls, rules: Sequence[ConversationRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return {rule.name: rule.number for rule in rules}

    def evaluate(self, request: Request) -> Reading:
        values = {rule.name: rule.value(request.shape) for rule in self.rules}
        return Reading(
            matches={rule.name: 1.0 for rule in self.rules if rule.holds(values[rule.name])},
            values=values,
        )
