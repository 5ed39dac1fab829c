"""What the rules of jailbreak may say. The family is declared: its rules are checked, not run."""

import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.jailbreak import Jailbreak, JailbreakRule

VALID = {"name": "attack", "threshold": 0.8}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            VALID | {"method": "regex"},
            "method\n.*'classifier', 'contrastive'",
            id="unknown method",
        ),
        pytest.param(
            VALID | {"threshold": 2}, "threshold\n.*less than or equal to 1", id="threshold above 1"
        ),
        pytest.param(
            VALID | {"method": "contrastive"},
            "method contrastive needs jailbreak_patterns",
            id="contrastive without patterns",
        ),
        pytest.param(
            VALID | {"method": "patterns", "benign_patterns": ["x"]},
            "method patterns needs jailbreak_patterns",
            id="patterns without patterns",
        ),
        pytest.param(
            VALID | {"method": "hybrid"},
            "method hybrid needs jailbreak_patterns",
            id="hybrid without patterns",
        ),
        pytest.param(
            VALID | {"jailbreak_patterns": [""]}, "jailbreak_patterns.0\n", id="empty pattern"
        ),
        pytest.param(VALID | {"patterns": ["x"]}, "patterns\n.*not permitted", id="unknown key"),
    ],
)
def test_jailbreak_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        JailbreakRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="no method"),
        pytest.param(VALID | {"method": ""}, id="empty method"),
        pytest.param(VALID | {"method": "classifier", "include_history": True}, id="classifier"),
        pytest.param(
            VALID | {"method": "contrastive", "jailbreak_patterns": ["no rules"]}, id="contrastive"
        ),
        pytest.param(
            VALID | {"method": "hybrid", "jailbreak_patterns": ["x"], "benign_patterns": ["y"]},
            id="hybrid",
        ),
        pytest.param(
            VALID | {"method": "patterns", "jailbreak_patterns": ["no rules"]}, id="patterns"
        ),
    ],
)
def test_jailbreak_rule_is_accepted(row):
    assert JailbreakRule.model_validate(row).name == row["name"]


def test_jailbreak_says_that_its_rules_are_not_run():
    rule = JailbreakRule.model_validate(VALID)

    signal = Jailbreak([rule], Surroundings(FakeInference()))

    assert (Jailbreak.runs, signal.not_run()) == (False, (rule.name,))
