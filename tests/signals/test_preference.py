"""What the rules of preference may say. The family is declared: its rules are checked, not run."""

import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.preference import Preference, PreferenceRule

VALID = {"name": "terse", "examples": ["keep it short"], "threshold": 0.7}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            VALID | {"examples": [" "]}, "examples.0\n.*at least 1 character", id="blank example"
        ),
        pytest.param(
            VALID | {"examples": "keep it short"}, "valid tuple", id="examples not in a list"
        ),
        pytest.param(
            VALID | {"threshold": 1.5},
            "threshold\n.*less than or equal to 1",
            id="threshold above 1",
        ),
        pytest.param(
            VALID | {"candidates": ["x"]}, "candidates\n.*not permitted", id="unknown key"
        ),
    ],
)
def test_preference_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        PreferenceRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="with examples"),
        pytest.param(
            {"name": "terse", "description": "Wants short answers."}, id="description alone"
        ),
    ],
)
def test_preference_rule_is_accepted(row):
    assert PreferenceRule.model_validate(row).name == row["name"]


def test_preference_says_that_its_rules_are_not_run():
    rule = PreferenceRule.model_validate(VALID)

    signal = Preference([rule], Surroundings(FakeInference()))

    assert (Preference.runs, signal.not_run()) == (False, (rule.name,))
