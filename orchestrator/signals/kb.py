"""kb -- the text belongs to a label or group of a knowledge base (spec/signals.md 2.16)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from orchestrator.config.fields import Strict
from orchestrator.config.problems import Finding, unknown
from orchestrator.config.schema import Config
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

    @classmethod
    def check(
        cls, rules: Sequence[KbRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        bases = [base.name for base in config.global_.model_catalog.kbs]
        for index, rule in enumerate(rules):
            if rule.kb not in bases:
                yield unknown("knowledge base", rule.kb, bases, (index, "kb"))
