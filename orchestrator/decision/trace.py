"""Why: every decision's evaluated tree, as JSON-ready values with the reference router's keys.

Unlike the engine, a trace evaluates every decision and every child, so that an operator sees the
condition that failed and all others beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrator.decision.tree import Branch, Leaf, Tree, Weight, combine


def trace_node(
    tree: Tree,
    weight: Callable[[Leaf], Weight],
    reason: Callable[[Leaf], str | None],
) -> tuple[Weight, dict[str, Any]]:
    """The node's outcome and its `root_trace` form (children inside)."""
    match tree:
        case Leaf():
            own = weight(tree)
            node = {"node_type": "leaf", "signal_type": tree.family, "signal_name": tree.name}
            if tree.label is not None:
                node["label"] = tree.label
            return own, {**node, **_outcome(own), **_because(own, reason(tree))}
        case Branch():
            below = [trace_node(child, weight, reason) for child in tree.children]
            own = combine(tree.operator, [part for part, _ in below])
            node_type = {"node_type": tree.operator}
            return own, {**node_type, **_outcome(own), "children": [node for _, node in below]}


def trace_decision(
    name: str, tree: Tree, weight: Callable[[Leaf], Weight], reason: Callable[[Leaf], str | None]
) -> dict[str, Any]:
    own, node = trace_node(tree, weight, reason)
    return {"decision_name": name, **_outcome(own), "root_trace": node}


def _outcome(own: Weight) -> dict[str, Any]:
    return {
        "matched": own.state == "match",
        "state": own.state,
        "confidence": own.confidence,
        "confidence_scored": own.measured,
    }


def _because(own: Weight, reason: str | None) -> dict[str, str]:
    return {"reason": reason or "unknown"} if own.state == "unknown" else {}
