import math

import pytest

from orchestrator.types import Facts, Reading

FACTS = Facts(
    {
        "keyword": Reading(matches={"urgent": None, "calm": 0.0}, unknown={"billing": "timeout"}),
        "embedding": Reading(matches={"technical": 0.8}, values={"billing": 0.3, "technical": 0.8}),
        "kb": Reading(values={"privacy:best_score": 0.6}),
        "complexity": Reading(matches={"effort:easy": 0.2}, values={"effort": -0.2}),
    }
)


def item(type_, name, weight=1.0, **fields):
    return {"type": type_, "name": name, "weight": weight, **fields}


def metric(name, **fields):
    return {"type": "kb_metric", "kb": "privacy", "metric": name, "weight": 1.0, **fields}


def total(applied, *inputs, facts=FACTS):
    after = applied(facts, scores=[{"name": "s", "inputs": list(inputs)}])
    return after.readings["projection"]


@pytest.mark.parametrize(
    ("row", "value"),
    [
        pytest.param(item("embedding", "smalltalk"), 0.0, id="binary, absent"),
        pytest.param(item("embedding", "smalltalk", miss=0.3), 0.3, id="binary, absent, miss"),
        pytest.param(
            item("embedding", "smalltalk", value_source="confidence", miss=0.5),
            0.0,
            id="confidence, absent: miss does not count",
        ),
        pytest.param(item("embedding", "smalltalk", value_source="raw"), 0.0, id="raw, absent"),
        pytest.param(item("domain", "math"), 0.0, id="family was not evaluated"),
        pytest.param(item("embedding", "billing"), 0.0, id="binary, a value only"),
        pytest.param(item("keyword", "urgent"), 1.0, id="binary"),
        pytest.param(item("keyword", "urgent", match=0.7), 0.7, id="binary, match"),
        pytest.param(item("keyword", "urgent", match=0), 1.0, id="binary, match 0 means 1.0"),
        pytest.param(item("keyword", "urgent", -0.5), -0.5, id="negative weight"),
        pytest.param(item("keyword", "urgent", value_source="confidence"), 1.0, id="no confidence"),
        pytest.param(item("keyword", "calm", value_source="confidence"), 1.0, id="confidence 0"),
        pytest.param(
            item("embedding", "technical", 0.5, value_source="confidence"), 0.4, id="half"
        ),
        pytest.param(item("embedding", "billing", 2.0, value_source="raw"), 0.6, id="raw"),
        pytest.param(
            item("complexity", "effort:hard", value_source="raw"), -0.2, id="raw, of a level's rule"
        ),
        pytest.param(metric("best_score"), 0.6, id="kb metric"),
        pytest.param(metric("best_score", value_source="score"), 0.6, id="kb metric, said so"),
        pytest.param(metric("private_vs_public"), 0.0, id="kb metric, absent"),
    ],
)
def test_one_input(applied, row, value):
    assert total(applied, row) == Reading(values={"s": pytest.approx(value)})


def test_sum_is_not_clipped(applied):
    found = total(applied, item("keyword", "urgent", 3.0), item("embedding", "technical", 2.0))

    assert found.values == {"s": 5.0}


UNKNOWN = Facts(
    {
        "keyword": Reading(matches={"urgent": None}, unknown={"billing": "timeout"}),
        "kb": Reading(unknown={"secrets": "not_run"}),
    }
)


