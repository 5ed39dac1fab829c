"""How near the signals of an expected decision came: scores beside their thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.probes.comparison import Answer
from orchestrator.probes.load import Probe


def scores_of(probe: Probe, answer: Answer, thresholds: Mapping[str, float]) -> tuple[str, ...]:
    """`embedding:support = 0.431, below its threshold 0.5` for every leaf of the expected tree
    that has a score, in reading order. `thresholds` are by `family:rule`, as far as known.
    """
    values = answer.get("signal_values")
    trace = answer.get("eval_trace")
    expected = probe.decision.expected_decision
    if not isinstance(values, dict) or not isinstance(trace, list):
        return ()
    trees = [
        entry.get("root_trace")
        for entry in trace
        if isinstance(entry, dict) and entry.get("decision_name") == expected
    ]
    names = dict.fromkeys(name for tree in trees for name in _leaves(tree))
    return tuple(
        f"{name} = {value:.3f}{_beside(value, thresholds.get(name))}"
        for name in names
        if isinstance(value := values.get(name), int | float)
    )


def _leaves(node: Any) -> Iterator[str]:  # noqa: ANN401 - an answer of any router
    if not isinstance(node, dict):
        return
    if node.get("signal_type"):
        yield f"{node['signal_type']}:{node.get('signal_name')}"
    children = node.get("children")
    for child in children if isinstance(children, list) else ():
        yield from _leaves(child)


def _beside(value: float, threshold: float | None) -> str:
    if threshold is None:
        return ""
    return f", {'reaches' if value >= threshold else 'below'} its threshold {threshold:g}"
