"""Witnesses: as few conditions as will do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.analysis.prover import Literal
from orchestrator.analysis.verdict import Way
from orchestrator.analysis.world import World
from orchestrator.claims import Interval
from orchestrator.decision.tree import Leaf, Tree, leaves_in

Demand = tuple[Leaf, bool]  # a leaf, and whether it has to fail


def written(leaf: Leaf, *, fails: bool = False) -> str:
    """`keyword:code`, `NOT language:en`, `embedding:x [0.4, 1]`."""
    bounds = Interval.of(**leaf.predicate.model_dump()) if leaf.predicate else ""
    text = f"{leaf.family}:{leaf.key} {bounds}".rstrip()
    return f"NOT {text}" if fails else text


def demands(tree: Tree, negated: bool = False) -> Iterator[Demand]:
    """What a tree asks of its leaves, negations pushed down to them."""
    if isinstance(tree, Leaf):
        yield tree, negated
    else:
        for child in tree.children:
            yield from demands(child, negated != (tree.operator == "NOT"))


class Relaxed:
    """A tree whose demands can be lifted one by one; `switches` put them in force."""

    def __init__(self, world: World, tree: Tree) -> None:
        self._world = world
        self.switches: dict[Literal, Demand] = {}
        self._met: dict[Demand, Literal] = {}
        self.root = self._of(tree, False)

    def _of(self, tree: Tree, negated: bool) -> Literal:
        prover = self._world.prover
        if isinstance(tree, Leaf):
            return self._demand(tree, negated)
        if tree.operator == "NOT":
            if len(tree.children) == 1:
                return self._of(tree.children[0], not negated)
            return prover.true if negated else -prover.true
        every = (tree.operator != "OR") != negated
        inner = [self._of(child, negated) for child in tree.children]
        if not inner:
            return prover.true if every else -prover.true
        return prover.gate(inner, every=every)

    def _demand(self, leaf: Leaf, negated: bool) -> Literal:
        demand = leaf, negated
        if demand not in self._met:
            prover, fate = self._world.prover, self._world.leaf(leaf)
            met, switch = prover.variable(), prover.variable()
            prover.add(-switch, -met, fate.fails if negated else fate.holds)
            self._met[demand] = met
            self.switches[switch] = demand
        return self._met[demand]


def conflict(
    world: World, tree: Tree, fixed: Sequence[Literal]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of a tree that is impossible with `fixed`: demands that are so together, and why."""
    relaxed = Relaxed(world, tree)
    fixed = [*fixed, relaxed.root]
    core = world.prover.core(fixed, [*relaxed.switches])
    why = world.prover.reasons([*fixed, *core])
    told = (relaxed.switches[switch] for switch in core)
    return tuple(written(leaf, fails=fails) for leaf, fails in told), why


def way(world: World, literals: dict[Literal, Demand], fixed: Sequence[Literal]) -> Way:
    """The fewest of the literals that are impossible together with `fixed`."""
    core = world.prover.core(fixed, [*literals])
    return _way([literals[literal] for literal in core])


def known(world: World, leaves: Sequence[Leaf]) -> dict[Literal, Demand]:
    """What the last answer of the prover says of the leaves that are not unknown."""
    found: dict[Literal, Demand] = {}
    for leaf in leaves:
        fate = world.leaf(leaf)
        if world.prover.held(fate.holds):
            found[fate.holds] = leaf, False
        elif world.prover.held(fate.fails):
            found[fate.fails] = leaf, True
    # What is tried to be spared first: a witness says rather what must not hold.
    return dict(sorted(found.items(), key=lambda item: item[1][1]))


def ways(world: World, tree: Tree, fixed: Sequence[Literal], most: int) -> Iterator[Way]:
    """Ways to make the tree hold: prime implicants, as far as `most`."""
    prover, holds = world.prover, world.holds(tree)
    leaves = list(dict.fromkeys(leaves_in(tree)))
    new = prover.variable()  # assumed: none of those that were given
    for _ in range(most):
        if not prover.possible([*fixed, holds, new]):
            return
        literals = known(world, leaves)
        core = prover.core([*fixed, -holds], [*literals])
        prover.add(-new, *(-literal for literal in core))
        yield _way([literals[literal] for literal in core])


def _way(told: Sequence[Demand]) -> Way:
    return Way(
        tuple(written(leaf) for leaf, fails in told if not fails),
        tuple(written(leaf) for leaf, fails in told if fails),
    )
