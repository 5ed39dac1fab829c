"""What the rules of fact_check may say. The family is declared: its rules are checked, not run."""

import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.fact_check import FactCheck, FactCheckRule

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


def test_fact_check_says_that_its_rules_are_not_run():
    rule = FactCheckRule.model_validate(VALID)

    signal = FactCheck([rule], Surroundings(FakeInference()))

    assert (FactCheck.runs, signal.not_run()) == (False, (rule.name,))
