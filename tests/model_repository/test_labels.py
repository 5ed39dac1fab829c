"""The labels that the signals rely on are those that the model answers, in the same order.

The training data takes its labels from the signals, so the order here is the one it was trained in.
"""

import json

import pytest

from orchestrator import signals
from orchestrator.registry import discover
from orchestrator.signals import SIGNALS

discover(signals)

TASKS = {
    task: labels for family in SIGNALS.names() for task, labels in SIGNALS[family].tasks.items()
}


@pytest.fixture
def served(signals_folder):
    return json.loads((signals_folder / "labels.json").read_text(encoding="utf-8"))


def test_every_task_of_the_model_has_a_signal(served):
    assert sorted(served) == sorted(TASKS)


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_model_answers_what_the_signals_expect(served, task):
    assert served[task]["labels"] == list(TASKS[task])
    assert set(served[task]["positive"]) <= set(TASKS[task])
