"""fact_check -- does the answer need to be checked against sources (spec/signals.md 2.4)."""

from __future__ import annotations

from typing import Literal

from orchestrator.signals import SIGNALS, Declared, Rule


class FactCheckRule(Rule):
    """One row of routing.signals.fact_check: the name is the classifier's verdict."""

    name: Literal["needs_fact_check", "no_fact_check_needed"]


@SIGNALS.register("fact_check")
class FactCheck(Declared[FactCheckRule]):
    Rule = FactCheckRule
    section = "fact_check"
    results = "fact_check"
