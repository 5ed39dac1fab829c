"""Why: every decision's evaluated tree, as JSON-ready values with the reference router's keys.

Unlike the engine, a trace evaluates every decision and every child, so that an operator sees the
condition that failed and all others beside it.
"""

from __future__ import annotations

from typing import Any

from orchestrator.decision.leaves import Leaves
from orchestrator.decision.scale import NOTHING, Evidence, compile_scale, weigh
from orchestrator.decision.tree import Branch, Leaf, State, Tree, kleene
from orchestrator.types import Facts


class Tracer:
    """Traces the trees of one policy over one request's facts."""

    def __init__(self, leaves: Leaves, facts: Facts) -> None:
        self._leaves = leaves
        self._facts = facts
        self._true, self._unknown = leaves.read(facts)
        held = leaves.literals(self._true, self._unknown)
        self._evidence: Evidence = leaves.evidence(facts, self._true, *held)

    def decision(self, name: str, tree: Tree) -> dict[str, Any]:
        root = self.node(tree)
        outcome = {key: root[key] for key in ("matched", "state", "confidence")}
        return {"decision_name": name, **outcome, "root_trace": root}

    def node(self, tree: Tree) -> dict[str, Any]:
        match tree:
            case Leaf():
                return self._leaf(tree)
            case Branch():
                children = [self.node(child) for child in tree.children]
                state = kleene(tree.operator, [child["state"] for child in children])
                outcome = self._outcome(tree, state)
                return {"node_type": tree.operator, **outcome, "children": children}

    def _leaf(self, leaf: Leaf) -> dict[str, Any]:
        state = self._leaves.state(leaf, self._true, self._unknown)
        node = {"node_type": "leaf", "signal_type": leaf.family, "signal_name": leaf.name}
        if leaf.label is not None:
            node["label"] = leaf.label
        outcome = self._outcome(leaf, state)
        if state == "unknown":
            outcome["reason"] = self._leaves.reason(leaf, self._facts)
        return {**node, **outcome}

    def _outcome(self, tree: Tree, state: State) -> dict[str, Any]:
        matched = state == "match"
        scale = compile_scale(tree, self._leaves.bits)
        confidence, evidence = weigh(scale, self._evidence) if matched else NOTHING
        return {
            "matched": matched,
            "state": state,
            "confidence": confidence,
            "confidence_scored": evidence is not None,
        }
