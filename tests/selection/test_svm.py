import pytest

from orchestrator.types import Candidate
from tests.selection.artefacts import SVM
from tests.selection.trained import ask

OLDER = {key: value for key, value in SVM.items() if key not in ("svc", "format_version")}


@pytest.mark.parametrize("document", [SVM, OLDER | SVM["svc"]], ids=["current", "older"])
@pytest.mark.parametrize(("vector", "chosen"), [([2, 5], "small"), ([-0.1, 0], "large")])
def test_side_of_the_boundary(tmp_path, document, vector, chosen):
    plan = ask(tmp_path, document, vector)

    assert (plan.chosen, plan.status) == (Candidate(chosen), "selected")
    assert sorted(plan.scores) == [0.0, 1.0]
    assert plan.confidence == 1.0


def test_rbf(tmp_path):
    document = {**SVM, "kernel_type": "Rbf", "gamma": 0.5}

    assert ask(tmp_path, document, [-1, 0.2]).chosen == Candidate("large")
