"""jailbreak -- the text attacks the model's instructions (spec/signals.md 2.14)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from orchestrator.signals import SIGNALS, Declared, Rule, RuleName

Method = Literal["", "classifier", "contrastive", "hybrid", "patterns"]  # empty: the first


class JailbreakRule(Rule):
    """One row of routing.signals.jailbreak."""

    method: Method = ""
    threshold: float | None = Field(default=None, ge=0, le=1)  # None: the method's own
    include_history: bool = False  # read earlier turns and the system prompt too
    jailbreak_patterns: tuple[RuleName, ...] = ()
    benign_patterns: tuple[RuleName, ...] = ()

    @model_validator(mode="after")
    def has_what_its_method_reads(self) -> Self:
        if self.method in ("contrastive", "hybrid", "patterns") and not self.jailbreak_patterns:
            raise ValueError(f"method {self.method} needs jailbreak_patterns")
        return self


@SIGNALS.register("jailbreak")
class Jailbreak(Declared[JailbreakRule]):
    Rule = JailbreakRule
    section = "jailbreak"
    results = "jailbreak"
    guards = True
    composable = False
