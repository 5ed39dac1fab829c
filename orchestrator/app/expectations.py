"""What the rules of a policy expect of the models that they ask."""

from __future__ import annotations

from orchestrator.app.policies import Compiled
from orchestrator.signals import SIGNALS


def expected_labels(compiled: Compiled) -> dict[str, frozenset[str]]:
    """Task of a text classifier -> the labels that the signals of any rule know of it.

    A model with other labels must not be asked: a rule would wait for ever for a label that never
    comes.
    """
    expected: dict[str, frozenset[str]] = {}
    for blueprint in compiled.blueprints:
        for family, rules in blueprint.rules.items():
            if rules and SIGNALS[family].runs:
                for task, labels in SIGNALS[family].tasks.items():
                    expected[task] = expected.get(task, frozenset()) | frozenset(labels)
    return expected
