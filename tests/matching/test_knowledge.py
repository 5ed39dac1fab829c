import pytest

from orchestrator.config.catalog import KnowledgeBase
from orchestrator.matching.knowledge import Knowledge, inconsistencies

BASE = {
    "name": "places",
    "source": {"path": "places/"},
    "threshold": 0.5,
    "label_thresholds": {"lake": 0.8},
    "groups": {"water": ["lake", "sea"], "land": ["hill"], "all": ["lake", "sea", "hill"]},
    "metrics": [
        {
            "name": "wet",
            "type": "group_margin",
            "positive_group": "water",
            "negative_group": "land",
        }
    ],
}
LABELS = ("lake", "sea", "hill")


def knowledge(labels=LABELS, **more):
    return Knowledge(KnowledgeBase.model_validate(BASE | more), labels)


@pytest.mark.parametrize(
    ("scores", "matched", "best"),
    [
        pytest.param(
            (0.1, 0.2, 0.3),
            (set(), set()),
            ("hill", "all"),
            id="none matches, and the best is one all the same",
        ),
        pytest.param((0.7, 0.2, 0.1), (set(), set()), ("lake", "all"), id="a threshold of its own"),
        pytest.param(
            (0.7, 0.5, 0.1),
            ({"sea"}, {"water", "all"}),
            ("lake", "all"),
            id="the best is not the one that matches",
        ),
        pytest.param(
            (0.8, 0.2, 0.6),
            ({"lake", "hill"}, {"water", "land", "all"}),
            ("lake", "all"),
            id="several match",
        ),
        pytest.param(
            (0.4, 0.4, 0.4), (set(), set()), ("hill", "all"), id="equal scores fall to the name"
        ),
    ],
)
def test_judgement(scores, matched, best):
    standing = knowledge().judge(scores)

    assert (standing.matched["label"], standing.matched["group"]) == matched
    assert (standing.best["label"], standing.best["group"]) == best
    assert standing.scores["label"] == dict(zip(LABELS, scores, strict=True))


def test_the_score_of_a_group_is_that_of_its_best_label():
    standing = knowledge().judge((0.7, 0.2, 0.1))

    assert standing.scores["group"] == {"water": 0.7, "land": 0.1, "all": 0.7}


@pytest.mark.parametrize(
    ("scores", "metrics"),
    [
        pytest.param(
            (-0.2, -0.1, -0.3),
            {"best_score": -0.1, "best_matched_score": 0.0, "wet": 0.2},
            id="nothing matches",
        ),
        pytest.param(
            (0.7, 0.5, 0.9),
            {"best_score": 0.9, "best_matched_score": 0.9, "wet": -0.2},
            id="negative margin",
        ),
        pytest.param(
            (0.7, 0.5, 0.1),
            {"best_score": 0.7, "best_matched_score": 0.5, "wet": 0.6},
            id="the best does not match",
        ),
    ],
)
def test_metrics(scores, metrics):
    assert knowledge().judge(scores).metrics == metrics


def test_without_groups_there_is_no_best_one():
    standing = knowledge(groups={}).judge((0.7, 0.5, 0.1))

    assert (list(standing.best), standing.scores["group"]) == (["label"], {})
    assert set(standing.metrics) == {"best_score", "best_matched_score"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        pytest.param({}, [], id="sound"),
        pytest.param(
            {"groups": BASE["groups"] | {"air": ["cloud"]}},
            ["the group 'air' names 'cloud', which is no label of it"],
            id="group of an unknown label",
        ),
        pytest.param(
            {"groups": BASE["groups"] | {"air": []}}, ["the group 'air' is empty"], id="empty group"
        ),
        pytest.param(
            {"label_thresholds": {"lak": 0.5}},
            ["label_thresholds names 'lak', which is no label of it"],
            id="threshold of an unknown label",
        ),
        pytest.param(
            {"metrics": [BASE["metrics"][0] | {"negative_group": "dry"}]},
            ["the metric 'wet' names 'dry', which is no group of it"],
            id="metric of an unknown group",
        ),
    ],
)
def test_inconsistencies(more, said):
    found = list(inconsistencies(knowledge(**more)))

    assert found == [f"knowledge base 'places': {one}" for one in said]
