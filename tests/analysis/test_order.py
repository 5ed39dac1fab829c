import pytest

from orchestrator.analysis.explanation import explain
from orchestrator.analysis.judge import analyse
from orchestrator.analysis.prover import Budget
from tests.analysis.recipes import both, no, policy, verdicts

SIGNALS = {
    "keywords": [{"name": name, "operator": "OR", "keywords": [name]} for name in ("a", "b", "c")]
}
NARROW = {"rules": both("keyword:a", "keyword:b")}
WIDE = {"rules": both("keyword:a")}
OFF = {"model_catalog": {"modules": {"prompt_guard": {"enabled": False}}}}
BLOCK = {"model_catalog": {"modules": {"prompt_guard": {"on_error": "block"}}}}
GUARD = {**SIGNALS, "jailbreak": [{"name": "attack"}]}


def kinds(decisions, **more):
    return {name: one.kind for name, one in verdicts(SIGNALS, decisions, **more).items()}


CASES = [
    pytest.param({"narrow": NARROW, "wide": WIDE}, {}, "reachable", id="narrow first"),
    pytest.param(
        {"wide": WIDE, "narrow": NARROW},
        {"strategy": "confidence"},
        "reachable",
        id="evidence decides",
    ),
    pytest.param(
        {"wide": {**WIDE, "priority": 1}, "narrow": {**NARROW, "priority": 1}},
        {},
        "reachable",
        id="equal priority",
    ),
    pytest.param(
        {"wide": {**WIDE, "tier": 2}, "narrow": {**NARROW, "tier": 1}}, {}, "reachable", id="tiers"
    ),
    pytest.param({"wide": WIDE, "narrow": NARROW}, {}, "shadowed", id="wide first"),
    pytest.param(
        {"wide": {**WIDE, "tier": 2}, "narrow": NARROW}, {}, "shadowed", id="no tier comes last"
    ),
    pytest.param(
        {"wide": {**WIDE, "tier": 1, "priority": 1}, "narrow": {**NARROW, "tier": 2}},
        {"strategy": "confidence"},
        "shadowed",
        id="tiers go before evidence",
    ),
]


@pytest.mark.parametrize(("decisions", "more", "kind"), CASES)
def test_what_goes_before(decisions, more, kind):
    assert kinds(decisions, **more)["narrow"] == kind


def test_two_shadow_a_third_unless_what_tells_them_apart_is_unknown():
    found = verdicts(
        SIGNALS,
        {
            "with": both("keyword:a", "keyword:b"),
            "without": both("keyword:a", no("keyword:b")),
            "third": both("keyword:a"),
        },
    )["third"]

    assert (found.kind, set(found.by)) == ("shadowed", {"with", "without"})
    assert found.unless_unknown == ("keyword:b",)


def test_equal_priorities_are_a_tie_where_both_may_match():
    same = {"priority": 5}
    found = verdicts(
        SIGNALS,
        {
            "one": {**same, "rules": both("keyword:a")},
            "two": {**same, "rules": both("keyword:b")},
            "apart": {**same, "rules": both(no("keyword:a"), no("keyword:b"))},
        },
    )

    assert found["one"].ties == ("two",)
    assert found["apart"].ties == ()


def test_a_guard_that_is_off_and_what_hangs_on_it():
    found = verdicts(GUARD, {"stop": both("jailbreak:attack"), "go": no("keyword:a")}, top=OFF)

    assert found["stop"].kind == "not_run"
    assert found["stop"].because == ("jailbreak:attack is not run",)
    assert found["go"].kind == "reachable"


@pytest.mark.parametrize(
    ("top", "rules", "opens"),
    [
        pytest.param(BLOCK, both("jailbreak:attack"), (), id="blocks"),
        pytest.param({}, no("jailbreak:attack"), (), id="what a doubt keeps out"),
        pytest.param({}, both("jailbreak:attack"), ("jailbreak:attack",), id="allows"),
    ],
)
def test_guards_that_fail_open(top, rules, opens):
    assert verdicts(GUARD, {"d": rules}, top=top)["d"].fails_open == opens


def test_what_is_not_decided_in_time_is_said_to_be_so():
    found = verdicts(SIGNALS, {"d": both("keyword:a")}, budget=Budget(seconds=-1.0))["d"]

    assert found.kind == "not_analysed"
    assert "-1 s of the processor" in found.because[0]


def test_ways_are_minimal_and_limited():
    rules = {"operator": "OR", "conditions": [both("keyword:a", "keyword:b"), both("keyword:a")]}
    recipe = policy(SIGNALS, {"d": rules, "e": both("keyword:c")})

    told = explain(recipe, "d")

    assert [way.holds for way in told.ways] == [("keyword:a",)]
    assert not told.more
    assert explain(recipe, "e").before == ("d",)
    assert explain(recipe, "none") is None


def test_a_recipe_whose_decisions_cover_everything_never_uses_the_default():
    report = analyse(policy(SIGNALS, {"d": both("keyword:a"), "e": no("keyword:a")}))

    assert (report.default, set(report.covering)) == ("never", {"d", "e"})
