import pytest

from orchestrator.config.order import order
from tests.config.documents import loaded

ALWAYS = "rules: {operator: AND, conditions: []}"
SOME = "rules: {type: t, name: n}"


def said(*decisions, head=""):
    rows = "".join(f"    - {{{row}}}\n" for row in decisions)
    result = loaded(f"routing:\n  decisions:\n{rows}{head}")
    check = result.check()
    check.add(order(result.config))
    return [str(p).removeprefix("router.yaml:") for p in check.finish()]


@pytest.mark.parametrize(
    "decisions",
    [
        pytest.param([], id="none"),
        pytest.param([f"name: a, priority: 2, {SOME}", f"name: b, priority: 1, {ALWAYS}"], id="ok"),
        pytest.param(
            [f"name: a, tier: 1, priority: 1, {SOME}", f"name: b, tier: 2, priority: 1, {ALWAYS}"],
            id="same priority in two tiers",
        ),
        pytest.param(
            [f"name: a, tier: 1, priority: 1, {SOME}", f"name: b, tier: 1, priority: 2, {ALWAYS}"],
            id="in a tier, confidence goes first",
        ),
    ],
)
def test_nothing_to_say(decisions):
    assert said(*decisions) == []


def test_confidence_orders_what_has_equal_priority():
    rows = [f"name: a, {SOME}", f"name: b, {SOME}"]

    assert said(*rows, head="global: {router: {strategy: confidence}}") == []
    assert len(said(*rows)) == 1


def test_equal_priorities():
    rows = [f"name: {name}, priority: 7, {SOME}" for name in "abcde"]

    assert said(*rows, f"name: z, priority: 1, {SOME}") == [
        "4: warning: routing.decisions[1].priority: 'a', 'b', 'c' and 2 more have the same"
        " priority 7: confidence, then the name, decides between them (give each its own priority)"
    ]


@pytest.mark.parametrize("rules", [ALWAYS, "rules: {}"], ids=["AND of nothing", "no rules"])
def test_a_decision_that_hides_others(rules):
    assert said(f"name: a, priority: 9, {rules}", f"name: b, priority: 1, {SOME}") == [
        "3: warning: routing.decisions[0]: 'a' always matches, so 1 decision(s) after it never"
        " win, first 'b' (give it the lowest priority (and the highest tier, or none))"
    ]


def test_a_tier_that_hides_others():
    found = said(f"name: a, tier: 1, {ALWAYS}", f"name: b, tier: 2, priority: 99, {SOME}")

    assert ["'a' always matches" in line for line in found] == [True]


@pytest.mark.parametrize(
    ("first", "second", "hidden"),
    [
        pytest.param(f"name: a, {ALWAYS}", f"name: b, tier: 1, {SOME}", False, id="no tier: last"),
        pytest.param(f"name: a, tier: 1, {ALWAYS}", f"name: b, {SOME}", True, id="tier: before"),
    ],
)
def test_what_has_no_tier_comes_after_what_has_one(first, second, hidden):
    found = said(first, second)

    assert any("'a' always matches, so 1 decision(s)" in line for line in found) is hidden


def test_tiers_on_some_decisions_only():
    found = said(f"name: a, priority: 2, {SOME}", f"name: b, tier: 1, priority: 1, {SOME}")

    assert found == [
        "3: warning: routing.decisions[0]: 1 decision(s) have no tier while others have, first"
        " 'a': they come after those (give every decision a tier of 1 or more)"
    ]
