"""The compiled engine decides as the direct interpreter does, whatever the trees and the facts."""

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from orchestrator.config.decisions import Decision, Node
from orchestrator.decision.engine import Engine
from orchestrator.types import Facts, Reading
from tests.decision.interpreter import Interpreter

PLAIN, GRADED = ("word", "topic", "other"), ("judge",)
NAMES, LABELS = ("a", "b", "c"), ("yes", "no")
ALIASES = {("topic", "a"): (("other", "b"), ("topic", "c")), ("word", "b"): (("word", "c"),)}
SCORES = st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0))
NUMBERS = st.sampled_from((-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 3.0))


@st.composite
def predicates(draw):
    low, high = sorted([draw(NUMBERS), draw(NUMBERS)])
    lower = st.sampled_from(({}, {"gte": low}, {"gt": low - 0.125}))
    upper = st.sampled_from(({}, {"lte": high}, {"lt": high + 0.125}))
    return (draw(lower) | draw(upper)) or {"gte": low}


@st.composite
def leaves(draw):
    if draw(st.integers(0, 3)) == 0:
        on_error = draw(st.sampled_from(({}, {"on_error": "match"}, {"on_error": "no_match"})))
        label = {"type": "judge", "name": draw(st.sampled_from(NAMES[:2]))}
        return (
            label
            | {"label": draw(st.sampled_from(LABELS)), "predicate": draw(predicates())}
            | on_error
        )
    row = {"type": draw(st.sampled_from(PLAIN)), "name": draw(st.sampled_from(NAMES))}
    bounded = draw(st.integers(0, 3)) == 0
    return row | ({"predicate": draw(predicates())} if bounded else {})


def composites(inner):
    several = st.builds(
        lambda operator, conditions: {"operator": operator, "conditions": conditions},
        st.sampled_from(("AND", "OR")),
        st.lists(inner, max_size=4),
    )
    return several | inner.map(lambda one: {"operator": "NOT", "conditions": [one]})


TREES = st.none() | st.recursive(leaves(), composites, max_leaves=12).map(Node.model_validate)


@st.composite
def readings(draw, keys):
    """Of each name: nothing, a match with or without a score, unknown; and perhaps a value."""
    matches, values, unknown = {}, {}, {}
    for key in keys:
        match draw(st.sampled_from(("nothing", "match", "score", "unknown"))):
            case "match":
                matches[key] = None
            case "score":
                matches[key] = draw(SCORES)
            case "unknown":
                unknown[key] = "timeout"
        if draw(st.booleans()):
            values[key] = draw(NUMBERS)
    return Reading(matches, values, unknown)


LABELLED = (*NAMES[:2], *(f"{name}:{label}" for name in NAMES[:2] for label in LABELS))
FACTS = st.fixed_dictionaries(
    {},
    optional={family: readings(NAMES) for family in PLAIN} | {"judge": readings(LABELLED)},
).map(Facts)


@st.composite
def policies(draw, tiers):
    trees = draw(st.lists(TREES, min_size=1, max_size=6))
    return [
        Decision(
            name=f"d{number}",
            priority=draw(st.integers(0, 2)),
            tier=draw(st.integers(0, 2)) if tiers else 0,
            rules=rules,
        )
        for number, rules in enumerate(draw(st.permutations(trees)))
    ]


@pytest.mark.parametrize("strategy", ["priority", "confidence"])
@pytest.mark.parametrize("tiers", [False, True], ids=["without tiers", "tiers"])
@settings(max_examples=80, deadline=None)
@given(data=st.data(), facts=FACTS)
def test_the_engine_decides_as_the_interpreter(strategy, tiers, data, facts):
    decisions = data.draw(policies(tiers))
    direct = Interpreter(facts, ALIASES)
    expected = direct.decide(decisions, strategy)

    verdict = Engine(decisions, strategy, ALIASES).decide(facts)

    event("decided" if expected else "nothing")
    assert (verdict.decision if verdict else None) == (expected.name if expected else None)
    if verdict and expected:
        confidence, evidence = direct.weight(expected.rules)
        assert verdict.confidence == pytest.approx(confidence)
        assert verdict.measured == (evidence is not None)


@settings(max_examples=80, deadline=None)
@given(decisions=policies(tiers=False), facts=FACTS)
def test_the_trace_judges_as_the_interpreter(decisions, facts):
    direct = Interpreter(facts, ALIASES)
    trace = {one["decision_name"]: one for one in Engine(decisions, aliases=ALIASES).trace(facts)}

    for decision in decisions:
        entry, state = trace[decision.name], direct.state(decision.rules)
        event(state)
        assert entry["state"] == state
        weight = direct.weight(decision.rules)[0] if state == "match" else 0.0
        assert entry["confidence"] == pytest.approx(weight)
