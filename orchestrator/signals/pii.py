"""pii -- the text holds personal data of a kind that is not allowed (spec/signals.md 2.15)."""

from __future__ import annotations

from pydantic import Field

from orchestrator.signals import SIGNALS, Declared, Rule, RuleName


class PiiRule(Rule):
    """One row of routing.signals.pii. Without allowed types, any personal data matches."""

    threshold: float | None = Field(default=None, ge=0, le=1)  # None: the model's own
    pii_types_allowed: tuple[RuleName, ...] = ()  # case does not matter
    include_history: bool = False  # read earlier turns and the system prompt too


@SIGNALS.register("pii")
class Pii(Declared[PiiRule]):
    Rule = PiiRule
    section = "pii"
    results = "pii"
    guards = True
    composable = False
