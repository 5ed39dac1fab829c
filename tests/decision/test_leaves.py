import pytest

from orchestrator.config.decisions import Predicate
from orchestrator.decision.leaves import Leaves, satisfies
from orchestrator.decision.tree import Leaf
from orchestrator.types import Facts, Reading

PLAIN = Leaf("keyword", "urgent")
SCORED = Leaf("structure", "questions", predicate=Predicate(gte=3))
LABEL = Leaf("guard", "toxic", label="bad", predicate=Predicate(gte=0.7))


def state(leaf: Leaf, readings: dict[str, Reading], aliases=None) -> str:
    leaves = Leaves([leaf], aliases or {})
    true, unknown = leaves.read(Facts(readings))
    return leaves.state(leaf, true, unknown)


@pytest.mark.parametrize(
    ("leaf", "readings", "expected"),
    [
        pytest.param(PLAIN, {}, "no_match", id="family was not read"),
        pytest.param(PLAIN, {"keyword": Reading()}, "no_match", id="nothing found"),
        pytest.param(
            PLAIN, {"domain": Reading(matches={"urgent": 1.0})}, "no_match", id="other family"
        ),
        pytest.param(
            PLAIN, {"keyword": Reading(values={"urgent": 1.0})}, "no_match", id="a value only"
        ),
        pytest.param(
            PLAIN, {"keyword": Reading(unknown={"calm": "timeout"})}, "no_match", id="other unknown"
        ),
        pytest.param(PLAIN, {"keyword": Reading(unknown={"urgent": "x"})}, "unknown", id="unknown"),
        pytest.param(
            PLAIN,
            {"keyword": Reading(matches={"urgent": None}, unknown={"urgent": "x"})},
            "match",
            id="a match settles it",
        ),
        pytest.param(PLAIN, {"keyword": Reading(matches={"urgent": None})}, "match", id="match"),
        pytest.param(
            SCORED, {"structure": Reading(matches={"questions": None})}, "no_match", id="no number"
        ),
        pytest.param(
            SCORED,
            {"structure": Reading(matches={"questions": 1.0}, values={"questions": 2.0})},
            "no_match",
            id="value below the bound, though the rule matched",
        ),
        pytest.param(
            SCORED, {"structure": Reading(unknown={"questions": "x"})}, "unknown", id="no value yet"
        ),
        pytest.param(
            SCORED, {"structure": Reading(values={"questions": 3.0})}, "match", id="value holds"
        ),
        pytest.param(
            SCORED, {"structure": Reading(matches={"questions": 4.0})}, "match", id="confidence"
        ),
        pytest.param(
            LABEL, {"guard": Reading(values={"toxic": 0.9})}, "no_match", id="another label's score"
        ),
        pytest.param(
            LABEL, {"guard": Reading(unknown={"toxic": "x"})}, "unknown", id="whole rule failed"
        ),
        pytest.param(
            LABEL, {"guard": Reading(values={"toxic:bad": 0.9})}, "match", id="label's score"
        ),
    ],
)
def test_state(leaf, readings, expected):
    assert state(leaf, readings) == expected


@pytest.mark.parametrize(
    ("on_error", "expected"),
    [(None, "unknown"), ("no_match", "no_match"), ("match", "match")],
    ids=str,
)
@pytest.mark.parametrize("predicate", [None, Predicate(gt=0.5)], ids=["boolean", "predicate"])
def test_on_error_settles_what_is_unknown(on_error, expected, predicate):
    leaf = Leaf("guard", "toxic", predicate=predicate, on_error=on_error)

    assert state(leaf, {"guard": Reading(unknown={"toxic": "timeout"})}) == expected
    assert state(leaf, {"guard": Reading()}) == "no_match"
    assert state(leaf, {"guard": Reading(matches={"toxic": 0.9})}) == "match"


ALIASES = {("authz", "staff"): [("authz", "editor"), ("authz", "owner")]}
STAFF = Leaf("authz", "staff")


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        pytest.param(Reading(matches={"guest": None}), "no_match", id="neither"),
        pytest.param(Reading(unknown={"owner": "x"}), "unknown", id="an alias is unknown"),
        pytest.param(
            Reading(matches={"editor": None}, unknown={"owner": "x"}), "match", id="one is enough"
        ),
        pytest.param(Reading(matches={"owner": None}), "match", id="an alias"),
        pytest.param(Reading(matches={"staff": None}), "match", id="its own name"),
    ],
)
def test_aliases(reading, expected):
    assert state(STAFF, {"authz": reading}, ALIASES) == expected


def test_a_leaf_is_true_or_unknown_never_both():
    readings = {"keyword": Reading(matches={"urgent": None}, unknown={"urgent": "timeout"})}

    assert Leaves([PLAIN], {}).read(Facts(readings)) == (1, 0)


def test_evidence_takes_the_highest_of_the_names_behind_a_leaf():
    leaves = Leaves([STAFF], ALIASES)
    facts = Facts({"authz": Reading(matches={"editor": 0.4, "owner": 0.9, "staff": None})})

    evidence = leaves.evidence(facts, 1, 1, 2)

    assert (evidence.recorded, evidence.scores) == (1, {1: 0.9})


def test_families_are_those_behind_the_leaves():
    leaves = Leaves([STAFF, PLAIN], {("authz", "staff"): [("metadata", "team")]})

    assert leaves.families == {"authz", "keyword", "metadata"}


@pytest.mark.parametrize(
    ("bounds", "inside", "outside"),
    [
        pytest.param({"gt": 1.0}, [1.1], [1.0, 0.9], id="gt"),
        pytest.param({"gte": 1.0}, [1.0], [0.9], id="gte"),
        pytest.param({"lt": 1.0}, [0.9], [1.0], id="lt"),
        pytest.param({"lte": 1.0}, [1.0], [1.1], id="lte"),
        pytest.param({"gte": 0.0, "lt": 1.0}, [0.0, 0.5], [1.0, -0.1], id="both sides"),
    ],
)
def test_bounds(bounds, inside, outside):
    predicate = Predicate(**bounds)

    assert [satisfies(value, predicate) for value in outside] == [False] * len(outside)
    assert [satisfies(value, predicate) for value in inside] == [True] * len(inside)
