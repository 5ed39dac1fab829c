"""Which decisions a rule, a projection or a model touches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator import projections
from orchestrator.app.policies import Blueprint
from orchestrator.config.decisions import Decision, Node
from orchestrator.decision.tree import leaves_in, parse
from orchestrator.projections import PROJECTION, Fact, Row
from orchestrator.signals import SIGNALS, Signal


@dataclass(frozen=True, slots=True)
class Usage:
    """Of one recipe. `facts`: decision -> all that its tree rests on, directly or not: leaves,
    the rules behind them, those that share a partition with one, outputs and scores.
    """

    facts: Mapping[str, frozenset[Fact]]
    models: Mapping[str, frozenset[str]]

    def of_rule(self, family: str, name: str) -> tuple[str, ...]:
        """Where rules of a family compete (top_k), each touches whoever uses any of them."""
        if SIGNALS[family].settle is not Signal.settle:
            return self.of_family(family)
        return self._of({(family, name)})

    def of_family(self, family: str) -> tuple[str, ...]:
        return tuple(
            name for name, facts in self.facts.items() if any(one == family for one, _ in facts)
        )

    def of_row(self, section: str, row: Row, blueprint: Blueprint) -> tuple[str, ...]:
        """A partition touches whoever uses a member, any other row whoever uses what it gives."""
        kind = projections.sections()[section]
        facts = kind.uses(row, blueprint.known) if kind.early else _given(kind, row)
        return self._of(facts)

    def of_model(self, name: str) -> tuple[str, ...]:
        return tuple(decision for decision, models in self.models.items() if name in models)

    def _of(self, facts: Iterable[Fact]) -> tuple[str, ...]:
        wanted = frozenset(facts)
        return tuple(name for name, own in self.facts.items() if own & wanted)


def usage_of(blueprint: Blueprint) -> Usage:
    decisions = blueprint.profile.routing.decisions
    behind = {
        (family, leaf): (family, rule)
        for family, rules in blueprint.rules.items()
        for leaf, rule in SIGNALS[family].leaves(rules).items()
    }
    composers: dict[Fact, Node] = {
        (family, rule): node
        for family, rules in blueprint.rules.items()
        for rule, node in SIGNALS[family].composers(rules).items()
    }
    rivals = [
        kind.uses(row, blueprint.known)
        for section, kind in projections.sections().items()
        for row in blueprint.rows.get(section, ())
        if kind.early and row is not None
    ]
    return Usage(
        {
            one.name: _closure(_leaves(one.rules), blueprint, behind, composers, rivals)
            for one in decisions
        },
        {one.name: frozenset(_models(one)) for one in decisions},
    )


def _closure(
    leaves: Iterable[Fact],
    blueprint: Blueprint,
    behind: Mapping[Fact, Fact],
    composers: Mapping[Fact, Node],
    rivals: Sequence[frozenset[Fact]],
) -> frozenset[Fact]:
    seen: set[Fact] = set()
    waiting = list(leaves)
    while waiting:
        fact = waiting.pop()
        if fact in seen:
            continue
        seen.add(fact)
        if fact in behind:
            waiting.append(behind[fact])
        if fact in composers:
            waiting.extend(_leaves(composers[fact]))
        if fact[0] == PROJECTION:
            waiting.extend(projections.behind(blueprint.rows, blueprint.known, fact[1]))
        for members in rivals:  # of a partition: each may take the place of the others
            waiting.extend(members if fact in members else ())
    return frozenset(seen)


def _leaves(node: Node | None) -> Iterator[Fact]:
    for leaf in leaves_in(parse(node)):
        yield leaf.family, leaf.name


def _models(decision: Decision) -> Iterator[str]:
    for ref in decision.modelRefs:
        yield ref.model
        if ref.lora_name:
            yield ref.lora_name


def _given(kind: type[projections.Projection[Any]], row: Row) -> frozenset[Fact]:
    return frozenset(fact for _, fact in kind.gives(row))
