"""static -- the first candidate in the file, always (spec/algorithms.md 5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.selection import SELECTORS, Selector
from orchestrator.types import Candidate, Plan


@SELECTORS.register("static")
class Static(Selector):
    def plan(self, candidates: Sequence[Candidate]) -> Plan:
        reason = "the only candidate" if len(candidates) == 1 else "the first candidate"
        return Plan(candidates[0], "static", reason=reason)
