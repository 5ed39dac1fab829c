import pytest

from orchestrator.types import Candidate
from tests.selection.artefacts import KMEANS
from tests.selection.trained import ask


@pytest.mark.parametrize(
    ("vector", "chosen", "scores"),
    [
        pytest.param([0, 1], "small", (-1.0, -(101**0.5)), id="the nearest of two clusters"),
        pytest.param([9, 0], "large", (-9.0, -1.0), id="the other model's"),
        pytest.param([5, 0], "small", (-5.0, -5.0), id="a tie"),
    ],
)
def test_nearest_cluster(tmp_path, vector, chosen, scores):
    plan = ask(tmp_path, KMEANS, vector)

    assert (plan.chosen, plan.status) == (Candidate(chosen), "selected")
    assert plan.scores == pytest.approx(scores)
    assert plan.confidence is None


def test_clusters_by_number_as_older_files_have_them(tmp_path):
    models = {"0": "small", "1": "large", "2": "small"}

    assert ask(tmp_path, {**KMEANS, "cluster_models": models}, [9, 0]).chosen == Candidate("large")
