"""Rows of classifier rules, and what is said of them before anything runs."""

import pytest
from pydantic import ValidationError

from orchestrator import signals
from orchestrator.config.schema import Config
from orchestrator.registry import discover
from orchestrator.signals.classifier import Classifier, ClassifierRule
from tests.signals.classifiers import PROMPTED, VALID

KNOWN = {"name": "attack", "type": "local", "model_path": "models/jailbreak"}
KNOWN |= {"labels": ["jailbreak", "benign"]}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(VALID | {"type": "remote"}, "type\n.*'local' or 'llm'", id="unknown type"),
        pytest.param(
            VALID | {"name": "a:b"}, "'a:b' must not contain ':'", id="separator in the name"
        ),
        pytest.param(
            VALID | {"labels": ["SAFE", "a:b"]},
            "'a:b' must not contain ':'",
            id="separator in a label",
        ),
        pytest.param(
            VALID | {"labels": ["SAFE", "SAFE"]}, "labels must differ", id="a label twice"
        ),
        pytest.param(VALID | {"labels": []}, "labels\n.*at least 1 item", id="no label"),
        pytest.param(
            VALID | {"labels": ["SAFE"]},
            "type local needs at least two labels",
            id="local with one label",
        ),
        pytest.param(
            VALID | {"model_path": None}, "type local needs model_path", id="local without a path"
        ),
        pytest.param(
            VALID | {"model": "judge"}, "type local takes no model", id="local with a model"
        ),
        pytest.param(
            VALID | {"instructions": "Choose."},
            "type local takes no instructions",
            id="local with instructions",
        ),
        pytest.param(
            PROMPTED | {"model": None, "instructions": None},
            "type llm needs instructions and model",
            id="llm without model and prompt",
        ),
        pytest.param(
            PROMPTED | {"model_path": "models/risk"},
            "type llm takes no model_path",
            id="llm with a path",
        ),
        pytest.param(VALID | {"threshold": 0.5}, "threshold\n.*not permitted", id="unknown key"),
    ],
)
def test_classifier_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        ClassifierRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="local"),
        pytest.param(
            VALID | {"labels": ["LOW", "MIDDLE", "HIGH"], "use_cpu": True},
            id="local with three labels",
        ),
        pytest.param(PROMPTED, id="llm"),
    ],
)
def test_classifier_rule_is_accepted(row):
    assert ClassifierRule.model_validate(row).name == row["name"]


def test_decisions_name_a_label_of_a_classifier():
    labels = Classifier.labels([ClassifierRule.model_validate(VALID)])

    assert (Classifier.labelled, labels) == (True, {"risk": ("SAFE", "RISKY")})


def external(name, role):
    endpoint = {"address": "a", "port": 1}
    return {"name": name, "model_role": role, "llm_endpoint": endpoint}


@pytest.mark.parametrize(
    ("row", "roles", "hint"),
    [
        pytest.param(PROMPTED, {}, None, id="no such model"),
        pytest.param(PROMPTED, {"judge": "guardrail"}, None, id="of another role"),
        pytest.param(
            PROMPTED, {"judges": "classification"}, "did you mean 'judges'?", id="misspelt"
        ),
    ],
)
def test_the_prompted_model_is_not_there(row, roles, hint):
    assert checked(row, roles) == [((0, "model"), hint)]


@pytest.mark.parametrize(
    "row", [pytest.param(PROMPTED, id="prompted"), pytest.param(KNOWN, id="local: no such model")]
)
def test_the_prompted_model_is_there(row):
    assert checked(row, {"judge": "classification"}) == []


def checked(row, roles):
    discover(signals)
    models = [external(name, role) for name, role in roles.items()]
    config = Config.model_validate({"global": {"model_catalog": {"external": models}}})
    rules = [ClassifierRule.model_validate(row)]
    return [(one.path, one.hint) for one in Classifier.check(rules, config, {})]


SUBJECTS = "biology, business, chemistry, computer science, economics, engineering, health, history"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        pytest.param(KNOWN, [], id="a task and its labels in any order"),
        pytest.param(
            VALID,
            [((0, "model_path"), "known: domain, fact_check, jailbreak, modality, pii, user_fee")],
            id="no such task",
        ),
        pytest.param(
            KNOWN | {"model_path": "jailbraek"},
            [((0, "model_path"), "did you mean 'jailbreak'?")],
            id="misspelt",
        ),
        pytest.param(
            KNOWN | {"model_path": "domain"},
            [((0, "labels"), f"write {SUBJECTS}")],
            id="other labels",
        ),
    ],
)
def test_a_local_task_is_best_one_that_is_known(row, said):
    discover(signals)

    found = [*Classifier.check([ClassifierRule.model_validate(row)], Config(), {})]

    assert [
        (one.path, one.hint[: len(hint)]) for one, (_, hint) in zip(found, said, strict=True)
    ] == said
    assert {one.severity for one in found} <= {"warning"}
