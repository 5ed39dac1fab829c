"""Which signals that this version does not run a failed probe rests on.

A probe fails for want of a signal, and not through a fault of ours, only if such a signal could
have changed what failed: a leaf of the tree of the expected decision, or of one that would
outrank it, or an asserted signal, each directly or through projections.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.decision.engine import Strategy
from orchestrator.pipeline import Policy
from orchestrator.probes.comparison import Check, Comparison
from orchestrator.probes.load import Probe
from orchestrator.projections import Projection

Leaf = tuple[str, str]  # family, rule; an empty rule stands for any of the family
Feeds = Mapping[Leaf, Collection[Leaf]]  # a score or an output -> what it is computed from

# A wrong decision brings its own algorithm, plugins, models and trace with it.
FOLLOWS_DECISION: frozenset[Check] = frozenset(
    {"decision", "algorithm", "plugins", "signals", "alias", "trace", "selection"}
)


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Of one recipe.

    `trees` are the leaves of each decision, `rivals` the decisions that would be preferred to it
    if they matched, `keys` the matched_signals key of each family, `idle` the rules that are
    never evaluated, by family.
    """

    trees: Mapping[str, frozenset[Leaf]]
    rivals: Mapping[str, frozenset[str]]
    feeds: Feeds
    keys: Mapping[str, str]
    idle: Mapping[str, frozenset[str]]

    def needs(self, probe: Probe, comparison: Comparison) -> tuple[str, ...]:
        """The idle families that the failure may be due to, sorted; none: it is a failure."""
        failed = comparison.failed
        if "decision" in failed:
            expected = probe.decision.expected_decision
            if not failed <= FOLLOWS_DECISION or expected not in self.trees:
                return ()
            names = {expected} | self.rivals[expected]
            leaves = frozenset[Leaf]().union(*(self.trees[name] for name in names))
            return self._idle_among(leaves | self._asserted(probe))
        if failed == {"signals"}:
            differing = comparison.signals
            wrong = (*differing.missing, *differing.forbidden, *differing.unexpected)
            return self._idle_among(self._leaves(wrong))
        return ()

    def _asserted(self, probe: Probe) -> frozenset[Leaf]:
        groups = (probe.expected_signals, probe.forbidden_signals)
        return self._leaves((key, name) for group in groups for key in group for name in group[key])

    def _leaves(self, signals: Iterable[tuple[str, str]]) -> frozenset[Leaf]:
        families = {key: family for family, key in self.keys.items()}
        return frozenset((families.get(key, key), name) for key, name in signals)

    def _idle_among(self, leaves: frozenset[Leaf]) -> tuple[str, ...]:
        return tuple(sorted({f for f, rule in self._closure(leaves) if self._is_idle(f, rule)}))

    def _closure(self, leaves: frozenset[Leaf]) -> set[Leaf]:
        """The leaves and all that they are computed from."""
        seen: set[Leaf] = set()
        waiting = list(leaves)
        while waiting:
            leaf = waiting.pop()
            if leaf not in seen:
                seen.add(leaf)
                waiting.extend(self.feeds.get(leaf, ()))
        return seen

    def _is_idle(self, family: str, rule: str) -> bool:
        rules = self.idle.get(family, frozenset())
        return rule in rules or rule.split(":")[0] in rules or (not rule and bool(rules))


def dependencies_of(policy: Policy, strategy: Strategy) -> Dependencies:
    """`strategy` is the one that `policy` decides by."""
    decisions = policy.decisions
    by_priority = strategy == "priority" and not any(one.tier for one in decisions.values())
    return Dependencies(
        trees={name: frozenset(_flat(policy.engine.leaves_of(name))) for name in decisions},
        rivals={
            name: frozenset(
                rival
                for rival, other in decisions.items()
                if rival != name and (not by_priority or other.priority >= decision.priority)
            )
            for name, decision in decisions.items()
        },
        feeds=feeds_of(policy.projections),
        keys=policy.results,
        idle={family: frozenset(rules) for family, rules in policy.idle.items()},
    )


def feeds_of(projections: Iterable[Projection[Any]]) -> Feeds:
    """What each projection gives, from what it needs. A family that it reads without naming a
    rule (a metric of a knowledge base) counts whole.
    """
    feeds: dict[Leaf, set[Leaf]] = {}
    for projection in projections:
        needed = {fact for _, fact in projection.needs(projection.rule)}
        named = {family for family, _ in needed}
        whole: set[Leaf] = {(family, "") for family in projection.families - named}
        for _, given in projection.gives(projection.rule):
            feeds.setdefault(given, set()).update(needed | whole)
    return feeds


def _flat(used: Mapping[str, Iterable[str]]) -> Iterator[Leaf]:
    for family, names in used.items():
        for name in names:
            yield family, name
