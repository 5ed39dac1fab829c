"""Artefacts predict what scikit-learn predicts."""

import json

import numpy as np
import pytest

from orchestrator import selection
from orchestrator.errors import ConfigError
from orchestrator.ranking.trained import load
from orchestrator.registry import discover
from orchestrator.selection import trained
from orchestrator.training.fitting import FITTINGS, fit
from orchestrator.training.outcomes import Outcome, lessons
from orchestrator.training.trial import held, trial

pytest.importorskip("sklearn", reason="the extra `selectors` is not installed")

discover(selection)
CENTRES = {"code": "coder", "poem": "poet", "law": "lawyer"}


def school(models=("coder", "poet", "lawyer"), queries=60, dimension=6, seed=3):
    """Queries of as many kinds as there are models; each model is good at its own."""
    random = np.random.default_rng(seed)
    outcomes, features = [], {}
    for number in range(queries):
        kind = number % len(models)
        query = f"query {number}"
        vector = random.normal(scale=0.4, size=dimension)
        vector[kind] += 1.0
        features[query] = vector / np.linalg.norm(vector)
        for at, model in enumerate(models):
            quality = (0.9 if at == kind else 0.4) + random.uniform(-0.05, 0.05)
            outcomes.append(Outcome(query, model, quality, float(random.uniform(0.5, 4))))
    return lessons(outcomes, features)


def unseen(dimension=6):
    rows = np.random.default_rng(5).normal(size=(200, dimension))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def saved(tmp_path, algorithm, some):
    fitted = fit(algorithm, some)
    path = tmp_path / f"{algorithm}_model.json"
    path.write_text(json.dumps(fitted.document))
    return load(path, trained()[algorithm], algorithm), fitted.estimator


def chosen(predictor, row):
    scores = predictor.scores(row)
    return max(scores, key=scores.__getitem__)


def test_what_is_not_trained_cannot_be_fitted():
    with pytest.raises(ConfigError, match="'static' is no algorithm that is trained"):
        fit("static", school())


def test_every_trained_algorithm_has_a_fitting():
    assert set(trained().values()) == set(FITTINGS)


@pytest.mark.parametrize("models", [("coder", "poet"), ("coder", "poet", "lawyer")], ids=len)
@pytest.mark.parametrize("algorithm", ["svm", "mlp"])
def test_classes_as_scikit_learn_tells_them(tmp_path, algorithm, models):
    predictor, estimator = saved(tmp_path, algorithm, school(models))

    ours = [chosen(predictor, row) for row in unseen()]

    assert ours == estimator.predict(unseen()).tolist()
    assert len(set(ours)) == len(models)


def test_probabilities_as_scikit_learn_tells_them(tmp_path):
    predictor, estimator = saved(tmp_path, "mlp", school())

    ours = [list(predictor.scores(row).values()) for row in unseen()]

    assert np.array(ours) == pytest.approx(estimator.predict_proba(unseen()), abs=1e-9)


def test_neighbours_as_scikit_learn_finds_them(tmp_path):
    some = school()
    predictor, estimator = saved(tmp_path, "knn", some)
    flat = [one for lesson in some for one in lesson.outcomes]

    for row in unseen():
        (near,) = estimator.kneighbors([row], return_distance=False)
        votes = dict.fromkeys(predictor.names, 0.0)
        for at in near:
            votes[flat[at].model] += flat[at].score
        assert predictor.scores(row) == pytest.approx(votes, abs=1e-6)


def test_clusters_as_scikit_learn_finds_them(tmp_path):
    predictor, estimator = saved(tmp_path, "kmeans", school())
    models = fit("kmeans", school()).document["cluster_models"]

    ours = [chosen(predictor, row) for row in unseen()]

    assert ours == [models[at] for at in estimator.predict(unseen())]


@pytest.mark.parametrize("algorithm", trained())
def test_equal_data_give_equal_artefacts(algorithm):
    assert fit(algorithm, school()).document == fit(algorithm, school()).document


@pytest.mark.parametrize("algorithm", trained())
def test_a_selector_learns_what_there_is_to_learn(algorithm):
    found = trial(algorithm, school(queries=150))

    assert found is not None
    assert found.requests == len(held(school(queries=150))[1])
    assert found.single < 0.65 < found.chosen <= found.highest


def test_whoever_was_tried_most_often_does_not_win_by_that():
    """Of one kind of query: the better model was tried with one, the worse with all."""
    vector = np.array([1.0, 0.0])
    outcomes = [Outcome(f"q{n}", "often", 0.5, 0) for n in range(5)]
    outcomes.append(Outcome("q0", "once", 0.9, 0))
    some = lessons(outcomes, {f"q{n}": vector for n in range(5)})

    assert fit("kmeans", some).document["cluster_models"] == ["once"]


@pytest.mark.parametrize(
    ("algorithm", "outcomes", "said"),
    [
        ("knn", [Outcome("q", "a", 1, 0)], "of 1 model"),
        ("svm", [Outcome("q", "a", 1, 0), Outcome("q", "b", 0, 0)], "a did best with every"),
    ],
    ids=["one model", "one winner"],
)
def test_nothing_to_learn(algorithm, outcomes, said):
    with pytest.raises(ConfigError, match=said):
        fit(algorithm, lessons(outcomes, {"q": np.array([1.0, 0.0])}))


def test_too_little_for_a_trial():
    assert trial("knn", school(queries=1)) is None
