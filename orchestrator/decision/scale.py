"""The confidence of trees that match (spec/decisions.md 3.2), compiled.

AND is the mean of its children, OR the maximum of those that match, NOT is 1.0, a leaf is its
recorded score or 1.0, nothing at all is 0.

Beside that number, which is reported, stands the *evidence*, by which decisions are ranked: None
where no recorded score is part of the tree. Of an OR it is the highest evidence of its children
that match, whatever matches without a score beside them; of an AND it is the confidence. One more
match, or a higher score, thus never lowers a tree in rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

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


# Confidence, 0 to 1, as it is reported; evidence, 0 to 1, as it ranks (None: nothing measured).
# A plain tuple, since one is made for every node of every tree that matches.
Weight: TypeAlias = tuple[float, float | None]
NOTHING: Weight = (0.0, None)


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


def weigh(scale: Scale, facts: Evidence) -> Weight:
    """What a tree weighs that is known to match."""
    return _mean(scale, facts) if scale.mean else _maximum(scale, facts)


def _mean(scale: Scale, facts: Evidence) -> Weight:
    _, leaves, mask, nots, inner = scale
    number = len(leaves) + len(nots) + len(inner)
    if not number:
        return NOTHING
    total = float(len(nots))
    measured = bool(mask & facts.recorded)
    if measured:
        for bit in leaves:
            total += facts.scores.get(bit, 1.0)
    else:
        total += len(leaves)
    for _, child in inner:
        part, evidence = weigh(child, facts)
        total += part
        measured = measured or evidence is not None
    mean = total / number
    return mean, mean if measured else None


def _maximum(scale: Scale, facts: Evidence) -> Weight:
    _, leaves, mask, nots, inner = scale
    hits = mask & facts.true
    best = 1.0 if hits & ~facts.recorded else 0.0
    top: float | None = None
    if hits & facts.recorded:
        scores = facts.scores
        top = max([scores[bit] for bit in leaves if bit & hits and bit in scores])
    for gate in nots:
        if best < 1.0 and holds(gate, facts.held, facts.missing):
            best = 1.0
    for gate, child in inner:
        if holds(gate, facts.held, facts.missing):
            part, evidence = weigh(child, facts)
            best = max(best, part)
            if evidence is not None and (top is None or evidence > top):
                top = evidence
    return (best if top is None else max(best, top)), top
