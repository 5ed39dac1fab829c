import itertools

import pytest

from orchestrator.config.decisions import Node
from orchestrator.decision.composition import compose
from orchestrator.types import Facts, Reading

NO, YES, DOUBT = Reading(), Reading({"code": None}), Reading(unknown={"code": "inference_timeout"})
LEAVES = {"effort": {"r:hard": "r", "r:easy": "r", "s:hard": "s", "s:easy": "s"}, "word": {}}
CODE = {"type": "word", "name": "code"}
HARD = Reading({"r:hard": 0.3, "s:easy": 0.1}, {"r": 0.3, "s": -0.1}, truncated=True)
FAILED = Reading(unknown={"r": "error", "r:hard": "error", "r:easy": "error"})


def composition(tree, aliases=None):
    node = Node.model_validate(tree)
    return compose({"effort": {"r": node}, "word": {}}, LEAVES, aliases or {})


def applied(tree, effort, word):
    return composition(tree).apply(Facts({"effort": effort, "word": word})).readings["effort"]


@pytest.mark.parametrize(
    ("effort", "word", "matches", "unknown"),
    [
        pytest.param(HARD, NO, {"s:easy": 0.1}, {}, id="fails: no match"),
        pytest.param(FAILED, NO, {}, {}, id="fails: not even unknown"),
        pytest.param(
            HARD, DOUBT, {"s:easy": 0.1}, {"r:hard": "inference_timeout"}, id="unknown: unknown"
        ),
        pytest.param(FAILED, DOUBT, {}, FAILED.unknown, id="both unknown: the rule's own reason"),
        pytest.param(Reading(), DOUBT, {}, {}, id="unknown, and nothing to let pass"),
        pytest.param(HARD, YES, HARD.matches, {}, id="holds"),
        pytest.param(FAILED, YES, {}, FAILED.unknown, id="holds, and the rule is unknown"),
    ],
)
def test_the_rule_holds_where_its_tree_does(effort, word, matches, unknown):
    reading = applied(CODE, effort, word)

    assert (reading.matches, reading.unknown) == (matches, unknown)
    assert (reading.values, reading.truncated) == (effort.values, effort.truncated)


def state_of(tree, a, b):
    """How the match of a rule comes out under the tree: kept, gone or unknown."""
    words = {"a": a, "b": b}
    word = Reading(
        {name: None for name, state in words.items() if state == "yes"},
        unknown={name: "why" for name, state in words.items() if state == "doubt"},
    )
    reading = applied(tree, HARD, word)
    if "r:hard" in reading.matches:
        return "yes"
    return "doubt" if "r:hard" in reading.unknown else "no"


@pytest.mark.parametrize(("a", "b"), list(itertools.product(["no", "doubt", "yes"], repeat=2)))
def test_kleenes_tables(a, b):
    order = ["no", "doubt", "yes"]
    leaves = [{"type": "word", "name": name} for name in "ab"]
    ranks = sorted([order.index(a), order.index(b)])

    assert state_of({"operator": "AND", "conditions": leaves}, a, b) == order[ranks[0]]
    assert state_of({"operator": "OR", "conditions": leaves}, a, b) == order[ranks[1]]
    assert (
        state_of({"operator": "NOT", "conditions": leaves[:1]}, a, b) == order[2 - order.index(a)]
    )


def test_a_family_that_was_not_read_does_not_hold():
    facts = composition(CODE).apply(Facts({"effort": HARD}))

    assert list(facts.readings["effort"].matches) == ["s:easy"]


def test_without_a_reading_of_the_family_nothing_is_made_up():
    facts = Facts({"word": YES}, {"word": 0.1})

    assert composition(CODE).apply(facts) == facts


def test_a_leaf_may_hold_by_another_name():
    aliases = {("word", "code"): (("word", "python"),)}
    facts = Facts({"effort": HARD, "word": Reading({"python": None})})

    found = composition(CODE, aliases).apply(facts)

    assert found.readings["effort"] == HARD


def test_a_predicate_reads_a_value():
    tree = CODE | {"predicate": {"gte": 2}}

    few, many = (applied(tree, HARD, Reading(values={"code": n})) for n in (1.0, 2.0))

    assert ("r:hard" in few.matches, "r:hard" in many.matches) == (False, True)


@pytest.mark.parametrize(
    ("families", "beneath"),
    [
        pytest.param(set(), set(), id="none"),
        pytest.param({"word"}, set(), id="one without composers"),
        pytest.param({"effort"}, {"word"}, id="one with a composer"),
    ],
)
def test_families_beneath(families, beneath):
    assert composition(CODE).beneath(families) == beneath
