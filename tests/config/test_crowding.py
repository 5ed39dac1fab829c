"""Which ANDs can never hold because too few rules of a family match at a time."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.config.crowding import MANY, Most, crowding
from orchestrator.config.decisions import Node
from orchestrator.config.schema import profiles
from tests.config.documents import loaded

ONE = {"likeness": Most(1, "global.x.top_k")}


def leaf(name, family="likeness", **more):
    return {"type": family, "name": name, **more}


def every(*conditions):
    return {"operator": "AND", "conditions": list(conditions)}


def some(*conditions):
    return {"operator": "OR", "conditions": list(conditions)}


def none(condition):
    return {"operator": "NOT", "conditions": [condition]}


def found(tree, most=ONE):
    """Paths below the decision's rules, and what is said there."""
    config = loaded(str({"routing": {"decisions": [{"name": "d", "rules": tree}]}})).config
    (profile,) = profiles(config)
    return [(one.path[4:], one.message) for one in crowding(profile, most)]


A, B, C = leaf("a"), leaf("b"), leaf("c")
SCORE = leaf("b", predicate={"gte": 0.5})
WORD = leaf("b", "word")


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param(A, id="one rule"),
        pytest.param(some(A, B), id="either"),
        pytest.param(every(A, A), id="the same rule twice"),
        pytest.param(every(A, none(B)), id="one and not another"),
        pytest.param(every(A, SCORE), id="a predicate reads the score"),
        pytest.param(every(A, WORD), id="a rule of another family"),
        pytest.param(every(A, some(B, WORD)), id="there is another way"),
        pytest.param(every(some(A, B), some(B, C)), id="one rule serves both"),
        pytest.param(every(A, some()), id="what never holds anyway"),
        pytest.param(every(), id="nothing"),
    ],
)
def test_what_can_hold_is_not_told(tree):
    assert found(tree) == []


def test_two_rules_at_once_are_told_with_the_setting():
    assert found(every(A, WORD, B)) == [
        (
            (),
            "this AND of 'd' never holds: of the likeness rules 'a', 'b' it needs more than match"
            " at a time, which is 1 by global.x.top_k",
        )
    ]


@pytest.mark.parametrize(
    ("tree", "paths"),
    [
        pytest.param(every(A, every(B, WORD)), [()], id="an AND within"),
        pytest.param(every(A, some(B, C)), [()], id="whichever it is"),
        pytest.param(
            every(A, some(every(B, C), WORD)), [("conditions", 1, "conditions", 0)], id="OR"
        ),
        pytest.param(some(A, every(A, B)), [("conditions", 1)], id="one way of several"),
        pytest.param(none(every(A, B)), [("conditions", 0)], id="below a NOT"),
        pytest.param(every(every(A, B), every(B, C)), [()], id="the outermost alone"),
    ],
)
def test_the_place_is_told(tree, paths):
    assert [path for path, _ in found(tree)] == paths


@pytest.mark.parametrize(("limit", "told"), [(1, 1), (2, 1), (3, 0)], ids=str)
def test_as_many_as_match_at_a_time(limit, told):
    assert len(found(every(A, B, C), {"likeness": Most(limit, "x")})) == told


def test_no_limit_is_no_finding():
    assert found(every(A, B, C), {}) == []


def test_a_tree_of_very_many_ways_is_left_alone():
    pairs = [some(leaf(f"a{at}"), leaf(f"b{at}")) for at in range(12)]
    assert 2 ** len(pairs) > MANY

    assert found(every(*pairs), {"likeness": Most(11, "x")}) == []
    assert len(found(every(*pairs[:3]), {"likeness": Most(2, "x")})) == 1


def trees(leaves):
    return st.recursive(
        leaves,
        lambda deeper: st.one_of(
            st.lists(deeper, min_size=1, max_size=3).map(lambda some_: every(*some_)),
            st.lists(deeper, min_size=1, max_size=3).map(lambda some_: some(*some_)),
        ),
        max_leaves=8,
    )


def holds(node, matched):
    if node.type is not None:
        return node.name in matched
    return (all if node.operator == "AND" else any)(holds(one, matched) for one in node.conditions)


@given(trees(st.sampled_from([leaf(name) for name in "abcd"])), st.integers(1, 3))
def test_told_at_the_root_where_no_choice_of_matches_lets_it_hold(tree, limit):
    root = Node.model_validate(every(tree))
    possible = any(
        holds(root, chosen) for size in range(limit + 1) for chosen in combinations("abcd", size)
    )

    at_root = [path for path, _ in found(every(tree), {"likeness": Most(limit, "x")}) if not path]

    assert bool(at_root) is not possible
