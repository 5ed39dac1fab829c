"""reask -- the user asks once more what was asked before (spec/signals.md 2.6)."""

from __future__ import annotations

from pydantic import Field, field_validator

from orchestrator.signals import SIGNALS, Declared, Rule

THRESHOLD = 0.8  # cosine of two turns that ask the same


class ReaskRule(Rule):
    """One row of routing.signals.reasks. Zero means the default, as the v0.3 format has it."""

    threshold: float = Field(default=THRESHOLD, ge=0, le=1)
    lookback_turns: int = Field(default=1, ge=0)  # consecutive earlier turns that must be alike

    @field_validator("threshold")
    @classmethod
    def default_threshold(cls, value: float) -> float:
        return value or THRESHOLD

    @field_validator("lookback_turns")
    @classmethod
    def default_lookback(cls, value: int) -> int:
        return value or 1


@SIGNALS.register("reask")
class Reask(Declared[ReaskRule]):
    Rule = ReaskRule
    section = "reasks"
    results = "reasks"
