"""Trained models of a policy: found in its folders, and read once."""

import pytest

from orchestrator.contest.surroundings import Absent, Surroundings
from orchestrator.errors import ConfigError
from orchestrator.ranking.trained import Kmeans, Knn
from tests.selection.artefacts import KMEANS, KNN, saved


def surroundings(folder, *folders):
    return Surroundings({"ml": {"models_path": str(folder)}}, folders)


@pytest.mark.parametrize(
    ("block", "why"),
    [
        pytest.param({}, "models_path is not set", id="no path"),
        pytest.param({"models_path": 3}, "models_path is not set", id="no text"),
        pytest.param({"models_path": "none"}, "no file none/knn_model.json", id="no file"),
    ],
)
def test_where_there_is_none(block, why):
    with pytest.raises(Absent, match=why):
        Surroundings({"ml": block}).predictor("knn", Knn)


def test_the_first_folder_that_has_it(tmp_path):
    for name in ("second", "third"):
        (tmp_path / name / "models").mkdir(parents=True)
        saved(tmp_path / name / "models", KNN)
    folders = [tmp_path / name for name in ("first", "second", "third")]

    found = surroundings("models", *folders).artefact("knn")

    assert found == tmp_path / "second/models/knn_model.json"


def test_a_file_is_read_once(tmp_path):
    saved(tmp_path, KNN)
    around = surroundings(tmp_path)
    read = around.predictor("knn", Knn)
    (tmp_path / "knn_model.json").write_text("damaged")

    assert around.predictor("knn", Knn) is read
    with pytest.raises(ConfigError, match="is no artefact of knn"):
        surroundings(tmp_path).predictor("knn", Knn)


def test_what_is_wrong_with_a_file_is_told_each_time(tmp_path):
    (tmp_path / "knn_model.json").write_text("damaged")
    around = surroundings(tmp_path)
    told = []
    for _ in range(2):
        with pytest.raises(ConfigError, match="is no artefact of knn") as error:
            around.predictor("knn", Knn)
        told.append(str(error.value))
        saved(tmp_path, KNN)

    assert told[0] == told[1]


def test_each_algorithm_has_its_own(tmp_path):
    saved(tmp_path, KNN)
    saved(tmp_path, KMEANS)
    around = surroundings(tmp_path)

    assert isinstance(around.predictor("knn", Knn), Knn)
    assert isinstance(around.predictor("kmeans", Kmeans), Kmeans)