@pytest.mark.parametrize(
    ("row", "low", "high", "reason"),
    [
        pytest.param(item("keyword", "billing"), 0.0, 1.0, "timeout", id="binary"),
        pytest.param(
            item("keyword", "billing", match=0.4, miss=0.9),
            0.4,
            0.9,
            "timeout",
            id="match and miss",
        ),
        pytest.param(item("keyword", "billing", -2.0), -2.0, 0.0, "timeout", id="negative weight"),
        pytest.param(
            item("keyword", "billing", 0.5, value_source="confidence"),
            0.0,
            0.5,
            "timeout",
            id="half",
        ),
        pytest.param(
            item("keyword", "billing", -1.0, value_source="raw"),
            -math.inf,
            math.inf,
            "timeout",
            id="raw",
        ),
        pytest.param(metric("private_vs_public"), -1.0, 1.0, "not_run", id="kb metric"),
    ],
)
def test_unknown_input_gives_bounds(applied, row, low, high, reason):
    found = total(applied, item("keyword", "urgent"), row, facts=UNKNOWN)

    assert found.values == {"low:s": 1.0 + low, "high:s": 1.0 + high}
    assert found.unknown == {"score:s": reason}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(item("keyword", "billing", 0.0, value_source="raw"), id="weight 0"),
        pytest.param(item("keyword", "billing", match=0.5, miss=0.5), id="hit and miss are equal"),
    ],
)
def test_unknown_input_that_cannot_matter(applied, row):
    found = total(applied, row, facts=UNKNOWN)

    assert (set(found.values), found.unknown) == ({"s"}, {})


def test_bounds_pass_on_to_other_scores(applied):
    rows = [
        {"name": "s", "inputs": [item("keyword", "billing", 0.5)]},
        {"name": "t", "inputs": [item("projection", "s", -2.0), item("keyword", "urgent")]},
    ]

    found = applied(UNKNOWN, scores=rows).readings["projection"]

    assert (found.values["low:t"], found.values["high:t"]) == (0.0, 1.0)
    assert found.unknown == {"score:s": "timeout", "score:t": "timeout"}


def test_families_are_those_of_its_inputs(projected):
    inputs = [item("keyword", "urgent"), metric("best_score"), item("projection", "s")]
    built = projected(
        scores=[{"name": "s", "inputs": [item("domain", "math")]}, {"name": "t", "inputs": inputs}]
    )

    assert [projection.families for projection in built] == [{"domain"}, {"keyword", "kb"}]


def test_explain(projected, applied):
    rows = [
        {"name": "s", "inputs": [item("keyword", "urgent", 0.5), metric("best_score", weight=-1.0)]}
    ]
    [score] = projected(scores=rows)

    assert score.explain(applied(FACTS, scores=rows)) == {
        "name": "s",
        "total": pytest.approx(-0.1),
        "inputs": [
            {"type": "keyword", "name": "urgent", "weight": 0.5, "value": 1.0, "contribution": 0.5},
            {
                "type": "kb_metric",
                "kb": "privacy",
                "metric": "best_score",
                "weight": -1.0,
                "value": 0.6,
                "contribution": -0.6,
            },
        ],
    }


def test_the_confidence_of_an_output_that_bounds_decide_has_bounds_too(applied):
    """`billing` is unknown, so the first score is 0 or 1; from 0 on the output holds for sure."""
    after = applied(
        UNKNOWN,
        scores=[
            {"name": "first", "inputs": [item("keyword", "billing")]},
            {"name": "second", "inputs": [item("projection", "out", value_source="confidence")]},
        ],
        mappings=[
            {
                "name": "m",
                "source": "first",
                "calibration": {"slope": 1.0},
                "outputs": [{"name": "out", "gte": 0.0}],
            }
        ],
    ).readings["projection"]

    assert after.matches == {"out": 0.5}
    assert (after.values["low:second"], after.values["high:second"]) == (
        0.5,
        pytest.approx(1 / (1 + math.exp(-1))),
    )
    assert after.unknown["score:second"] == "timeout"


def test_explain_unknown(projected, applied):
    rows = [{"name": "s", "inputs": [item("keyword", "billing", 0.5, value_source="raw")]}]
    [score] = projected(scores=rows)

    assert score.explain(applied(UNKNOWN, scores=rows)) == {
        "name": "s",
        "total": None,
        "inputs": [
            {
                "type": "keyword",
                "name": "billing",
                "weight": 0.5,
                "value": None,
                "contribution": None,
                "unknown": "timeout",
            }
        ],
        "unknown": "timeout",
        "bounds": [None, None],
    }
