import pytest

from orchestrator.config.leaves import leaf_names, leaves, nodes
from orchestrator.config.schema import profiles
from tests.config.documents import loaded

KNOWN = {"word": {"urgent": "urgent"}, "level": {"hard:low": "hard"}, "guard": {"risk": "risk"}}
LABELS = {"guard": {"risk": ("SAFE", "RISKY")}}


def document(condition):
    return (
        "routing:\n  decisions:\n    - name: d\n      rules:\n        operator: OR\n"
        "        conditions:\n          - operator: NOT\n            conditions:\n"
        f"              - {condition}\n"
    )


def said(condition, known=KNOWN):
    result = loaded(document(condition))
    check = result.check()
    for profile in profiles(result.config):
        check.add(leaves(profile, known, LABELS))
    leaf = "routing.decisions[0].rules.conditions[0].conditions[0]"
    return [str(p).removeprefix("router.yaml:9: ").replace(leaf, "LEAF") for p in check.problems]


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        pytest.param(
            "{type: word, name: urgnt}",
            "LEAF.name: unknown word rule 'urgnt' (did you mean 'urgent'?)",
            id="name",
        ),
        pytest.param(
            "{type: level, name: hard}",
            "LEAF.name: unknown level rule 'hard' (did you mean 'hard:low'?)",
            id="rule without its level",
        ),
        pytest.param(
            "{type: word, name: urgent, label: X, predicate: {gt: 0}}",
            "LEAF.label: conditions of type word take no label",
            id="label where there is none",
        ),
        pytest.param(
            "{type: guard, name: risk}",
            "LEAF: a condition of type guard needs a label and a predicate over its score"
            " (labels of 'risk': SAFE, RISKY)",
            id="no label",
        ),
        pytest.param(
            "{type: guard, name: risk, label: RISK, predicate: {gte: 0.5}}",
            "LEAF.label: unknown label 'RISK' (did you mean 'RISKY'?)",
            id="label",
        ),
    ],
)
def test_bad_leaves(condition, problem):
    assert said(condition) == [problem]


@pytest.mark.parametrize(
    "condition",
    [
        "{type: words, name: urgent}",  # `condition_types` says it
        "{type: word, name: urgent}",
        "{type: word, name: urgent, predicate: {gt: 3}}",
        "{type: level, name: 'hard:low'}",
        "{type: guard, name: risk, label: RISKY, predicate: {gte: 0.5}, on_error: match}",
        "{operator: AND}",
    ],
)
def test_good_leaves(condition):
    assert said(condition) == []


def test_a_family_without_rules_says_so():
    assert said("{type: word, name: urgent}", {"word": {}}) == [
        "LEAF.name: unknown word rule 'urgent'"
    ]


def test_recipes_are_checked_with_their_own_names():
    result = loaded(
        "routing: {}\nrecipes:\n  - name: r\n    routing:\n      decisions:\n        - name: d\n"
        "          rules: {type: word, name: gone}\n"
    )
    check = result.check()
    for profile in profiles(result.config):
        check.add(leaves(profile, KNOWN if profile.name == "default" else {"word": {"x": "x"}}))

    assert [(p.path, p.line) for p in check.problems] == [
        ("recipes[0].routing.decisions[0].rules.name", 7)
    ]


def test_names_that_decisions_use():
    config = loaded(
        """\
        routing:
          decisions:
            - {name: a, rules: {type: x, name: two}}
            - name: b
              rules:
                operator: AND
                conditions: [{type: y, name: one}, {type: x, name: one}, {type: x, name: two}]
            - {name: c}
        """
    ).config
    profile = next(profiles(config))

    assert leaf_names(profile) == {"x": ["two", "one"], "y": ["one"]}
    rules = profile.routing.decisions[1].rules
    assert rules is not None
    assert [path for path, _ in nodes(rules, ())] == [
        (),
        ("conditions", 0),
        ("conditions", 1),
        ("conditions", 2),
    ]
