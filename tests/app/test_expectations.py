import pytest

from orchestrator.app.expectations import expected_labels
from orchestrator.signals import SIGNALS
from tests.app.planes import compiled

POLICY = """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals: %s
  decisions: []
"""


@pytest.mark.parametrize(
    ("signals", "families"),
    [
        pytest.param("{keywords: [{name: a, operator: OR, keywords: [b]}]}", [], id="words only"),
        pytest.param("{domains: []}", [], id="no rules"),
        pytest.param("{domains: [{name: law}]}", ["domain"], id="one family"),
        pytest.param(
            "{domains: [{name: law}], fact_check: [{name: needs_fact_check}]}",
            ["domain", "fact_check"],
            id="two families",
        ),
    ],
)
def test_labels_of_the_families_that_have_rules(signals, families):
    expected = {
        task: frozenset(labels)
        for family in families
        for task, labels in SIGNALS[family].tasks.items()
    }

    assert expected_labels(compiled(POLICY % signals)) == expected
    assert bool(expected) is bool(families)


def test_families_agree_on_the_labels_of_a_task():
    known: dict[str, frozenset[str]] = {}
    for family in SIGNALS.names():
        for task, labels in SIGNALS[family].tasks.items():
            assert known.setdefault(task, frozenset(labels)) == frozenset(labels), family
