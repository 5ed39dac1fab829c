"""What the rules of reask may say. The family is declared: its rules are checked, not run."""

import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.reask import Reask, ReaskRule

VALID = {"name": "again", "threshold": 0.7, "lookback_turns": 2}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            VALID | {"threshold": 1.1},
            "threshold\n.*less than or equal to 1",
            id="threshold above 1",
        ),
        pytest.param(
            VALID | {"threshold": -0.1},
            "threshold\n.*greater than or equal to 0",
            id="threshold below 0",
        ),
        pytest.param(
            VALID | {"threshold": float("nan")}, "threshold\n", id="threshold that is no number"
        ),
        pytest.param(VALID | {"lookback_turns": -1}, "lookback_turns\n", id="negative lookback"),
        pytest.param(VALID | {"lookback_turns": 1.5}, "lookback_turns\n", id="half a turn"),
        pytest.param(VALID | {"turns": 2}, "turns\n.*not permitted", id="unknown key"),
    ],
)
def test_reask_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        ReaskRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="in full"),
        pytest.param({"name": "again"}, id="name alone"),
    ],
)
def test_reask_rule_is_accepted(row):
    assert ReaskRule.model_validate(row).name == row["name"]


@pytest.mark.parametrize(
    ("row", "threshold", "turns"),
    [
        pytest.param({"name": "again"}, 0.8, 1, id="absent"),
        pytest.param({"name": "again", "threshold": 0, "lookback_turns": 0}, 0.8, 1, id="zero"),
        pytest.param(VALID, 0.7, 2, id="given"),
    ],
)
def test_reask_defaults(row, threshold, turns):
    rule = ReaskRule.model_validate(row)

    assert (rule.threshold, rule.lookback_turns) == (threshold, turns)


def test_reask_says_that_its_rules_are_not_run():
    rule = ReaskRule.model_validate(VALID)

    signal = Reask([rule], Surroundings(FakeInference()))

    assert (Reask.runs, signal.not_run()) == (False, (rule.name,))
