"""The confidence of trees that match (spec/decisions.md 3.2), compiled.

AND is the mean of its children, OR the maximum of those that match, NOT is 1.0, a leaf is its
recorded score or 1.0, nothing at all is 0. Next to the number goes whether a recorded score went
into it: the mean of an AND took all children's, the maximum of an OR only the winner's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from orchestrator.decision.tree import ALWAYS, Branch, Gate, Leaf, Tree, compile_gate, holds


class Scale(NamedTuple):
    mean: bool  # True: AND; False: OR
    leaves: tuple[int, ...]  # one bit each
    mask: int  # all of `leaves`
    nots: tuple[Gate, ...]  # children that count 1.0 when they match
    inner: tuple[tuple[Gate, Scale], ...]  # when a child counts, and what it then weighs


class Evidence(NamedTuple):
    """What one request's facts offer to every scale: see Leaves.evidence."""

    true: int  # leaves that match
    held: int  # literals that are certain
    missing: int  # all other literals
    recorded: int  # leaves in `scores`
    scores: Mapping[int, float]  # leaf bit -> recorded confidence


def compile_scale(tree: Tree, bits: Mapping[Leaf, int]) -> Scale:
    """Where AND matches all its children do, so only the children of an OR keep their gates."""
    if isinstance(tree, Leaf) or tree.operator == "NOT":
        tree = Branch("AND", (tree,))
    leaves: list[int] = []
    nots: list[Gate] = []
    inner: list[tuple[Gate, Scale]] = []
    mask = 0
    mean = tree.operator != "OR"
    for child in tree.children:
        if isinstance(child, Leaf):
            leaves.append(1 << bits[child])
            mask |= leaves[-1]
        elif child.operator == "NOT":
            nots.append(ALWAYS if mean else compile_gate(child, bits))
        else:
            gate = ALWAYS if mean else compile_gate(child, bits)
            inner.append((gate, compile_scale(child, bits)))
    return Scale(mean, tuple(leaves), mask, tuple(nots), tuple(inner))


def confidence(scale: Scale, facts: Evidence) -> tuple[float, bool]:
    """Confidence and whether it was measured, of a tree that is known to match."""
    return _mean(scale, facts) if scale.mean else _maximum(scale, facts)


def _mean(scale: Scale, facts: Evidence) -> tuple[float, bool]:
    _, leaves, mask, nots, inner = scale
    number = len(leaves) + len(nots) + len(inner)
    if not number:
        return 0.0, False
    total = float(len(nots))
    measured = bool(mask & facts.recorded)
    if measured:
        for bit in leaves:
            total += facts.scores.get(bit, 1.0)
    else:
        total += len(leaves)
    for _, child in inner:
        part, real = confidence(child, facts)
        total += part
        measured = measured or real
    return total / number, measured


def _maximum(scale: Scale, facts: Evidence) -> tuple[float, bool]:
    _, leaves, mask, nots, inner = scale
    best = (0.0, False)
    hits = mask & facts.true
    if hits & ~facts.recorded:
        best = (1.0, False)
    if hits & facts.recorded:
        top = max(facts.scores.get(bit, 0.0) for bit in leaves if bit & hits)
        best = max(best, (top, True))
    for gate in nots:
        if holds(gate, facts.held, facts.missing):
            best = max(best, (1.0, False))
    for gate, child in inner:
        if holds(gate, facts.held, facts.missing):
            best = max(best, confidence(child, facts))
    return best
