"""A checked recipe as the analysis sees it: what each family says of itself, in one place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from orchestrator import projections
from orchestrator.claims import Claim, Interval, Number
from orchestrator.config.crowding import Most
from orchestrator.config.decisions import Decision, Node
from orchestrator.config.document import Path
from orchestrator.config.schema import Profile
from orchestrator.config.settings import Strategy
from orchestrator.projections import PROJECTION, SCORE, Fact, Known, Projection, Row
from orchestrator.signals import SIGNALS, Rule

SURE = Interval(0.5, 1.0)  # the confidence of the output of a mapping


@dataclass(frozen=True, slots=True)
class Family:
    """`leaves`: names that may match -> the rule behind each; `idle` and `lets_pass` are rules."""

    leaves: Mapping[str, str]
    claims: tuple[Claim, ...] = ()
    numbers: Mapping[str, Number | None] = field(default_factory=dict)
    composers: Mapping[str, Node] = field(default_factory=dict)
    most: Most | None = None
    idle: frozenset[str] = frozenset()
    lets_pass: frozenset[str] = frozenset()

    def rule(self, name: str) -> str:
        return self.leaves.get(name, name)


@dataclass(frozen=True, slots=True)
class Policy:
    """One recipe. `spans` say where numbers lie that projections add, `spans_now` the same where
    the rules that this version does not run match nothing."""

    name: str
    path: Path  # of its routing block
    decisions: tuple[Decision, ...]
    strategy: Strategy = "priority"
    families: Mapping[str, Family] = field(default_factory=dict)
    projections: tuple[Projection[Any], ...] = ()
    not_run: Literal["no_match", "unknown"] = "no_match"
    spans: Mapping[Fact, Interval] = field(default_factory=dict)
    spans_now: Mapping[Fact, Interval] = field(default_factory=dict)
    guards_behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of an output

    @property
    def inserted(self) -> frozenset[Fact]:
        return frozenset[Fact]().union(*(one.inserts for one in self.projections))

    def never(self, fact: Fact) -> bool:
        """Whether this version does not run the rule, and nothing else makes it match."""
        family, name = fact
        known = self.families.get(family)
        return known is not None and known.rule(name) in known.idle and fact not in self.inserted


def policy_of(
    profile: Profile,
    rules: Mapping[str, Sequence[Rule]],
    rows: projections.Rules,
    known: Known,
    settings: Mapping[str, Mapping[str, Any]],
    strategy: Strategy,
    not_run: Literal["no_match", "unknown"],
) -> Policy:
    """From a recipe without errors. `settings`: family -> the part of `global` that tunes it."""
    derived = projections.build(rows, known)
    families = {name: _family(name, own, settings.get(name, {})) for name, own in rules.items()}
    families[PROJECTION] = _outputs(rows, derived)
    bare = Policy(
        profile.name,
        profile.path,
        profile.routing.decisions,
        strategy,
        families,
        derived,
        not_run,
    )
    facts = [(family, name) for family, one in families.items() for name in one.leaves]
    silent = {fact for fact in facts if not_run == "no_match" and bare.never(fact)}
    numbers = {
        (family, name): number.within
        for family, one in families.items()
        for name, number in one.numbers.items()
        if number is not None
    }
    return Policy(
        bare.name,
        bare.path,
        bare.decisions,
        strategy,
        families,
        derived,
        not_run,
        spans=_spans(derived, numbers),
        spans_now=_spans(derived, numbers, silent),
        guards_behind={
            output: _guards(families, projections.behind(rows, known, output))
            for output in families[PROJECTION].leaves
        },
    )


def _family(name: str, rules: Sequence[Rule], settings: Mapping[str, Any]) -> Family:
    kind = SIGNALS[name]
    return Family(
        kind.leaves(rules),
        tuple(kind.claims(rules, settings)),
        kind.numbers(rules, settings),
        kind.composers(rules),
        kind.most(settings),
        frozenset(kind.idle(rules, settings)),
        frozenset(kind.lets_pass(rules, settings)),
    )


def _outputs(
    rows: Mapping[str, Sequence[Row | None]], derived: Sequence[Projection[Any]]
) -> Family:
    names = projections.outputs(rows)
    claims = [claim for one in derived for family, claim in one.claims() if family == PROJECTION]
    scores = {name for one in derived for kind, name in one.span({}) if kind == SCORE}
    sure = {name: Number(f"sure:{name}", SURE, of_match=True) for name in names}
    numbers = {name: number for name, number in sure.items() if name not in scores}
    return Family({name: name for name in names}, tuple(claims), numbers)


def _guards(families: Mapping[str, Family], facts: Collection[Fact]) -> tuple[str, ...]:
    return tuple(
        sorted(
            f"{family}:{name}"
            for family, name in facts
            if family in families and families[family].rule(name) in families[family].lets_pass
        )
    )


def _spans(
    derived: Sequence[Projection[Any]],
    numbers: Mapping[Fact, Interval],
    silent: Collection[Fact] = (),
) -> dict[Fact, Interval]:
    """Of scores, in the order in which they apply."""
    found: dict[Fact, Interval] = {}
    for one in derived:
        found |= one.span({**numbers, **found}, silent)
    return found
