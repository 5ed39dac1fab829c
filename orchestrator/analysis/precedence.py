"""Which decisions go before which in every case (decision/engine.py, spec/decisions.md 3.3).

A lower tier does, and any tier before none. Among decisions without a tier a higher priority does,
where the strategy is `priority`. Whatever else the engine compares (evidence, then the name)
depends on the request.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from orchestrator.config.decisions import Decision
from orchestrator.config.settings import Strategy

Rank = tuple[int, int]


def rank(decision: Decision, strategy: Strategy) -> Rank:
    """The lower one goes first; equal ones may go either way."""
    if decision.tier:
        return 0, decision.tier
    return 1, -decision.priority if strategy == "priority" else 0


def ranked(decisions: Sequence[Decision], strategy: Strategy) -> list[list[Decision]]:
    """Groups of equal rank, the first one first; each in file order."""
    ordered = sorted(decisions, key=lambda decision: rank(decision, strategy))
    return [[*group] for _, group in groupby(ordered, lambda decision: rank(decision, strategy))]


def tied(decision: Decision, group: Sequence[Decision], strategy: Strategy) -> list[Decision]:
    """Those of its rank that nothing written in the policy sets apart but their names."""
    if not decision.tier and strategy == "confidence":
        return []
    return [
        other for other in group if other is not decision and other.priority == decision.priority
    ]
