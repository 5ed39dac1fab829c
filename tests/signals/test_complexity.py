"""What the rules of complexity may say. The family is declared: its rules are checked, not run."""

import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.complexity import Complexity, ComplexityRule

VALID = {
    "name": "reasoning",
    "threshold": 0.1,
    "hard": {"candidates": ["prove it step by step"]},
    "easy": {"candidates": ["say it briefly"]},
}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(VALID | {"name": "a:b"}, "must not contain ':'", id="separator in the name"),
        pytest.param(
            VALID | {"threshold": 1.2},
            "threshold\n.*less than or equal to 1",
            id="threshold above 1",
        ),
        pytest.param(
            {"name": "reasoning", "hard": {"candidates": ["x"]}},
            "easy\n.*Field required",
            id="one side only",
        ),
        pytest.param(
            VALID | {"easy": {"candidates": []}},
            "easy\n.*at least one of candidates",
            id="a side without examples",
        ),
        pytest.param(
            VALID | {"hard": {"candidates": ["x"], "labels": ["y"]}},
            "hard.labels\n.*not permitted",
            id="unknown key in a side",
        ),
        pytest.param(
            VALID | {"composer": {"operator": "XOR", "conditions": []}},
            "composer.operator\n",
            id="composer with an unknown operator",
        ),
    ],
)
def test_complexity_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        ComplexityRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="text examples"),
        pytest.param(
            VALID | {"easy": {"image_candidates": ["a photo of a cat"]}}, id="image examples"
        ),
        pytest.param(
            VALID
            | {"composer": {"operator": "OR", "conditions": [{"type": "context", "name": "long"}]}},
            id="composer",
        ),
    ],
)
def test_complexity_rule_is_accepted(row):
    assert ComplexityRule.model_validate(row).name == row["name"]


def test_decisions_name_a_level_of_a_complexity_rule():
    leaves = Complexity.leaves([ComplexityRule.model_validate(VALID)])

    assert leaves == {
        "reasoning:hard": "reasoning",
        "reasoning:easy": "reasoning",
        "reasoning:medium": "reasoning",
    }


def test_complexity_says_that_its_rules_are_not_run():
    rule = ComplexityRule.model_validate(VALID)

    signal = Complexity([rule], Surroundings(FakeInference()))

    assert (Complexity.runs, signal.not_run()) == (False, (rule.name,))
