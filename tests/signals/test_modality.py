"""What the rules of modality may say. The family is declared: its rules are checked, not run."""

import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.modality import Modality, ModalityRule

VALID = {"name": "DIFFUSION"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param({"name": "IMAGE"}, "'AR', 'DIFFUSION' or 'BOTH'", id="unknown modality"),
        pytest.param({"name": "ar"}, "'AR', 'DIFFUSION' or 'BOTH'", id="lower case"),
        pytest.param(VALID | {"keywords": ["draw"]}, "keywords\n.*not permitted", id="unknown key"),
    ],
)
def test_modality_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        ModalityRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="picture"),
        pytest.param({"name": "AR"}, id="text"),
        pytest.param({"name": "BOTH", "description": "Both."}, id="both"),
    ],
)
def test_modality_rule_is_accepted(row):
    assert ModalityRule.model_validate(row).name == row["name"]


def test_modality_says_that_its_rules_are_not_run():
    rule = ModalityRule.model_validate(VALID)

    signal = Modality([rule], Surroundings(FakeInference()))

    assert (Modality.runs, signal.not_run()) == (False, (rule.name,))
