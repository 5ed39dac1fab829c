"""The compiled engine decides as the direct interpreter does, whatever the trees and the facts.

Drawn evenly from seeds: hypothesis prefers small trees, in which few of the rules meet.
"""

from random import Random

import pytest

from orchestrator.config.decisions import Decision, Node
from orchestrator.decision.engine import Engine
from orchestrator.types import Facts, Reading
from tests.decision.interpreter import Interpreter

SEEDS = range(400)
PLAIN = ("word", "topic", "other")
NAMES, JUDGES, LABELS = ("a", "b", "c"), ("a", "b"), ("yes", "no")
LABELLED = (*JUDGES, *(f"{name}:{label}" for name in JUDGES for label in LABELS))
ALIASES = {
    ("topic", "a"): (("other", "b"), ("topic", "c")),
    ("word", "b"): (("word", "c"),),
    ("other", "c"): (("other", "a"),),
}
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
NUMBERS = (-1.0, *SCORES, 3.0)
STATES = ("nothing", "match", "score", "score", "unknown")


def predicate(rng):
    low, high = sorted((rng.choice(NUMBERS), rng.choice(NUMBERS)))
    lower = rng.choice(({}, {"gte": low}, {"gt": low - 0.125}))
    upper = rng.choice(({}, {"lte": high}, {"lt": high + 0.125}))
    return lower | upper or {"gte": low}


def leaf(rng):
    if rng.random() < 0.2:
        row = {"type": "judge", "name": rng.choice(JUDGES), "label": rng.choice(LABELS)}
        on_error = rng.choice(({}, {"on_error": "match"}, {"on_error": "no_match"}))
        return row | {"predicate": predicate(rng)} | on_error
    row = {"type": rng.choice(PLAIN), "name": rng.choice(NAMES)}
    return row | ({"predicate": predicate(rng)} if rng.random() < 0.2 else {})


def tree(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return leaf(rng)
    operator = rng.choice(("AND", "OR", "OR", "NOT"))
    number = 1 if operator == "NOT" else rng.choice((0, 1, 2, 2, 3, 4))
    return {"operator": operator, "conditions": [tree(rng, depth - 1) for _ in range(number)]}


def reading(rng, keys):
    """Of each name: nothing, a match with or without a score, unknown; and perhaps a value."""
    state = {key: rng.choice(STATES) for key in keys}
    matched = [key for key in keys if state[key] in ("match", "score")]
    return Reading(
        {key: rng.choice(SCORES) if state[key] == "score" else None for key in matched},
        {key: rng.choice(NUMBERS) for key in keys if rng.random() < 0.5},
        {key: "timeout" for key in keys if state[key] == "unknown"},
    )


def drawn(seed, tiers=False):
    """Decisions, and facts in which now and then a family was not read."""
    rng = Random(seed)
    decisions = [
        Decision(
            name=f"d{number}",
            priority=rng.randrange(3),
            tier=rng.randrange(3) if tiers else 0,
            rules=Node.model_validate(tree(rng, 3)) if rng.random() < 0.95 else None,
        )
        for number in rng.sample(range(9), rng.randint(1, 6))
    ]
    keys = dict.fromkeys(PLAIN, NAMES) | {"judge": LABELLED}
    readings = {family: reading(rng, of) for family, of in keys.items() if rng.random() < 0.9}
    return decisions, Facts(readings)


@pytest.mark.parametrize("strategy", ["priority", "confidence"])
@pytest.mark.parametrize("tiers", [False, True], ids=["without tiers", "tiers"])
def test_the_engine_decides_as_the_interpreter(strategy, tiers):
    outcomes = set()
    for seed in SEEDS:
        decisions, facts = drawn(seed, tiers)
        direct = Interpreter(facts, ALIASES)
        expected = direct.decide(decisions, strategy)

        verdict = Engine(decisions, strategy, ALIASES).decide(facts)

        outcomes.add(expected is None)
        assert (verdict and verdict.decision) == (expected and expected.name), seed
        if verdict and expected:
            confidence, evidence = direct.weight(expected.rules)
            assert verdict.confidence == pytest.approx(confidence), seed
            assert verdict.measured == (evidence is not None), seed
    assert outcomes == {True, False}


def test_the_trace_judges_as_the_interpreter():
    states = set()
    for seed in SEEDS:
        decisions, facts = drawn(seed)
        direct = Interpreter(facts, ALIASES)
        engine = Engine(decisions, aliases=ALIASES)
        trace = {one["decision_name"]: one for one in engine.trace(facts)}

        for decision in decisions:
            entry, state = trace[decision.name], direct.state(decision.rules)
            states.add(state)
            assert entry["state"] == state, (seed, decision.name)
            weight = direct.weight(decision.rules)[0] if state == "match" else 0.0
            assert entry["confidence"] == pytest.approx(weight), (seed, decision.name)
    assert states == {"match", "no_match", "unknown"}
