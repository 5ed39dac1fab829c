"""The analysis of a policy file: one report a recipe, and remarks with their lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrator.analysis.judge import BUDGET, analyse
from orchestrator.analysis.policy import Policy, policy_of
from orchestrator.analysis.prover import Budget
from orchestrator.analysis.remarks import Remark, remarks
from orchestrator.analysis.verdict import Report
from orchestrator.app.policies import Compiled, compile_policies, settings_of
from orchestrator.config.document import Document, dotted
from orchestrator.config.load import examine_file
from orchestrator.config.schema import strategy
from orchestrator.errors import Problem


@dataclass(frozen=True, slots=True)
class Proved:
    """A usable policy file. `policies` and `reports` are of its recipes, in file order; `remarks`
    are what the analysis adds to the warnings of `compiled`, in file order."""

    compiled: Compiled
    policies: tuple[Policy, ...]
    reports: tuple[Report, ...]
    remarks: tuple[Problem, ...]
    document: Document


def prove_file(path: Path, budget: Budget = BUDGET) -> Proved:
    """Raises ConfigError with every problem of the file."""
    examined = examine_file(path)
    compiled = compile_policies(examined)
    policies = provable(compiled)
    reports = tuple(analyse(policy, budget) for policy in policies)
    pairs = zip(policies, reports, strict=True)
    found = [
        _placed(remark, examined.source)
        for policy, report in pairs
        for remark in remarks(policy, report)
    ]
    ordered = tuple(sorted(found, key=lambda problem: problem.line or 0))
    return Proved(compiled, policies, reports, ordered, examined.source)


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


def _placed(remark: Remark, document: Document) -> Problem:
    return Problem(
        dotted(remark.path),
        remark.message,
        document.line(remark.path),
        document.name,
        remark.hint,
        remark.severity,
        remark.rule,
    )
