"""What the rules of kb may say. The family is declared: its rules are checked, not run."""

import pytest
from pydantic import ValidationError

from orchestrator.config.schema import Config
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.kb import Kb, KbRule

VALID = {"name": "secret", "kb": "privacy", "target": {"kind": "label", "value": "code"}}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            {"name": "secret", "target": {"kind": "label", "value": "code"}},
            "kb\n.*Field required",
            id="no knowledge base",
        ),
        pytest.param(
            {"name": "secret", "kb": "privacy"}, "target\n.*Field required", id="no target"
        ),
        pytest.param(
            VALID | {"target": {"kind": "tag", "value": "code"}},
            "target.kind\n.*'label' or 'group'",
            id="unknown kind of target",
        ),
        pytest.param(
            VALID | {"target": {"kind": "label", "value": ""}}, "target.value\n", id="empty target"
        ),
        pytest.param(
            VALID | {"match": "any"}, "match\n.*'threshold' or 'best'", id="unknown match"
        ),
        pytest.param(VALID | {"threshold": 0.5}, "threshold\n.*not permitted", id="unknown key"),
    ],
)
def test_kb_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        KbRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="label"),
        pytest.param(
            VALID | {"match": "", "target": {"kind": "group", "value": "code"}},
            id="group, empty match",
        ),
        pytest.param(VALID | {"match": "threshold"}, id="threshold"),
        pytest.param(VALID | {"match": "best"}, id="best"),
    ],
)
def test_kb_rule_is_accepted(row):
    assert KbRule.model_validate(row).name == row["name"]


OURS = {"name": "ours", "source": {"path": "x"}, "threshold": 0.5}


@pytest.mark.parametrize(
    ("catalog", "kb", "hint"),
    [
        pytest.param({}, "privacy", "did you mean 'privacy_kb'?", id="none of the format's own"),
        pytest.param({"kbs": [OURS]}, "privacy_kb", "known: ours", id="a list replaces them"),
        pytest.param({}, "privacy_kb", None, id="one of the format's own"),
        pytest.param({"kbs": [OURS]}, "ours", None, id="one of the list"),
    ],
)
def test_the_knowledge_base_exists(catalog, kb, hint):
    config = Config.model_validate({"global": {"model_catalog": catalog}})
    rules = [KbRule.model_validate(VALID | {"kb": kb})]

    found = [(one.path, one.hint) for one in Kb.check(rules, config, {})]

    assert found == ([((0, "kb"), hint)] if hint else [])


def test_kb_says_that_its_rules_are_not_run():
    rule = KbRule.model_validate(VALID)

    signal = Kb([rule], Surroundings(FakeInference()))

    assert (Kb.runs, signal.not_run()) == (False, (rule.name,))
