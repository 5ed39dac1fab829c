"""preference -- which described kind of request this is most like (spec/signals.md 2.7)."""

from __future__ import annotations

from pydantic import Field

from orchestrator.signals import SIGNALS, Declared, Rule, RuleName


class PreferenceRule(Rule):
    """One row of routing.signals.preferences; the description is an example as well."""

    examples: tuple[RuleName, ...] = ()
    threshold: float = Field(default=0.0, ge=0, le=1)  # 0: the best rule always counts


@SIGNALS.register("preference")
class Preference(Declared[PreferenceRule]):
    Rule = PreferenceRule
    section = "preferences"
    results = "preferences"
    header = "preference"
