"""Conditions of decisions name what the signal families declare.

No family is named here: what each declares comes in as tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from orchestrator.config.condition_types import unknown_type
from orchestrator.config.document import Path
from orchestrator.config.problems import Finding, unknown
from orchestrator.config.schema import Node, Profile

Leaves = Mapping[str, Mapping[str, object]]  # family -> names that a leaf may use
Labels = Mapping[str, Mapping[str, Collection[str]]]  # family -> rule -> labels of its leaves
NO_LABELS: Labels = MappingProxyType({})


def leaves(profile: Profile, known: Leaves, labels: Labels = NO_LABELS) -> Iterator[Finding]:
    """Every leaf of the profile's decisions names something that its family declares; what is no
    family is told by `condition_types`.

    `known`: for each family that a leaf may have as its type, the names its leaves may use
    (`Signal.leaves`; for the outputs of mappings, their names). `labels`: for families whose
    leaves take a label and a predicate over its score, the labels of each rule.
    """
    for index, decision in enumerate(profile.routing.decisions):
        if decision.rules is not None:
            path = (*profile.path, "decisions", index, "rules")
            for at, leaf in nodes(decision.rules, path):
                if leaf.type is not None and leaf.type in known:
                    yield from one_leaf(leaf, leaf.type, at, known, labels)


def nodes(root: Node, path: Path) -> Iterator[tuple[Path, Node]]:
    """The node and all below it, with their places, in reading order."""
    left = [(path, root)]
    while left:
        here, node = left.pop()
        yield here, node
        last = len(node.conditions) - 1
        for index in range(last, -1, -1):
            left.append(((*here, "conditions", index), node.conditions[index]))


def leaf_names(profile: Profile) -> dict[str, list[str]]:
    """Which names the profile's decisions use, by family, in order of appearance."""
    used: dict[str, dict[str, None]] = {}
    for decision in profile.routing.decisions:
        if decision.rules is not None:
            for _, node in nodes(decision.rules, ()):
                if node.type is not None and node.name is not None:
                    used.setdefault(node.type, {})[node.name] = None
    return {family: list(names) for family, names in used.items()}


def one_leaf(
    leaf: Node, family: str, path: Path, known: Leaves, labels: Labels = NO_LABELS
) -> Iterator[Finding]:
    """What is wrong with a leaf of the type `family`, of any tree; `known`, `labels` as above."""
    name = leaf.name or ""
    if family not in known:
        yield unknown_type(family, known, (*path, "type"))
        return
    if name not in known[family]:
        yield unknown(f"{family} rule", name, known[family], (*path, "name"))
        return
    if family not in labels:
        for key in ("label", "on_error"):
            if key in leaf.model_fields_set:
                yield Finding((*path, key), f"conditions of type {family} take no {key}")
        return
    allowed = labels[family].get(name, ())
    if leaf.label is None or leaf.predicate is None:
        yield Finding(
            path,
            f"a condition of type {family} needs a label and a predicate over its score",
            f"labels of {name!r}: {', '.join(allowed)}",
        )
    elif leaf.label not in allowed:
        yield unknown("label", leaf.label, allowed, (*path, "label"))
