"""What one decision needs to win, for people."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.analysis.judge import BUDGET, analyse
from orchestrator.analysis.policy import Policy
from orchestrator.analysis.precedence import rank
from orchestrator.analysis.prover import Budget, Prover, Undecided
from orchestrator.analysis.verdict import Report, Verdict, Way
from orchestrator.analysis.witness import ways
from orchestrator.analysis.world import World
from orchestrator.choosing.building import method_of
from orchestrator.choosing.catalogue import candidates_of
from orchestrator.config.decisions import Decision

MOST = 8  # ways that are listed


@dataclass(frozen=True, slots=True)
class Explanation:
    """`ways` are minimal; `more`: there are others. `before` are decisions that go before it in
    every case, and that may match at the same time. `left` is why something is missing."""

    recipe: str
    verdict: Verdict
    ways: tuple[Way, ...]
    more: bool
    before: tuple[str, ...]
    models: tuple[str, ...]
    algorithm: str
    left: str = ""


def explain(
    policy: Policy, name: str, report: Report | None = None, budget: Budget = BUDGET
) -> Explanation | None:
    """None where the recipe has no such decision. `report`: of the recipe, if it is at hand."""
    decision = next((one for one in policy.decisions if one.name == name), None)
    if decision is None:
        return None
    report = report or analyse(policy, budget)
    verdict = next(one for one in report.verdicts if one.decision == name)
    found: list[Way] = []
    before: list[str] = []
    left = ""
    prover = Prover(budget)
    try:
        world = World(policy, prover)
        fixed = [world.answered] if verdict.kind == "not_run" else [world.answered, world.current]
        found += ways(world, world.roots[name], fixed, MOST + 1)
        both = [*fixed, world.holds(world.roots[name])]
        for other in _above(policy, decision):
            if prover.possible([*both, world.holds(world.roots[other.name])]):
                before.append(other.name)
    except Undecided as spent:
        left = str(spent)
    finally:
        prover.close()
    return Explanation(
        policy.name,
        verdict,
        tuple(found[:MOST]),
        len(found) > MOST,
        tuple(before),
        tuple(candidate.name for candidate in candidates_of(decision)),
        method_of(decision),
        left,
    )


def _above(policy: Policy, decision: Decision) -> list[Decision]:
    own = rank(decision, policy.strategy)
    return [other for other in policy.decisions if rank(other, policy.strategy) < own]
