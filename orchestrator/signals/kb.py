"""kb -- the text belongs to a label or group of a knowledge base (spec/signals.md 2.16)."""

from __future__ import annotations

from typing import Literal

from orchestrator.config.fields import Strict
from orchestrator.signals import SIGNALS, Declared, Rule, RuleName


class Target(Strict):
    kind: Literal["label", "group"]
    value: RuleName


class KbRule(Rule):
    """One row of routing.signals.kb; `kb` is a knowledge base of global.model_catalog.kbs."""

    kb: RuleName
    target: Target
    match: Literal["", "threshold", "best"] = ""  # empty: threshold


@SIGNALS.register("kb")
class Kb(Declared[KbRule]):
    Rule = KbRule
    section = "kb"
    results = "kb"
