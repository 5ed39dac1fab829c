"""Chooses the decision that applies: compiled once per config, then values in, a value out.

Order among the decisions that match (spec/decisions.md 3.3):

- tiers, when any of them has one: lowest tier first, decisions without a tier last, then
  evidence, priority, name;
- strategy `confidence`: evidence, then priority, then name;
- strategy `priority` (default): priority, then evidence, then name.

*Evidence* (decision/scale.py) puts decisions with a recorded score before those that have none,
and sorts by it. A rule without a score counts as 1.0 in the mean of an AND; alone, or as a child
of an OR, that 1.0 never outranks a real score. Names ascend; the last tie is thus the same on
every run and does not depend on the order in the file. An unknown tree does not match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from orchestrator.config.decisions import Decision
from orchestrator.config.settings import Strategy
from orchestrator.decision.leaves import Aliases, Leaves
from orchestrator.decision.scale import Scale, Weight, compile_scale, weigh
from orchestrator.decision.trace import Tracer
from orchestrator.decision.tree import Gate, Tree, compile_gate, holds, leaves_in, parse
from orchestrator.types import Facts, Verdict

DIGITS = 9  # confidences that differ less are equal: means differ by rounding alone


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision, compiled."""

    name: str
    priority: int
    tier: int
    tree: Tree
    gate: Gate
    scale: Scale


Weighed: TypeAlias = tuple[Entry, Weight]


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
            self._compile(decision, trees[decision.name])
            for decision in sorted(decisions, key=lambda decision: -decision.priority)
        )
        # Without tiers, a lower priority can never win over a higher one that matched.
        self._stops_early = strategy == "priority" and not any(d.tier for d in decisions)
        self._used = {name: _used(tree) for name, tree in trees.items()}
        self.families: frozenset[str] = self._leaves.families

    def _compile(self, decision: Decision, tree: Tree) -> Entry:
        bits = self._leaves.bits
        gate, scale = compile_gate(tree, bits), compile_scale(tree, bits)
        return Entry(decision.name, decision.priority, decision.tier, tree, gate, scale)

    def decide(self, facts: Facts) -> Verdict | None:
        """The decision that applies, or None where none matches."""
        true, unknown = self._leaves.read(facts)
        held, missing = self._leaves.literals(true, unknown)
        matched = self._matching(held, missing)
        if not matched:
            return None
        evidence = self._leaves.evidence(facts, true, held, missing)
        weighed = [(entry, weigh(entry.scale, evidence)) for entry in matched]
        best, (confidence, found) = weighed[0]
        if len(weighed) > 1:
            best, (confidence, found) = min(weighed, key=self._order(matched))
        return Verdict(best.name, confidence, found is not None)

    def trace(self, facts: Facts) -> list[dict[str, Any]]:
        """One entry per decision, highest priority first; see decision/trace.py."""
        tracer = Tracer(self._leaves, facts)
        return [tracer.decision(entry.name, entry.tree) for entry in self._entries]

    def leaves_of(self, decision: str) -> Mapping[str, tuple[str, ...]]:
        """Family -> the rules that the decision's tree names, in reading order."""
        return self._used[decision]

    def _matching(self, held: int, missing: int) -> list[Entry]:
        matched: list[Entry] = []
        for entry in self._entries:
            if matched and self._stops_early and entry.priority < matched[0].priority:
                break
            if holds(entry.gate, held, missing):
                matched.append(entry)
        return matched

    def _order(self, matched: Sequence[Entry]) -> Callable[[Weighed], tuple[Any, ...]]:
        if any(entry.tier for entry in matched):
            return _by_tier
        return _by_evidence if self._strategy == "confidence" else _by_priority


def _by_evidence(candidate: Weighed) -> tuple[Any, ...]:
    entry, weight = candidate
    return (*_rank(weight), -entry.priority, entry.name)


def _by_priority(candidate: Weighed) -> tuple[Any, ...]:
    entry, weight = candidate
    return (-entry.priority, *_rank(weight), entry.name)


def _by_tier(candidate: Weighed) -> tuple[Any, ...]:
    tier = candidate[0].tier
    return (tier == 0, tier, *_by_evidence(candidate))


def _rank(weight: Weight) -> tuple[bool, float]:
    confidence, evidence = weight
    return evidence is None, -round(confidence if evidence is None else evidence, DIGITS)


def _used(tree: Tree) -> dict[str, tuple[str, ...]]:
    used: dict[str, dict[str, None]] = {}
    for leaf in leaves_in(tree):
        used.setdefault(leaf.family, {})[leaf.name] = None
    return {family: tuple(names) for family, names in used.items()}
