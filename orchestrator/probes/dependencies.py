"""Which signals that this version does not run a failed probe rests on.

A probe fails for want of a signal, and not through a fault of ours, only if the same policy with
the rules of such families *unknown* leaves the outcome open: the tree of the expected decision is
unknown there (or matches), nothing that is certain to match comes before it, and every asserted
signal that differs is unknown too. What is certain there stays so whatever those rules would say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.config.decisions import Decision
from orchestrator.config.settings import Strategy
from orchestrator.pipeline import Policy
from orchestrator.probes.comparison import Answer, Check, Comparison, SignalDifference, decision_of
from orchestrator.probes.load import Probe
from orchestrator.projections import Projection

Leaf = tuple[str, str]  # family, rule; an empty rule stands for any of the family
Feeds = Mapping[Leaf, Collection[Leaf]]  # a score or an output -> what it is computed from

# A wrong decision brings its own algorithm, plugins, models and trace with it.
FOLLOWS_DECISION: frozenset[Check] = frozenset(
    {"decision", "algorithm", "plugins", "signals", "alias", "trace", "selection"}
)
OPEN = frozenset({"unknown", "match"})  # states of a tree that may yet win


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Of one recipe.

    `trees` are the leaves of each decision, `before` the decisions that win over it whenever they
    match, `keys` the matched_signals key of each family, `idle` the rules that are never
    evaluated, by family; `thresholds` the score that a rule must reach, by `family:rule`.
    """

    trees: Mapping[str, frozenset[Leaf]]
    before: Mapping[str, frozenset[str]]
    feeds: Feeds
    keys: Mapping[str, str]
    idle: Mapping[str, frozenset[str]]
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def needs(
        self, probe: Probe, answer: Answer, comparison: Comparison, doubting: Answer
    ) -> tuple[str, ...]:
        """The idle families that the failure is due to, sorted; none: it is a failure.

        `doubting` is the answer of the same policy with the rules of idle families unknown.
        """
        failed = comparison.failed
        right = "decision" not in failed
        if not failed <= FOLLOWS_DECISION or (right and failed != {"signals"}):
            return ()
        unknown = _unknown(doubting)
        wrong = self._wrong(comparison.signals)
        if doubting.get("signal_errors") or not wrong <= unknown:
            return ()
        leaves = frozenset[Leaf]() if right else self._undecided(probe, answer, doubting)
        if leaves is None:
            return ()
        return self._idle_among((leaves & unknown) | wrong)

    def _undecided(self, probe: Probe, answer: Answer, doubting: Answer) -> frozenset[Leaf] | None:
        """Leaves of the expected decision and of the one that won; None where it cannot win."""
        expected, won = probe.decision.expected_decision, decision_of(answer)
        states = _states(doubting)
        if expected not in self.trees or states.get(expected) not in OPEN:
            return None
        if any(states.get(rival) == "match" for rival in self.before[expected]):
            return None
        return self.trees[expected] | self.trees.get(won, frozenset())

    def _wrong(self, differing: SignalDifference) -> frozenset[Leaf]:
        families = {key: family for family, key in self.keys.items()}
        wrong = (*differing.missing, *differing.forbidden, *differing.unexpected)
        return frozenset((families.get(key, key), name) for key, name in wrong)

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


def dependencies_of(
    policy: Policy, strategy: Strategy, thresholds: Mapping[str, float] | None = None
) -> Dependencies:
    """`strategy` is the one that `policy` decides by."""
    decisions = policy.decisions
    return Dependencies(
        trees={name: frozenset(_flat(policy.engine.leaves_of(name))) for name in decisions},
        before={
            name: frozenset(
                rival
                for rival, other in decisions.items()
                if surely_before(other, decision, strategy)
            )
            for name, decision in decisions.items()
        },
        feeds=feeds_of(policy.projections),
        keys=policy.results,
        idle={family: frozenset(rules) for family, rules in policy.idle.items()},
        thresholds=thresholds or {},
    )


def surely_before(other: Decision, decision: Decision, strategy: Strategy) -> bool:
    """Whether `other` wins over `decision` whenever it matches, whatever their confidences."""
    if other.tier or decision.tier:
        return (other.tier == 0, other.tier) < (decision.tier == 0, decision.tier)
    return strategy == "priority" and other.priority > decision.priority


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


def _unknown(answer: Answer) -> frozenset[Leaf]:
    pairs = (str(name).partition(":") for name in answer.get("signals_unknown") or ())
    return frozenset((family, rule) for family, _, rule in pairs)


def _states(answer: Answer) -> dict[str, str]:
    return {entry["decision_name"]: entry["state"] for entry in answer.get("eval_trace") or ()}
