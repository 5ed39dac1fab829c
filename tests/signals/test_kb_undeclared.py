"""Rules about a knowledge base that the policy does not declare: the format's own."""

import json

import pytest

from orchestrator.config.schema import Config
from orchestrator.signals.kb import Kb, KbRule


@pytest.fixture
def policy(tmp_path):
    """A policy without `kbs`, beside a privacy base of two labels."""
    base = tmp_path / "knowledge_bases" / "privacy"
    base.mkdir(parents=True)
    labels = {name: {"exemplars": [name]} for name in ("pii", "simple_task")}
    (base / "labels.json").write_text(json.dumps({"labels": labels}))
    return Config().located((tmp_path,))


def rule(value, kind="group"):
    target = {"kind": kind, "value": value}
    return KbRule.model_validate({"name": "r", "kb": "privacy_kb", "target": target})


@pytest.mark.parametrize(
    ("target", "found"),
    [
        pytest.param(rule("privacy_policy"), [], id="a group of which one label is there"),
        pytest.param(rule("public"), [], id="a group of groups"),
        pytest.param(rule("pii", "label"), [], id="a label"),
        pytest.param(
            rule("security_containment"),
            [("warning", "unknown group of the knowledge base 'privacy_kb'")],
            id="a group of which no label is there",
        ),
        pytest.param(
            rule("trade_secret_ip", "label"),
            [("warning", "unknown label of the knowledge base 'privacy_kb'")],
            id="a label that is not there",
        ),
    ],
)
def test_check_takes_the_formats_base_as_it_is_installed(policy, target, found):
    findings = list(Kb.check([target], policy, {}))

    assert [one.severity for one in findings] == [severity for severity, _ in found]
    assert all(said in one.message for one, (_, said) in zip(findings, found, strict=True))
