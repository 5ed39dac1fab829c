"""Rules of signals that hold only where a tree over other families does (their composers).

Kleene's logic: where the tree fails the rule has no match, whatever its own reading says; where
the tree is unknown, what had matched is unknown (spec/signals.md 2.0, 2.11).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrator.config.decisions import Node
from orchestrator.decision.leaves import Aliases, Leaves
from orchestrator.decision.tree import State, compile_gate, holds, leaves_in, parse
from orchestrator.types import Facts, Reading


class Condition:
    """One tree by itself. Immutable; `families` are those that must be read."""

    def __init__(self, node: Node, aliases: Aliases) -> None:
        tree = parse(node)
        self._leaves = Leaves(leaves_in(tree), aliases)
        self._holds = compile_gate(tree, self._leaves.bits)
        self._fails = compile_gate(tree, self._leaves.bits, negate=True)
        self.families: frozenset[str] = self._leaves.families

    def state(self, facts: Facts) -> State:
        held, missing = self._leaves.literals(*self._leaves.read(facts))
        if holds(self._holds, held, missing):
            return "match"
        return "no_match" if holds(self._fails, held, missing) else "unknown"

    def reason(self, facts: Facts) -> str:
        """Why the tree is unknown: the reason of a leaf that is."""
        reasons = (self._leaves.reason(leaf, facts) for leaf in self._leaves.bits)
        return next(filter(None, reasons), "")


@dataclass(frozen=True, slots=True)
class Composed:
    """One rule with a composer; `names` are the rule's own and those of its leaves."""

    family: str
    names: frozenset[str]
    condition: Condition


class Composition:
    """All composers of a policy. No composer may read a family that has composers."""

    def __init__(self, composed: Sequence[Composed]) -> None:
        self._composed = tuple(composed)

    def beneath(self, families: Collection[str]) -> frozenset[str]:
        """The families that composers of rules of `families` read."""
        found = (one.condition.families for one in self._composed if one.family in families)
        return frozenset[str]().union(*found)

    def apply(self, facts: Facts) -> Facts:
        readings = dict(facts.readings)
        for one in self._composed:
            if one.family in readings:
                readings[one.family] = _filtered(readings[one.family], one, facts)
        return Facts(readings, facts.seconds)


def compose(
    rules: Mapping[str, Mapping[str, Node]],
    leaves: Mapping[str, Mapping[str, str]],
    aliases: Aliases,
) -> Composition:
    """`rules`: family -> rule -> its composer. `leaves`: family -> leaf -> the rule behind it.

    `aliases` are those of the decisions' engine.
    """
    return Composition(
        [
            Composed(
                family,
                frozenset({rule, *(leaf for leaf, of in leaves[family].items() if of == rule)}),
                Condition(node, aliases),
            )
            for family, composers in rules.items()
            for rule, node in composers.items()
        ]
    )


def _filtered(reading: Reading, one: Composed, facts: Facts) -> Reading:
    matched = one.names & reading.matches.keys()
    doubtful = one.names & reading.unknown.keys()
    state = one.condition.state(facts) if matched or doubtful else "match"
    if state == "match":
        return reading
    matches = {name: found for name, found in reading.matches.items() if name not in matched}
    if state == "no_match":
        unknown = {name: why for name, why in reading.unknown.items() if name not in doubtful}
    else:
        unknown = {**dict.fromkeys(matched, one.condition.reason(facts)), **reading.unknown}
    return replace(reading, matches=matches, unknown=unknown)
