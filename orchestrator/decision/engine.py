"""Chooses the decision that applies: compiled once per config, then values in, a value out.

Order among the decisions that match (spec/decisions.md 3.3):

- tiers, when any of them has one: lowest tier first, decisions without a tier last, then
  evidence, priority, name;
- strategy `confidence`: evidence, then priority, then name;
- strategy `priority` (default): priority, then evidence, then name.

*Evidence* puts decisions whose confidence holds a recorded score before those that have none,
and sorts by confidence within each group. A rule without a score counts as 1.0 in the mean of an
AND, but that 1.0 never outranks a real score. Names ascend; the last tie is thus the same on
every run and does not depend on the order in the file. An unknown tree does not match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from orchestrator.config.decisions import Decision
from orchestrator.decision.leaves import Aliases, Leaves
from orchestrator.decision.trace import trace_decision
from orchestrator.decision.tree import (
    Gate,
    Leaf,
    Tree,
    Weight,
    compile_gate,
    holds,
    leaves_in,
    parse,
    weigh,
)
from orchestrator.types import Facts, Verdict

Strategy = Literal["priority", "confidence"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision, compiled."""

    name: str
    priority: int
    tier: int
    tree: Tree
    gate: Gate


class Engine:
    """Immutable after construction; any number of requests may use it at once."""

    def __init__(
        self,
        decisions: Sequence[Decision],
        strategy: Strategy = "priority",
        aliases: Aliases | None = None,
    ) -> None:
        trees = {decision.name: parse(decision.rules) for decision in decisions}
        everywhere = (leaf for tree in trees.values() for leaf in leaves_in(tree))
        self._leaves = Leaves(everywhere, aliases or {})
        self._strategy = strategy
        self._entries = tuple(
            Entry(
                decision.name,
                decision.priority,
                decision.tier,
                trees[decision.name],
                compile_gate(trees[decision.name], self._leaves.bits),
            )
            for decision in sorted(decisions, key=lambda decision: -decision.priority)
        )
        # Without tiers, a lower priority can never win over a higher one that matched.
        self._stops_early = strategy == "priority" and not any(d.tier for d in decisions)
        self._used = {name: _used(tree) for name, tree in trees.items()}
        self.families: frozenset[str] = self._leaves.families

    def decide(self, facts: Facts) -> Verdict | None:
        """The decision that applies, or None where none matches."""
        true, unknown = self._leaves.read(facts)
        matched = self._matching(true, unknown)
        if not matched:
            return None
        weight = self._weights(facts, true, unknown)
        weighed = [(entry, weigh(entry.tree, weight)) for entry in matched]
        best, own = weighed[0] if len(weighed) == 1 else min(weighed, key=self._order(matched))
        return Verdict(best.name, own.confidence, own.measured)

    def trace(self, facts: Facts) -> list[dict[str, Any]]:
        """One entry per decision, highest priority first; see decision/trace.py."""
        weight = self._weights(facts, *self._leaves.read(facts))
        reason = partial(self._leaves.reason, facts=facts)
        return [trace_decision(e.name, e.tree, weight, reason) for e in self._entries]

    def leaves_of(self, decision: str) -> Mapping[str, tuple[str, ...]]:
        """Family -> the rules that the decision's tree names, in reading order."""
        return self._used[decision]

    def _matching(self, true: int, unknown: int) -> list[Entry]:
        false = self._leaves.everything & ~(true | unknown)
        width = len(self._leaves.bits)
        held = true | (false << width)
        missing = ((1 << 2 * width) - 1) ^ held
        matched: list[Entry] = []
        for entry in self._entries:
            if matched and self._stops_early and entry.priority < matched[0].priority:
                break
            if holds(entry.gate, held, missing):
                matched.append(entry)
        return matched

    def _weights(self, facts: Facts, true: int, unknown: int) -> Callable[[Leaf], Weight]:
        return partial(self._leaves.weight, facts=facts, true=true, unknown=unknown)

    def _order(self, matched: Sequence[Entry]) -> Callable[[tuple[Entry, Weight]], Any]:
        if any(entry.tier for entry in matched):
            return _by_tier
        return _by_evidence if self._strategy == "confidence" else _by_priority


def _evidence(own: Weight) -> tuple[bool, float]:
    return (not own.measured, -own.confidence)


def _by_evidence(candidate: tuple[Entry, Weight]) -> tuple[Any, ...]:
    entry, own = candidate
    return (*_evidence(own), -entry.priority, entry.name)


def _by_priority(candidate: tuple[Entry, Weight]) -> tuple[Any, ...]:
    entry, own = candidate
    return (-entry.priority, *_evidence(own), entry.name)


def _by_tier(candidate: tuple[Entry, Weight]) -> tuple[Any, ...]:
    entry, _ = candidate
    return (entry.tier == 0, entry.tier, *_by_evidence(candidate))


def _used(tree: Tree) -> dict[str, tuple[str, ...]]:
    used: dict[str, dict[str, None]] = {}
    for leaf in leaves_in(tree):
        used.setdefault(leaf.family, {})[leaf.name] = None
    return {family: tuple(names) for family, names in used.items()}
