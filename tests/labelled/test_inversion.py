import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.labelled.inversion import Aggregation, Threshold, judge
from orchestrator.labelled.looking import Looked

GROUPS = {"a": ("a1", "a2"), "b": ("b1",), "c": ("c1",)}
TEXTS = ("a1", "a2", "b1", "c1")


def looked(*rows, known=None, floor=0.5):
    names = tuple(f"{at}.png" for at in range(len(rows)))
    sure = np.asarray(known or [1.0] * len(rows), np.float32)
    return Looked(names, TEXTS, np.asarray(rows, float), sure, floor, {})


def right(*groups):
    return {f"{at}.png": group for at, group in enumerate(groups) if group}


@pytest.mark.parametrize(
    ("row", "group", "margin", "inverted"),
    [
        pytest.param([0.9, 0.1, 0.2, 0.3], "a", 0.6, False, id="the first text wins"),
        pytest.param([0.1, 0.9, 0.2, 0.3], "a", 0.6, False, id="the best text of a group counts"),
        pytest.param([0.1, 0.2, 0.9, 0.3], "a", -0.7, True, id="a wrong group wins"),
        pytest.param([0.5, 0.5, 0.5, 0.5], "a", 0.0, True, id="a tie is no win"),
        pytest.param([-0.5, -0.4, -0.9, -0.8], "a", 0.4, False, id="below zero"),
        pytest.param([0.9, 0.1, 0.2, 0.3], "other", None, False, id="of none of the groups"),
        pytest.param([0.9, 0.1, 0.2, 0.3], None, None, False, id="nothing is said"),
    ],
)
def test_a_picture(row, group, margin, inverted):
    (one,) = judge(looked(row), GROUPS, right(group)).pictures

    assert one.margin == (None if margin is None else pytest.approx(margin))
    assert (one.inverted, one.beaten) == (inverted, inverted)
    assert one.scores == {"a": max(row[:2]), "b": row[2], "c": row[3]}


@pytest.mark.parametrize(
    ("known", "inverted"),
    [
        pytest.param(0.49, False, id="below the floor"),
        pytest.param(0.5, True, id="at the floor"),
    ],
)
def test_what_is_not_known_is_beaten_and_not_inverted(known, inverted):
    (one,) = judge(looked([0.1, 0.2, 0.9, 0.3], known=[known]), GROUPS, right("a")).pictures

    assert (one.inverted, one.beaten) == (inverted, True)


@pytest.mark.parametrize(
    ("aggregation", "score", "inverted"),
    [
        pytest.param(Aggregation.MAX, 0.9, False, id="the best text"),
        pytest.param(Aggregation.MEAN, 0.5, True, id="the mean of its texts"),
    ],
)
def test_the_score_of_a_group_is_that_of_a_rule(aggregation, score, inverted):
    (one,) = judge(looked([0.9, 0.1, 0.6, 0.3]), GROUPS, right("a"), aggregation).pictures

    assert one.scores == pytest.approx({"a": score, "b": 0.6, "c": 0.3})
    assert one.inverted is inverted


def test_one_group_has_nobody_to_lose_against():
    report = judge(looked([0.9, 0.1, 0.2, 0.3]), {"a": GROUPS["a"]}, right("a"))

    assert report.judged == ()
    assert report.summary()["inversion_rate"] is None


def test_the_summary():
    report = judge(
        looked(
            [0.9, 0.0, 0.1, 0.1],
            [0.1, 0.0, 0.4, 0.1],
            [0.1, 0.0, 0.2, 0.4],
            [0.1, 0.0, 0.2, 0.4],
            [0.9, 0.0, 0.1, 0.1],
            [0.5, 0.0, 0.2, 0.4],
            [0.5, 0.0, 0.2, 0.4],
            known=[0.9, 0.9, 0.2, 0.9, 0.2, 0.3, 0.8],
        ),
        GROUPS,
        right("a", "b", "b", "b", "a", "other", None),
    )

    assert report.summary() == {
        "aggregation": "max",
        "pictures": 7,
        "judged": 5,
        "inverted": 1,
        "inversion_rate": pytest.approx(1 / 3),
        "unknown": 2,
        "unknown_beaten": 1,
        "margin": {"min": pytest.approx(-0.2), "mean": pytest.approx((1.6 + 0.3 - 0.4) / 5)},
        "others": 1,
        "others_unknown": 1,
        "floor": 0.5,
    }
    assert [one.file for one in report.inverted] == ["3.png"]


def test_a_group_that_is_called_other_is_one():
    groups = {"other": ("a1",), "b": ("b1",)}

    report = judge(looked([0.1, 0, 0.9, 0]), groups, right("other"))

    assert report.summary()["inverted"] == 1
    assert report.summary()["others"] == 0


@pytest.mark.parametrize(
    ("rows", "groups", "known", "wanted"),
    [
        pytest.param(
            [[0.3, 0, 0, 0], [0.4, 0, 0, 0]], ["a", "b"], None, (None, 0.3, 0.4), id="overlap"
        ),
        pytest.param([[0.3, 0, 0, 0]] * 2, ["a", "b"], None, (None, 0.3, 0.3), id="as high"),
        pytest.param([[0.3, 0, 0, 0]], ["a"], None, (None, 0.3, None), id="no other picture"),
        pytest.param([[0.3, 0, 0, 0]], ["b"], None, (None, None, 0.3), id="none of its own"),
        pytest.param(
            [[0.3, 0, 0, 0], [0.1, 0, 0, 0]], ["a", None], None, (None, 0.3, None), id="unlabelled"
        ),
        pytest.param(
            [[0.6, 0, 0, 0], [0.2, 0, 0, 0]], ["a", "b"], None, (0.4, 0.6, 0.2), id="halfway"
        ),
        pytest.param(
            [[0.6, 0, 0, 0], [0.2, 0, 0, 0]], ["a", "other"], None, (0.4, 0.6, 0.2), id="other"
        ),
        pytest.param(
            [[0.6, 0, 0, 0], [0.2, 0, 0, 0], [0.9, 0, 0, 0], [0.1, 0, 0, 0]],
            ["a", "b", "other", "a"],
            [1, 1, 0.4, 0.4],
            (0.4, 0.6, 0.2),
            id="what is not known does not count",
        ),
    ],
)
def test_a_threshold(rows, groups, known, wanted):
    report = judge(looked(*rows, known=known), GROUPS, right(*groups))

    found = report.thresholds["a"]
    assert found == Threshold(*(one if one is None else pytest.approx(one) for one in wanted))


SCORES = st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4)


@given(st.lists(st.tuples(SCORES, st.sampled_from("abc"), st.floats(0, 1)), min_size=1, max_size=9))
def test_a_threshold_tells_every_familiar_picture_apart(pictures):
    rows, groups, known = zip(*pictures, strict=True)
    report = judge(looked(*rows, known=list(known)), GROUPS, right(*groups))

    for name, threshold in report.thresholds.items():
        if threshold.value is not None:
            for one in report.pictures:
                if one.familiar:
                    assert (one.scores[name] >= threshold.value) is (one.group == name)
    assert all(one.beaten is (one.best != one.group) or one.margin == 0 for one in report.judged)
