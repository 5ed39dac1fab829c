"""The labels that the signals rely on, the training data's and the served model's are the same."""

import importlib
import json

import pytest

from orchestrator import signals
from orchestrator.registry import discover
from orchestrator.signals import SIGNALS

discover(signals)

TASKS = {
    task: labels for family in SIGNALS.names() for task, labels in SIGNALS[family].tasks.items()
}


def test_every_task_of_the_model_has_a_signal(signals_folder):
    served = json.loads((signals_folder / "labels.json").read_text(encoding="utf-8"))

    assert sorted(served) == sorted(TASKS)


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_model_answers_what_the_signals_expect(signals_folder, task):
    served = json.loads((signals_folder / "labels.json").read_text(encoding="utf-8"))[task]

    assert sorted(served["labels"]) == sorted(TASKS[task])
    assert set(served["positive"]) <= set(TASKS[task])


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_model_is_trained_on_them_in_the_order_in_which_it_answers(signals_folder, task):
    served = json.loads((signals_folder / "labels.json").read_text(encoding="utf-8"))[task]
    try:
        data = importlib.import_module(f"build_engines.data.{task}")
    except ModuleNotFoundError as error:
        if error.name in {"faker", "pyarrow"}:
            pytest.skip(f"{error.name} is not installed; the data of this task cannot be read")
        raise

    assert list(data.LABELS) == served["labels"]
