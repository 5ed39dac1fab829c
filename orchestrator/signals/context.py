"""context -- how many tokens the request asks a model to hold (spec/signals.md 2.9).

tokens = the larger of UTF-8 bytes of the conversation's text / 4, and the floor that the protocol
counted off the whole request (tools, images, framing and the reserved output included).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from orchestrator.claims import Claim, Interval, Number, Reads
from orchestrator.signals import SIGNALS, Heuristic, Rule, Surroundings
from orchestrator.types import Reading, Request

BYTES_PER_TOKEN = 4
TOKENS = Number("tokens", Interval(low=0.0), whole=True, always=True)

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kKmM]?)")
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def _tokens(value: object) -> object:
    """Tokens of "32K" (32 000), "1.5M", "999" or a number; None of an empty text."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    if not (match := _SIZE.fullmatch(value.strip())):
        raise ValueError("expected a number of tokens such as 999, 32K or 1.5M")
    number, unit = match.groups()
    return round(float(number) * _FACTORS[unit.lower()])


Tokens = Annotated[int | None, Field(ge=0), BeforeValidator(_tokens)]


class ContextRule(Rule):
    """One row of routing.signals.context; both bounds belong to the range. Without max_tokens
    there is no upper limit."""

    min_tokens: Tokens = None
    """At least; 8K and 1.5M work as well."""
    max_tokens: Tokens = None
    """At most."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.max_tokens is not None and self.max_tokens < (self.min_tokens or 0):
            raise ValueError(f"max_tokens {self.max_tokens} is below min_tokens {self.min_tokens}")
        return self

    def holds(self, tokens: int) -> bool:
        return (self.min_tokens or 0) <= tokens and (
            self.max_tokens is None or tokens <= self.max_tokens
        )


@SIGNALS.register("context")
class Context(Heuristic[ContextRule]):
    Rule = ContextRule
    section = "context"
    results = "context"

    @classmethod
    def claims(cls, rules: Sequence[ContextRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        for rule in rules:
            span = Interval.of(gte=rule.min_tokens, lte=rule.max_tokens)
            yield Reads(rule.name, TOKENS, span, exact=True)

    @classmethod
    def numbers(
        cls, rules: Sequence[ContextRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return dict.fromkeys((rule.name for rule in rules), TOKENS)

    def __init__(self, rules: Sequence[ContextRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._names = [rule.name for rule in self.rules]

    def evaluate(self, request: Request) -> Reading:
        shape = request.shape
        tokens = max(-(-shape.context_bytes // BYTES_PER_TOKEN), shape.floor_tokens)
        return Reading(
            matches={rule.name: None for rule in self.rules if rule.holds(tokens)},
            values=dict.fromkeys(self._names, float(tokens)),
        )
