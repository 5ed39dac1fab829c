"""Also what all trained selectors share."""

import json

import pytest

from orchestrator.errors import ConfigError
from orchestrator.selection import SELECTORS, Needs, Surroundings, Values
from orchestrator.types import Candidate
from tests.selection.artefacts import DOCUMENTS, KNN, saved
from tests.selection.made import contender, selector
from tests.selection.trained import ask

ROWS = [contender("small"), contender("large")]


def test_votes_by_hand(tmp_path):
    """Of the three nearest to the origin; speed is 1 - (latency - 1 s) / 4 s."""
    plan = ask(tmp_path, KNN, [0.1, 0.1])

    small = 0.9 * 0.2 + 0.1 + 0.9 * 0.3 + 0.1
    large = 0.9 * 0.9 + 0.1 * 0.5
    assert plan.scores == pytest.approx((small, large))
    assert (plan.chosen, plan.status) == (Candidate("large"), "selected")
    assert plan.confidence == pytest.approx(large / (small + large))


def test_the_second_version_takes_unit_vectors_and_seconds(tmp_path):
    document = {**KNN, "format_version": 2, "embeddings": [[5, 0], [3, 0], [0, 1], [0, 9]]}

    plan = ask(tmp_path, {**document, "k": 1}, [0.1, 2.0])

    # of two at the same place, the earlier sample: quality .9, 3 s
    assert plan.scores == pytest.approx((0.0, 0.9 * 0.9 + 0.1 / 1.3))


def test_a_tie_of_distances_goes_to_the_earlier_sample(tmp_path):
    plan = ask(tmp_path, {**KNN, "k": 2}, [0.0, 0.0])

    assert plan.scores[1] == 0.0
    assert plan.chosen == Candidate("small")


def test_a_model_that_the_decision_does_not_list_is_passed_over(tmp_path):
    plan = ask(tmp_path, KNN, [0.1, 0.1], names=("other", "small"))

    assert (plan.chosen, plan.status) == (Candidate("small"), "selected")
    assert plan.scores[0] is None


def test_none_of_the_candidates(tmp_path):
    plan = ask(tmp_path, {**KNN, "k": 1}, [9, 9], names=("small", "other"))

    assert (plan.chosen, plan.status) == (Candidate("small"), "fallback")
    assert plan.reason == "knn prefers none of the candidates; the first candidate answers"


@pytest.mark.parametrize("method", DOCUMENTS)
def test_another_encoder_than_it_was_trained_on(tmp_path, method):
    plan = ask(tmp_path, DOCUMENTS[method], [1, 2, 3])

    assert plan.status == "fallback"
    assert plan.reason.startswith("trained on 2 numbers of a text, the encoder gives 3;")


@pytest.mark.parametrize("method", DOCUMENTS)
def test_without_an_embedding(tmp_path, method):
    saved(tmp_path, DOCUMENTS[method])
    chooser = selector(method, ROWS, defaults={"ml": {"models_path": str(tmp_path)}})

    plan = chooser.choose(Values(unread="inference_timeout"))

    assert (plan.chosen, plan.status, plan.method) == (Candidate("small"), "fallback", method)
    assert "inference_timeout" in plan.reason
    assert chooser.needs.embedding and chooser.needs.topic


@pytest.mark.parametrize("method", DOCUMENTS)
def test_the_path_is_beside_the_policy(tmp_path, method):
    (tmp_path / "models").mkdir()
    saved(tmp_path / "models", DOCUMENTS[method])

    selector(method, ROWS, defaults={"ml": {"models_path": "models"}}, folders=(tmp_path,))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"algorithm": "svm"}, "it is one of svm", id="another algorithm"),
        pytest.param({"k": 0}, "k is no number above 0", id="no neighbours"),
        pytest.param({"labels": ["small"]}, "qualities are not 1 finite", id="labels missing"),
        pytest.param({"labels": []}, "models are no list of names", id="no labels"),
        pytest.param({"qualities": [1, 2]}, "qualities are not 4 finite", id="qualities missing"),
        pytest.param({"embeddings": [[1], [2, 3]]}, "is no artefact of knn", id="ragged"),
        pytest.param({"format_version": 3}, "format_version 3 is not known", id="newer"),
    ],
)
def test_a_damaged_artefact(tmp_path, change, said):
    document = {**KNN, **change}
    (tmp_path / "knn_model.json").write_text(json.dumps(document))

    with pytest.raises(ConfigError, match=said):
        selector("knn", ROWS, defaults={"ml": {"models_path": str(tmp_path)}})


@pytest.mark.parametrize(
    ("written", "said"),
    [
        pytest.param("{}", "'algorithm' is missing", id="empty"),
        pytest.param("not json", "is no artefact of knn", id="no JSON"),
        pytest.param("[1]", "is no artefact of knn", id="a list"),
    ],
)
def test_check_names_the_file(tmp_path, written, said):
    (tmp_path / "knn_model.json").write_text(written)
    around = Surroundings({"ml": {"models_path": str(tmp_path)}})

    (finding,) = SELECTORS["knn"].check(ROWS, None, around)

    assert (finding.path, finding.severity) == (("type",), "error")
    assert said in finding.message
    assert str(tmp_path / "knn_model.json") in finding.message


def test_nobody_has_trained_it_yet(tmp_path):
    """The reference's own configs name files that they do not bring."""
    around = Surroundings({"ml": {"models_path": str(tmp_path)}})
    why = f"no file {tmp_path / 'knn_model.json'}, which knn needs"

    chooser = selector("knn", ROWS, defaults=around.defaults)
    (finding,) = SELECTORS["knn"].check(ROWS, None, around)

    plan = chooser.choose(Values())
    assert chooser.needs == Needs()
    assert (plan.status, plan.reason) == ("fallback", f"{why}; the first candidate answers")
    assert (finding.severity, finding.message) == (
        "warning",
        f"{why}: the first candidate answers",
    )


def test_check_needs_a_path_and_known_candidates(tmp_path):
    kind = SELECTORS["knn"]
    around = Surroundings({"ml": {"models_path": str(tmp_path)}})
    saved(tmp_path, KNN)

    (unset,) = kind.check(ROWS, None, Surroundings())
    (stranger,) = kind.check([*ROWS, contender("new")], None, around)

    assert "ml.models_path is not set" in unset.message
    assert "does not know 'new'" in stranger.message
    assert (stranger.hint, stranger.severity) == ("it knows large, small", "warning")
    assert list(kind.check(ROWS, None, around)) == []
