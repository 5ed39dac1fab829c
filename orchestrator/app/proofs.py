"""The analysis of a compiled policy file: one report a recipe."""

from __future__ import annotations

from orchestrator.analysis.judge import BUDGET, analyse
from orchestrator.analysis.policy import Policy, policy_of
from orchestrator.analysis.prover import Budget
from orchestrator.analysis.verdict import Report
from orchestrator.app.policies import Compiled, settings_of
from orchestrator.config.schema import strategy


def provable(compiled: Compiled) -> tuple[Policy, ...]:
    """The recipes, as the analysis sees them."""
    config = compiled.config
    settings = settings_of(config)
    return tuple(
        policy_of(
            one.profile,
            one.rules,
            one.rows,
            one.known,
            settings,
            strategy(config, one.profile.routing),
            config.global_.router.not_run_signals,
        )
        for one in compiled.blueprints
    )


def reports(compiled: Compiled, budget: Budget = BUDGET) -> tuple[Report, ...]:
    return tuple(analyse(policy, budget) for policy in provable(compiled))
