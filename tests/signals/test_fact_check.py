import pytest
from pydantic import ValidationError

from orchestrator.errors import InferenceTimeout
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.fact_check import FactCheck, FactCheckRule
from orchestrator.types import Reading, Request

VALID = {"name": "needs_fact_check"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param({}, "name\n.*Field required", id="no name"),
        pytest.param(
            {"name": "fact_check_needed"},
            "'needs_fact_check' or 'no_fact_check_needed'",
            id="a name that no classifier gives",
        ),
        pytest.param(VALID | {"threshold": 0.5}, "threshold\n.*not permitted", id="unknown key"),
    ],
)
def test_fact_check_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        FactCheckRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="needed"),
        pytest.param({"name": "no_fact_check_needed", "description": "Stories."}, id="not needed"),
    ],
)
def test_fact_check_rule_is_accepted(row):
    assert FactCheckRule.model_validate(row).name == row["name"]


NAMES = ("needs_fact_check", "no_fact_check_needed")


def fact_check(inference, names=NAMES, **settings):
    rules = [FactCheckRule(name=name) for name in names]
    return FactCheck(rules, Surroundings(inference, {"fact_check": settings}))


def said(needed):
    shares = {"NO_FACT_CHECK_NEEDED": 1 - needed, "FACT_CHECK_NEEDED": needed}
    return FakeInference(classified={"text": {"fact_check": shares}})


@pytest.mark.parametrize(
    ("needed", "settings", "verdict"),
    [
        pytest.param(0.1, {}, "no_fact_check_needed", id="not needed"),
        pytest.param(0.49, {}, "no_fact_check_needed", id="a weak one"),
        pytest.param(0.59, {}, "no_fact_check_needed", id="needed, below the threshold of 0.6"),
        pytest.param(
            0.45,
            {"threshold": 0.3},
            "no_fact_check_needed",
            id="not the more probable one, though above the threshold",
        ),
        pytest.param(0.69, {"threshold": 0}, "no_fact_check_needed", id="a threshold of 0 is 0.7"),
        pytest.param(0.6, {}, "needs_fact_check", id="just at the threshold"),
        pytest.param(0.7, {"threshold": 0}, "needs_fact_check", id="at 0.7 for 0"),
        pytest.param(0.55, {"threshold": 0.5}, "needs_fact_check", id="a threshold of its own"),
    ],
)
async def test_the_verdict_is_exactly_one(needed, settings, verdict):
    reading = await fact_check(said(needed), **settings).evaluate(Request("auto", "text"))

    assert (reading.matches, reading.unknown) == ({verdict: None}, {})
    assert reading.values == pytest.approx(
        {"needs_fact_check": needed, "no_fact_check_needed": 1 - needed}
    )


@pytest.mark.parametrize(
    ("needed", "expected"), [(0.2, {}), (0.9, {"needs_fact_check": None})], ids=["not", "needed"]
)
async def test_a_verdict_without_a_rule_is_not_told(needed, expected):
    signal = fact_check(said(needed), ["needs_fact_check"])

    reading = await signal.evaluate(Request("auto", "text"))

    assert (reading.matches, reading.values) == (expected, {"needs_fact_check": needed})


@pytest.mark.parametrize("text", ["", " \n"], ids=["empty", "blank"])
async def test_an_empty_text_needs_no_check_and_asks_nobody(text):
    inference = said(0.9)

    reading = await fact_check(inference).evaluate(Request("auto", text))

    assert (reading.matches, inference.asked) == ({"no_fact_check_needed": None}, [])


async def test_a_failure_makes_both_unknown():
    signal = fact_check(FakeInference(failure=InferenceTimeout("late")))

    with pytest.raises(InferenceTimeout):
        await signal.evaluate(Request("auto", "text"))
    reading = await signal.fallback(Request("auto", "text"), "inference_timeout")
    assert reading == Reading(unknown=dict.fromkeys(NAMES, "inference_timeout"))
