import pytest

from orchestrator.probes.coverage import Share, cover


def leaf(name, state="no_match", label=None):
    own = {"label": label} if label else {}
    return {"node_type": "leaf", "signal_type": "word", "signal_name": name, "state": state, **own}


def branch(operator, *children, state="no_match"):
    return {"node_type": operator, "state": state, "children": list(children)}


def entry(name, root):
    return {"decision_name": name, "state": root["state"], "root_trace": root}


def answer(winner, *entries, recipe="default"):
    return {"recipe": recipe, "routing_decision": winner, "eval_trace": list(entries)}


HIT = answer("law", entry("law", branch("OR", leaf("a", "match"), leaf("b"), state="match")))
MISS = answer("", entry("law", branch("OR", leaf("a"), leaf("b"))))
DOUBT = answer("", entry("law", branch("OR", leaf("a", "unknown"), leaf("b"), state="unknown")))


def missing(coverage):
    return {
        condition.path: condition.missing
        for decision in coverage.decisions
        for condition in decision.conditions.values()
        if condition.missing
    }


@pytest.mark.parametrize(
    ("answers", "expected", "leaves"),
    [
        pytest.param(
            [MISS],
            {
                "decisions[law].rules": "never true",
                "decisions[law].rules.conditions[0]": "never true",
                "decisions[law].rules.conditions[1]": "never true",
            },
            Share(2, 4),
            id="nothing matched",
        ),
        pytest.param(
            [HIT],
            {
                "decisions[law].rules": "never false",
                "decisions[law].rules.conditions[0]": "never false",
                "decisions[law].rules.conditions[1]": "never true",
            },
            Share(2, 4),
            id="only ever matched",
        ),
        pytest.param(
            [DOUBT],
            {
                "decisions[law].rules": "only ever unknown",
                "decisions[law].rules.conditions[0]": "only ever unknown",
                "decisions[law].rules.conditions[1]": "never true",
            },
            Share(1, 4),
            id="what is unknown was not seen",
        ),
        pytest.param(
            [HIT, MISS, DOUBT],
            {"decisions[law].rules.conditions[1]": "never true"},
            Share(3, 4),
            id="several requests together",
        ),
    ],
)
def test_conditions(answers, expected, leaves):
    found = cover(answers)

    assert missing(found) == expected
    assert found.share(leaf=True) == leaves
    assert found.answers == len(answers)


def test_a_decision_is_exercised_when_it_wins_not_when_it_matches():
    beaten = entry("slow", leaf("c", "match"))
    found = cover([answer("law", *HIT["eval_trace"], beaten), MISS])

    assert [(one.decision, one.won, one.matched) for one in found.decisions] == [
        ("law", 1, 1),
        ("slow", 0, 1),
    ]
    assert found.won == Share(1, 2)


@pytest.mark.parametrize(
    ("root", "possible"),
    [
        pytest.param(branch("OR"), Share(0, 1), id="OR of nothing never holds"),
        pytest.param(branch("AND", state="match"), Share(1, 1), id="AND of nothing always holds"),
        pytest.param(branch("fallback", state="match"), Share(1, 1), id="no rules: always"),
        pytest.param(branch("NOT", leaf("a", "match")), Share(1, 2), id="NOT goes both ways"),
    ],
)
def test_what_can_only_come_out_one_way_is_not_asked_for_the_other(root, possible):
    seen = cover([answer("", entry("law", root))]).share(leaf=False)

    assert seen.of == possible.of


def test_the_policy_names_what_no_answer_does():
    skeletons = {
        "default": [entry("law", leaf("a"))],
        "fast": [entry("law", branch("AND", leaf("b", label="x"), leaf("c")))],
    }
    paths = {("fast", "law"): "recipes[0].routing.decisions[4].rules"}

    found = cover([], skeletons, paths)

    assert found.won == Share(0, 2)
    assert missing(found) == {
        "decisions[law].rules": "never seen",
        "recipes[0].routing.decisions[4].rules": "never seen",
        "recipes[0].routing.decisions[4].rules.conditions[0]": "never seen",
        "recipes[0].routing.decisions[4].rules.conditions[1]": "never seen",
    }
    fast = found.decisions[1]
    assert [c.what for c in fast.conditions.values()] == ["AND", "word:b:x", "word:c"]


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param(None, id="no trace"),
        pytest.param("all fine", id="text"),
        pytest.param([None, {"matched": True}], id="entries without names"),
    ],
)
def test_an_answer_without_a_trace_covers_nothing(trace):
    assert cover([{"eval_trace": trace}]).decisions == ()


def test_a_trace_without_three_values():
    root = {"node_type": "leaf", "signal_type": "word", "signal_name": "a", "matched": True}
    other = {"decision_name": "law", "matched": True, "root_trace": root}

    (decision,) = cover([answer("law", other)]).decisions

    assert decision.conditions[""].counts == {"match": 1, "no_match": 0}


def test_nothing_to_cover_is_covered():
    assert Share(0, 0).percent == 100.0
