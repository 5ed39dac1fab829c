"""Policy files for the analysis, from their `routing` block."""

import yaml

from orchestrator.analysis.judge import BUDGET, analyse
from orchestrator.app.policies import compile_policies
from orchestrator.app.proofs import provable
from orchestrator.config.load import examine


def leaf(name, **more):
    family, rule = name.split(":", 1)
    return {"type": family, "name": rule, **more}


def both(*conditions):
    return {"operator": "AND", "conditions": [_node(one) for one in conditions]}


def either(*conditions):
    return {"operator": "OR", "conditions": [_node(one) for one in conditions]}


def no(condition):
    return {"operator": "NOT", "conditions": [_node(condition)]}


def _node(one):
    return leaf(one) if isinstance(one, str) else one


def policy(signals, decisions, projections=None, top=None, **routing):
    """`decisions`: rules by name, the first one of the highest priority; or whole decisions."""
    rows = [
        {
            "name": name,
            "priority": 100 - at,
            "modelRefs": [{"model": "m"}],
            **(rules if "rules" in rules else {"rules": rules}),
        }
        for at, (name, rules) in enumerate(decisions.items())
    ]
    document = {
        "version": "v0.3",
        "providers": {"models": [{"name": "m", "backend_refs": [{"endpoint": "127.0.0.1:1"}]}]},
        "routing": {
            "modelCards": [{"name": "m"}],
            "signals": signals,
            "decisions": rows,
            "projections": projections or {},
            **routing,
        },
        "global": top or {},
    }
    return provable(compile_policies(examine(yaml.safe_dump(document), "policy.yaml", {})))[0]


def verdicts(*arguments, budget=BUDGET, **more):
    report = analyse(policy(*arguments, **more), budget)
    return {verdict.decision: verdict for verdict in report.verdicts}
