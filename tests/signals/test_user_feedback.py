"""What the rules of user_feedback may say; the family is declared: checked, not run."""

import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.user_feedback import UserFeedback, UserFeedbackRule

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


def test_user_feedback_says_that_its_rules_are_not_run():
    rule = UserFeedbackRule.model_validate(VALID)

    signal = UserFeedback([rule], Surroundings(FakeInference()))

    assert (UserFeedback.runs, signal.not_run()) == (False, (rule.name,))
