import pytest
from pydantic import ValidationError

from orchestrator.config.schema import Config
from orchestrator.errors import InferenceTimeout
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.user_feedback import LABELS, UserFeedback, UserFeedbackRule
from orchestrator.types import Reading, Request

VALID = {"name": "wrong_answer"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param({}, "name\n.*Field required", id="no name"),
        pytest.param(
            {"name": "angry"},
            "'satisfied', 'need_clarification'",
            id="a name that no classifier gives",
        ),
        pytest.param(VALID | {"threshold": 0.5}, "threshold\n.*not permitted", id="unknown key"),
    ],
)
def test_user_feedback_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        UserFeedbackRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="wrong answer"),
        pytest.param({"name": "satisfied"}, id="satisfied"),
        pytest.param({"name": "need_clarification"}, id="clarification"),
        pytest.param({"name": "want_different", "description": "Another way."}, id="different"),
    ],
)
def test_user_feedback_rule_is_accepted(row):
    assert UserFeedbackRule.model_validate(row).name == row["name"]


def feedback(inference, names=tuple(LABELS), **settings):
    rules = [UserFeedbackRule(name=name) for name in names]
    return UserFeedback(rules, Surroundings(inference, {"user_feedback": settings}))


def said(**shares):
    rest = (1 - sum(shares.values())) / (len(LABELS) - len(shares))
    probabilities = {label: shares.get(name, rest) for name, label in LABELS.items()}
    return FakeInference(classified={"text": {"user_feedback": probabilities}})


def turn(text="text", answered=True):
    return Request("auto", text or "the system prompt", text, has_assistant_reply=answered)


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(turn(answered=False), id="no answer yet"),
        pytest.param(turn(" "), id="the user says nothing"),
        pytest.param(turn(""), id="only a system prompt"),
    ],
)
async def test_there_is_nothing_to_judge(request_):
    inference = said(wrong_answer=0.9)

    assert await feedback(inference).evaluate(request_) == Reading()
    assert inference.asked == []


@pytest.mark.parametrize(
    ("shares", "settings", "verdict"),
    [
        pytest.param({"wrong_answer": 0.69}, {}, "satisfied", id="below the threshold of 0.7"),
        pytest.param(
            {"want_different": 0.49}, {"threshold": 0}, "satisfied", id="a threshold of 0 is 0.5"
        ),
        pytest.param({"satisfied": 0.9}, {}, "satisfied", id="satisfied"),
        pytest.param({"wrong_answer": 0.7}, {}, "wrong_answer", id="just at the threshold"),
        pytest.param({"want_different": 0.5}, {"threshold": 0}, "want_different", id="0 means 0.5"),
        pytest.param(
            {"need_clarification": 0.6},
            {"threshold": 0.6},
            "need_clarification",
            id="a threshold of its own",
        ),
    ],
)
async def test_the_verdict_is_exactly_one(shares, settings, verdict):
    reading = await feedback(said(**shares), **settings).evaluate(turn())

    assert (reading.matches, reading.unknown) == ({verdict: None}, {})
    assert {name: reading.values[name] for name in shares} == shares
    assert sum(reading.values.values()) == pytest.approx(1)


async def test_a_verdict_without_a_rule_is_not_told():
    reading = await feedback(said(wrong_answer=0.9), ["satisfied"]).evaluate(turn())

    assert (reading.matches, list(reading.values)) == ({}, ["satisfied"])


async def test_a_failure_makes_every_rule_unknown():
    signal = feedback(FakeInference(failure=InferenceTimeout("late")))

    with pytest.raises(InferenceTimeout):
        await signal.evaluate(turn())
    reading = await signal.fallback(turn(), "inference_timeout")
    assert reading == Reading(unknown=dict.fromkeys(LABELS, "inference_timeout"))


@pytest.mark.parametrize(("enabled", "idle"), [(True, ()), (False, ("satisfied",))])
async def test_rules_are_not_run_where_the_detector_is_off(enabled, idle):
    modules = {"feedback_detector": {"enabled": enabled}}
    config = Config.model_validate({"global": {"model_catalog": {"modules": modules}}})
    signal = feedback(said(satisfied=0.9), ["satisfied"], enabled=enabled)

    warned = [(one.path, one.severity) for one in UserFeedback.check(signal.rules, config, {})]

    assert (UserFeedback.runs, signal.not_run()) == (True, idle)
    assert bool(UserFeedback.asks(signal.rules, {"enabled": enabled})) is enabled
    assert warned == ([] if enabled else [((), "warning")])
    assert bool((await signal.evaluate(turn())).matches) is enabled
