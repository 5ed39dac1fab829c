import json

import pytest
import yaml
from rich.console import Console

from orchestrator.app.policies import compile_policies, discover_extensions
from orchestrator.config.load import examine
from orchestrator.labelled.inversion import Aggregation, judge
from orchestrator.labelled.margins import fragment, plain, show, verdict
from tests.labelled.test_inversion import GROUPS, looked, right

ROWS = looked([0.9, 0.1, 0.2, 0.3], [0.1, 0.1, 0.6, 0.3], [0.2, 0.1, 0.5, 0.4], known=[1, 1, 1])
RIGHT = judge(ROWS, GROUPS, right("a", "b", "other"))
WRONG = judge(ROWS, GROUPS, right("a", "c", "c"))
UNSURE = looked(*ROWS.cosines, known=[1, 0.9, 0.2])
BLIND = looked(*ROWS.cosines, known=[0.1, 0.1, 0.2])


@pytest.mark.parametrize(
    ("report", "most", "said"),
    [
        pytest.param(RIGHT, 0.0, None, id="none is inverted"),
        pytest.param(judge(ROWS, GROUPS, {}), 0.0, None, id="nothing to judge"),
        pytest.param(
            judge(UNSURE, GROUPS, right("a", "b", "c")), 0.0, None, id="the wrong one is unknown"
        ),
        pytest.param(judge(BLIND, GROUPS, right("other")), 0.0, None, id="all are others"),
        pytest.param(WRONG, 0.67, None, id="as many as are allowed"),
        pytest.param(WRONG, 0.66, "2 of 3 pictures are inverted (66.7%, allowed 66.0%)", id="more"),
        pytest.param(WRONG, 0.0, "the worst is 1.png, c by -0.300 against b", id="any"),
        pytest.param(
            judge(UNSURE, GROUPS, right("a", "c", "c")),
            0.5,
            None,
            id="as many of the known as are allowed",
        ),
        pytest.param(
            judge(UNSURE, GROUPS, right("a", "c", "c")),
            0.49,
            "1 of 2 pictures are inverted (50.0%, allowed 49.0%)",
            id="more of the known",
        ),
        pytest.param(
            judge(BLIND, GROUPS, right("a", "b", "other")),
            1.0,
            "none of 2 pictures is known (KNOWN below 0.5): nothing is told",
            id="nothing is known",
        ),
    ],
)
def test_the_verdict(report, most, said):
    found = verdict(report, most)

    assert found is None if said is None else said in found


def test_as_json():
    found = json.loads(json.dumps(plain(RIGHT, ROWS, GROUPS), allow_nan=False))

    assert found["summary"]["inversion_rate"] == 0
    assert found["groups"] == {"a": ["a1", "a2"], "b": ["b1"], "c": ["c1"]}
    assert found["thresholds"]["b"] == pytest.approx(
        {"value": 0.55, "lowest_right": 0.6, "highest_wrong": 0.5}
    )
    assert found["images"][0]["labels"] == {
        "a": {"a1": 0.9, "a2": 0.1},
        "b": {"b1": 0.2},
        "c": {"c1": 0.3},
    }
    assert found["images"][0]["margin"] == pytest.approx(0.6)
    assert [one["group"] for one in found["images"]] == ["a", "b", "other"]


def test_as_json_what_is_unknown_may_be_beaten():
    found = plain(judge(UNSURE, GROUPS, right("a", "c", "c")), UNSURE, GROUPS)["images"]

    told = [(one["familiar"], one["beaten"], one["inverted"]) for one in found]
    assert told == [(True, False, False), (True, True, True), (False, True, False)]


def shown(report, capsys):
    show(Console(width=100), report)
    return capsys.readouterr().out


def test_the_figures(capsys):
    out = shown(WRONG, capsys)

    assert "inversion rate 66.7%, 2 of 3 pictures" in out
    assert "margin -0.300 at least, +0.067 on average" in out
    assert [line.split() for line in out.splitlines()[-3:]] == [
        ["a", "0.900", "0.200", "0.550"],
        ["b", "-", "0.600", "-"],
        ["c", "0.300", "0.300", "overlap"],
    ]


def test_what_is_unknown_has_figures_of_its_own(capsys):
    out = shown(judge(UNSURE, GROUPS, right("a", "other", "c")), capsys)

    assert "inversion rate 0.0%, 0 of 1 pictures" in out
    assert "unknown, KNOWN below 0.5: 1 of 2 pictures with a group, 1 of them beaten\n" in out
    assert "unknown, KNOWN below 0.5: 0 of 1 others\n" in out


def test_without_right_groups_nothing_is_judged(capsys):
    assert shown(judge(ROWS, GROUPS, {}), capsys).splitlines() == [
        "no picture has a right group among several: nothing to judge"
    ]


def test_the_fragment_is_a_policy():
    text = fragment(RIGHT, GROUPS, "pictures\nof mine")

    assert text.startswith(
        "# Proposed by the pictures of pictures of mine.\n# c: none, no familiar"
    )
    rules = yaml.safe_load(text)["routing"]["signals"]["embeddings"]
    assert [(one["name"], one["threshold"]) for one in rules] == [("a", 0.55), ("b", 0.55)]
    assert rules[0]["candidates"] == ["a1", "a2"]
    discover_extensions()
    assert compile_policies(examine(text, "fragment")).config is not None


@pytest.mark.parametrize("aggregation", list(Aggregation))
def test_rules_score_as_what_was_judged(aggregation):
    text = fragment(judge(ROWS, GROUPS, right("a", "b", "other"), aggregation), GROUPS, "x")

    rules = yaml.safe_load(text)["routing"]["signals"]["embeddings"]
    assert {one["aggregation_method"] for one in rules} == {aggregation.value}


def test_a_fragment_without_rules_is_all_comment():
    text = fragment(judge(ROWS, GROUPS, {}), GROUPS, "x")

    assert all(line.startswith("#") for line in text.splitlines())
