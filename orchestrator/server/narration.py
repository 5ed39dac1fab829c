"""A route in sentences, for people who ask why (the option `include_explanation` of eval). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.pipeline import Policy
from orchestrator.types import Route

Node = Mapping[str, Any]  # of decision/trace.py


def sentences(route: Route, policy: Policy) -> Iterator[str]:
    """Which decision applies and by what, which others match or are open, and who answers."""
    chosen = route.verdict.decision if route.verdict else ""
    trace = {entry["decision_name"]: entry for entry in policy.engine.trace(route.facts)}
    if route.verdict is None:
        yield "No decision matches."
    else:
        by = ", ".join(_leaves(trace[chosen]["root_trace"], "match")) or "its lack of conditions"
        yield f"{chosen!r} applies with confidence {route.verdict.confidence:.3f}, by {by}."
    for name, entry in trace.items():
        if name == chosen:
            continue
        if entry["state"] == "match":
            yield f"{name!r} matches too and comes after it."
        elif entry["state"] == "unknown":
            leaves = ", ".join(_leaves(entry["root_trace"], "unknown"))
            yield f"{name!r} is left out, because {leaves} could not be judged."
    yield f"{route.plan.chosen.name!r} answers: {route.plan.method}, {route.plan.reason}."


def _leaves(node: Node, state: str, negated: bool = False) -> Iterator[str]:
    """The leaves that bring a tree into `state`; those beneath a NOT that match by being false."""
    if "signal_type" in node:
        opposite = {"match": "no_match", "no_match": "match"}.get(state, state)
        if node["state"] == (opposite if negated else state):
            label = f"{node['signal_type']}:{node['signal_name']}"
            reason = f" ({node['reason']})" if node.get("reason") else ""
            yield f"{'not ' if negated else ''}{label}{reason}"
        return
    inside = negated != (node["node_type"] == "NOT")
    for child in node.get("children", ()):
        yield from _leaves(child, state, inside)
