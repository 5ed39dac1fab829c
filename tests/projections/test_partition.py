import math

import pytest

from orchestrator.types import Facts, Reading

EXCLUSIVE = {
    "name": "topic",
    "semantics": "exclusive",
    "members": ["billing", "technical", "smalltalk"],
    "default": "smalltalk",
}
SOFTMAX = {**EXCLUSIVE, "semantics": "softmax_exclusive", "temperature": 0.5}


def facts(matches=None, unknown=None):
    return Facts({"embedding": Reading(matches=matches or {}, unknown=unknown or {})})


@pytest.mark.parametrize(
    ("matches", "unknown"),
    [
        pytest.param({"billing": 0.7}, {}, id="one contender stays"),
        pytest.param({}, {"billing": "timeout"}, id="no default while a member is unknown"),
        pytest.param({"billing": 0.9}, {"smalltalk": "timeout"}, id="unknown could still win"),
        pytest.param(
            {"technical": 1.0}, {"billing": "timeout"}, id="an earlier unknown would win a tie"
        ),
    ],
)
def test_stays_as_it_is(applied, matches, unknown):
    before = facts(matches, unknown)

    assert applied(before, partitions=[EXCLUSIVE]) == before


@pytest.mark.parametrize("group", [EXCLUSIVE, SOFTMAX], ids=["exclusive", "softmax"])
def test_who_is_beaten_already_does_not_match_while_the_winner_is_open(applied, projected, group):
    before = facts({"billing": 0.4, "technical": 0.9}, {"smalltalk": "timeout"})

    after = applied(before, partitions=[group])
    trace = projected(partitions=[group])[0].explain(after)

    found = after.readings["embedding"]
    assert (found.matches, found.unknown) == ({"technical": 0.9}, {"smalltalk": "timeout"})
    assert (trace["winner"], trace["unknown"]) == ("technical", {"smalltalk": "timeout"})
    assert [one["raw_score"] for one in trace["contenders"]] == [0.4, 0.9]


def test_family_that_was_not_evaluated_has_no_default(applied):
    before = Facts({"keyword": Reading(matches={"billing": None})})

    assert applied(before, partitions=[EXCLUSIVE]) == before


def test_one_declared_member_is_no_group(applied):
    alone = {**EXCLUSIVE, "members": ["smalltalk"]}

    assert applied(facts(), partitions=[alone]) == facts()


@pytest.mark.parametrize(
    ("matches", "winner"),
    [
        pytest.param({"billing": 0.4, "technical": 0.6, "smalltalk": 0.5}, "technical", id="best"),
        pytest.param({"technical": 0.6, "billing": 0.6}, "billing", id="first declared wins ties"),
        pytest.param({"billing": 0.9, "technical": None}, "technical", id="no confidence is 1.0"),
    ],
)
def test_only_the_highest_stays(applied, matches, winner):
    after = applied(facts({**matches, "other": 0.1}), partitions=[EXCLUSIVE])

    assert after.readings["embedding"].matches == {winner: matches[winner], "other": 0.1}


def test_nobody_contends_so_the_default_holds_and_is_marked(applied):
    found = applied(facts({"other": 0.2}), partitions=[EXCLUSIVE]).readings["embedding"]

    assert found.matches == {"other": 0.2, "smalltalk": None}
    assert found.values == {"default:topic": 1.0}


def test_certain_winner_settles_unknown_members(applied):
    before = facts({"billing": 1.0, "technical": 0.8}, {"smalltalk": "timeout", "other": "timeout"})

    found = applied(before, partitions=[EXCLUSIVE]).readings["embedding"]

    assert found.matches == {"billing": 1.0}
    assert found.unknown == {"other": "timeout"}


def test_softmax_is_over_the_contenders(applied):
    found = applied(facts({"billing": 0.9, "technical": 0.4}), partitions=[SOFTMAX])
    expected = math.exp(0.9 / 0.5) / (math.exp(0.9 / 0.5) + math.exp(0.4 / 0.5))

    assert found.readings["embedding"].matches == {"billing": pytest.approx(expected)}


def test_softmax_of_a_single_contender_changes_nothing(applied):
    assert applied(facts({"billing": 0.3}), partitions=[SOFTMAX]) == facts({"billing": 0.3})


def test_explain_a_decided_group(projected, applied):
    [group] = projected(partitions=[SOFTMAX])
    after = applied(facts({"billing": 0.9, "technical": 0.4}), partitions=[SOFTMAX])
    share = after.readings["embedding"].matches["billing"]

    assert group.explain(after) == {
        "group_name": "topic",
        "signal_type": "embedding",
        "semantics": "softmax_exclusive",
        "contenders": [
            {"name": "billing", "raw_score": 0.9, "normalized_score": pytest.approx(share)},
            {"name": "technical", "raw_score": 0.4, "normalized_score": pytest.approx(1 - share)},
        ],
        "winner": "billing",
        "winner_score": share,
        "raw_winner_score": 0.9,
        "margin": pytest.approx(2 * share - 1),
        "default_used": False,
        "unknown": {},
    }


def test_explain_a_default(projected, applied):
    [group] = projected(partitions=[EXCLUSIVE])

    trace = group.explain(applied(facts(), partitions=[EXCLUSIVE]))

    assert (trace["default_used"], trace["winner"], trace["contenders"]) == (True, "smalltalk", [])


def test_explain_an_undecided_group(projected):
    [group] = projected(partitions=[EXCLUSIVE])

    trace = group.explain(facts(unknown={"billing": "timeout"}))

    assert (trace["winner"], trace["unknown"]) == (None, {"billing": "timeout"})
