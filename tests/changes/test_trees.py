import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.changes.trees import canonical, expression
from orchestrator.config.decisions import Node

A, B, C = ({"type": "word", "name": name} for name in "abc")


def node(value) -> Node | None:
    return None if value is None else Node.model_validate(value)


def over(operator, *conditions):
    return {"operator": operator, "conditions": list(conditions)}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param(None, "always", id="no rules"),
        pytest.param(over("OR"), "OR of nothing", id="never"),
        pytest.param(A, "word:a", id="a leaf"),
        pytest.param(over("NOT", A), "NOT word:a", id="NOT"),
        pytest.param(over("AND", A), "AND(word:a)", id="an AND of one counts a missing score"),
        pytest.param(over("OR", over("AND", A, B)), "word:a AND word:b", id="an OR of one"),
        pytest.param(
            over("AND", B, over("OR", A, over("NOT", C))),
            "word:b AND (word:a OR NOT word:c)",
            id="nested, as written",
        ),
        pytest.param(
            over("AND", over("OR", over("OR", A, B)), C),
            "(word:a OR word:b) AND word:c",
            id="an OR of one inside",
        ),
        pytest.param(
            {"type": "pii", "name": "any", "predicate": {"gte": 0.5, "lt": 1}},
            "pii:any >= 0.5 < 1",
            id="bounds",
        ),
        pytest.param(
            {
                "type": "classifier",
                "name": "tone",
                "label": "rude",
                "predicate": {"gt": 0.5},
                "on_error": "match",
            },
            "classifier:tone:rude > 0.5 (on error match)",
            id="a label",
        ),
    ],
)
def test_expression(rules, expected):
    assert expression(node(rules)) == expected


def test_names_are_replaced_in_the_canonical_form_only_there():
    found = canonical(node(over("OR", B, A)), lambda family, name: f"new_{name}")

    assert found == "word:new_a OR word:new_b"


leaves = st.sampled_from([A, B, C])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda own: over("AND", *own)),
        st.lists(inner, min_size=1, max_size=3).map(lambda own: over("OR", *own)),
        inner.map(lambda one: over("NOT", one)),
    ),
    max_leaves=8,
)


def shuffled(tree, random):
    if "operator" not in tree:
        return tree
    children = [shuffled(child, random) for child in tree["conditions"]]
    random.shuffle(children)
    return over(tree["operator"], *children)


@given(trees, st.randoms(use_true_random=False))
def test_the_order_of_conditions_never_counts(tree, random):
    assert canonical(node(tree)) == canonical(node(shuffled(tree, random)))


@given(trees)
def test_a_tree_and_its_negation_are_never_the_same(tree):
    assert canonical(node(tree)) != canonical(node(over("NOT", tree)))
