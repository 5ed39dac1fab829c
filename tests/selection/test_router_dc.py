import math

import pytest
from pydantic import ValidationError

from orchestrator.config.problems import Finding
from orchestrator.selection import SELECTORS, Surroundings, Values
from orchestrator.types import Candidate
from tests.selection.made import contender, selector

CODE, POEMS = contender("coder", description="code"), contender("poet", description="poems")


def values(**cosines):
    return Values(cosines=cosines)


def test_the_closest_description():
    plan = selector("router_dc", [CODE, POEMS], {"temperature": 0.1}).choose(
        values(code=0.4, poems=0.5)
    )

    share = 1 / (1 + math.exp(-1))
    assert plan.chosen == Candidate("poet")
    assert (plan.status, plan.method) == ("selected", "router_dc")
    assert plan.scores == pytest.approx((1 - share, share))
    assert plan.confidence == pytest.approx(0.5)
    assert plan.reason == "closest description, cosine 0.500"


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        pytest.param(
            values(code=0.1, poems=0.29),
            "no description is close enough (cosine 0.290, min_similarity 0.3)",
            id="below the minimum",
        ),
        pytest.param(
            Values(unread="model_untrusted"),
            "the request could not be embedded (model_untrusted)",
            id="no embedding",
        ),
    ],
)
def test_falls_back_to_the_first(found, reason):
    plan = selector("router_dc", [CODE, POEMS]).choose(found)

    assert (plan.chosen, plan.status) == (Candidate("coder"), "fallback")
    assert plan.reason == f"{reason}; the first candidate answers"


NAN = math.nan


@pytest.mark.parametrize(
    ("rows", "cosines", "chosen", "status", "reason"),
    [
        pytest.param(
            [CODE, POEMS],
            {"code": NAN, "poems": NAN},
            "coder",
            "fallback",
            "no description is in a script that the encoder reads; the first candidate answers",
            id="none",
        ),
        pytest.param(
            [CODE, POEMS],
            {"code": NAN, "poems": 0.2},
            "coder",
            "selected",
            "no description comes to 0.3, and the model has one that is not read",
            id="one, and the other is not close",
        ),
        pytest.param(
            [CODE, POEMS],
            {"code": NAN, "poems": 0.4},
            "poet",
            "selected",
            "closest description, cosine 0.400",
            id="one, and the other is close",
        ),
    ],
)
def test_descriptions_that_are_not_read(rows, cosines, chosen, status, reason):
    plan = selector("router_dc", rows).choose(Values(cosines=cosines))

    assert (plan.chosen.name, plan.status, plan.reason) == (chosen, status, reason)
    assert not any(math.isnan(score) for score in plan.scores)


def test_a_tie_goes_to_the_first():
    assert selector("router_dc", [POEMS, CODE]).choose(values(code=0.5, poems=0.5)).chosen == (
        Candidate("poet")
    )


def test_a_model_without_a_description_takes_what_is_close_to_none():
    chooser = selector("router_dc", [CODE, contender("rest"), POEMS])

    plan = chooser.choose(values(code=0.1, poems=0.2))
    assert (plan.chosen, plan.status) == (Candidate("rest"), "selected")
    assert plan.reason == "no description comes to 0.3, and the model has none"
    assert chooser.choose(values(code=0.1, poems=0.31)).chosen == Candidate("poet")


@pytest.mark.parametrize(
    ("block", "text"),
    [
        pytest.param({"use_capabilities": False}, "writes code", id="description"),
        pytest.param({}, "writes code. Capabilities: tools, chat", id="with capabilities"),
    ],
)
def test_what_is_embedded_of_a_model(block, text):
    one = contender("coder", description="writes code", capabilities=("tools", "chat"))

    assert selector("router_dc", [one, contender("b")], block).needs.texts == (text,)


@pytest.mark.parametrize(
    "block",
    [{"temperature": 0}, {"min_similarity": 1.1}, {"min_similarty": 0.3}, {"dimension_size": -1}],
    ids=str,
)
def test_settings_out_of_range(block):
    with pytest.raises(ValidationError):
        SELECTORS["router_dc"].Settings.model_validate(block)


def found(rows, **block):
    kind = SELECTORS["router_dc"]
    return list(kind.check(rows, kind.Settings.model_validate(block), Surroundings()))


def test_check():
    rows = [CODE, contender("b")]

    assert found([CODE, POEMS]) == []
    assert [(one.severity, one.path) for one in found(rows)] == [("warning", ())]
    assert [one.severity for one in found(rows, require_descriptions=True)] == ["error"]
    (high,) = found([CODE, POEMS], min_similarity=0.7)
    assert isinstance(high, Finding)
    assert (high.path, high.severity) == (("router_dc", "min_similarity"), "warning")


def test_without_any_description():
    plan = selector("router_dc", [contender("a"), contender("b")]).choose(values())

    assert (plan.chosen, plan.status) == (Candidate("a"), "fallback")
    assert plan.reason == "no candidate has a description; the first candidate answers"
