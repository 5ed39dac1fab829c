"""All readings of a small policy, tried one by one, without a solver."""

from itertools import product

from orchestrator.claims import AtMost, Implies, Reads, Some
from orchestrator.decision.tree import Leaf, kleene, parse

STATES = ("match", "no_match")
FAMILY = "keyword"


def inside(value, interval):
    above = value > interval.low if interval.above else value >= interval.low
    return above and (value < interval.high if interval.below else value <= interval.high)


def keeps(claim, held, numbers):
    """Whether a reading keeps a claim: the names that hold, and the value of each number."""
    match claim:
        case AtMost():
            return sum(any(name in held for name in group) for group in claim.groups) <= claim.most
        case Some():
            return any(name in held for name in claim.names)
        case Implies():
            return claim.name not in held or claim.other in held
        case Reads():
            value = numbers[claim.number.key]
            there = inside(value, claim.within)
            there = there and not any(inside(value, one) for one in claim.outside)
            return (
                claim.name not in held or there
                if not claim.exact
                else there == (claim.name in held)
            )


def readings(names, claims, values):
    """Each set of names that may hold together, some way. `values`: of each number, all it has."""
    found = set()
    for states in product((True, False), repeat=len(names)):
        held = frozenset(name for name, on in zip(names, states, strict=True) if on)
        for some in product(*values.values()):
            numbers = dict(zip(values, some, strict=True))
            if all(keeps(claim, held, numbers) for claim in claims):
                found.add(held)
    return found


def state(tree, held, unknown=frozenset()):
    if isinstance(tree, Leaf):
        if tree.name in unknown:
            return "unknown"
        return "match" if tree.name in held else "no_match"
    return kleene(tree.operator, [state(child, held, unknown) for child in tree.children])


def matching(decisions, held, unknown=frozenset()):
    return [d for d in decisions if state(parse(d.rules), held, unknown) == "match"]


def kind(decision, decisions, possible):
    """By priority alone."""
    mine = [held for held in possible if decision in matching(decisions, held)]
    if not mine:
        return "unreachable"
    if all(
        any(other.priority > decision.priority for other in matching(decisions, held))
        for held in mine
    ):
        return "shadowed"
    return "reachable"
