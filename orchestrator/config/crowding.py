"""Decisions that need more rules of a family to match at once than the family lets through.

Pure: values in, findings out. How many that are is the family's own (`Signal.most`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrator.config.document import Path
from orchestrator.config.leaves import nodes
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Node, Profile

Ways = frozenset[frozenset[str]]  # each: names that have to match together

FREE: Ways = frozenset({frozenset()})
MANY = 1_000  # ways that are looked at; of a tree that has more nothing is said


@dataclass(frozen=True, slots=True)
class Most:
    """How many rules of a family match at the same time, and the setting that says so."""

    rules: int  # at least 1
    setting: str  # its path: "global.router.x"


def crowding(profile: Profile, most: Mapping[str, Most]) -> Iterator[Finding]:
    """A warning for each AND that can never hold because its rules displace one another.

    `most`: family -> what limits it; the others have no limit.
    """
    for index, decision in enumerate(profile.routing.decisions):
        if decision.rules is None:
            continue
        path = (*profile.path, "decisions", index, "rules")
        for family, limit in most.items():
            yield from _crowded(decision.rules, decision.name, path, family, limit)


def _crowded(root: Node, name: str, path: Path, family: str, limit: Most) -> Iterator[Finding]:
    told: list[Path] = []
    for at, node in nodes(root, path):
        within = any(at[: len(outer)] == outer for outer in told)
        if node.operator != "AND" or within or _ways(node, family, limit.rules):
            continue
        told.append(at)
        rules = ", ".join(sorted({repr(leaf) for leaf in _matched(node, family)}))
        yield Finding(
            at,
            f"this AND of {name!r} never holds: of the {family} rules {rules} it needs more than"
            f" match at a time, which is {limit.rules} by {limit.setting}",
            "raise that (0: no limit), or give a condition a predicate, which reads the score",
            "warning",
        )


def _matched(node: Node, family: str) -> Iterator[str]:
    """Rules whose match a tree asks for."""
    for _, leaf in nodes(node, ()):
        if leaf.type == family and leaf.name is not None and leaf.predicate is None:
            yield leaf.name


def _ways(node: Node, family: str, limit: int) -> Ways:
    """The ways in which a tree can hold, as the rules that have to match for each; none where
    all need more than `limit`. What a NOT needs is nothing: its rules may be absent.
    """
    if node.type is not None:
        asks = node.type == family and node.predicate is None and node.name is not None
        return frozenset({frozenset({node.name})}) if asks and node.name else FREE
    if node.operator == "NOT":
        return FREE
    each = [_ways(child, family, limit) for child in node.conditions]
    if node.operator == "OR":
        return _least(frozenset().union(*each)) if each else FREE  # it never holds anyway
    found = FREE
    for ways in each:
        both = {one | other for one in found for other in ways}
        found = _least(frozenset(way for way in both if len(way) <= limit))
        if len(found) > MANY:
            return FREE
    return found


def _least(ways: Ways) -> Ways:
    """Without those that need what another needs, and more."""
    if len(ways) > MANY:
        return FREE
    return frozenset(one for one in ways if not any(other < one for other in ways))
