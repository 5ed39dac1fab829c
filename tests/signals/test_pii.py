"""What the rules of pii may say. The family is declared: its rules are checked, not run."""

import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.pii import Pii, PiiRule

VALID = {"name": "personal", "threshold": 0.85}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            VALID | {"threshold": -1},
            "threshold\n.*greater than or equal to 0",
            id="threshold below 0",
        ),
        pytest.param(
            VALID | {"pii_types_allowed": "EMAIL_ADDRESS"}, "valid tuple", id="types not in a list"
        ),
        pytest.param(
            VALID | {"pii_types_allowed": [" "]}, "pii_types_allowed.0\n", id="blank type"
        ),
        pytest.param(
            VALID | {"pii_types_denied": ["EMAIL_ADDRESS"]},
            "pii_types_denied\n.*not permitted",
            id="unknown key",
        ),
    ],
)
def test_pii_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        PiiRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="any personal data"),
        pytest.param({"name": "personal"}, id="name alone"),
        pytest.param(
            VALID | {"pii_types_allowed": ["EMAIL_ADDRESS"], "include_history": True},
            id="allowed types",
        ),
    ],
)
def test_pii_rule_is_accepted(row):
    assert PiiRule.model_validate(row).name == row["name"]


def test_pii_says_that_its_rules_are_not_run():
    rule = PiiRule.model_validate(VALID)

    signal = Pii([rule], Surroundings(FakeInference()))

    assert (Pii.runs, signal.not_run()) == (False, (rule.name,))
