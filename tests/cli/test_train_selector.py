"""A scripted model stands for Triton."""

import json
import sys

import pytest
from rich.progress import Progress

from orchestrator.cli.train_selector import features, run, told, train
from orchestrator.errors import ConfigError, ModelUntrusted, RouterError
from orchestrator.inference.fake import FakeInference
from orchestrator.ranking.features import SUBJECTS
from orchestrator.training.outcomes import Outcome
from orchestrator.training.trial import Trial
from tests.selection.trained import ask

pytest.importorskip("sklearn", reason="the extra `selectors` is not installed")

QUERIES = [f"code {n}" for n in range(9)] + [f"poem {n}" for n in range(9)]


def is_code(query):
    return query.startswith("code")


def models():
    vectors = {q: [1, 0.01 * n] if is_code(q) else [0.01 * n, 1] for n, q in enumerate(QUERIES)}
    subjects = {
        q: {"domain": {"computer science": float(is_code(q)), "other": 0.5}} for q in QUERIES
    }
    return FakeInference(vectors, classified=subjects)


def outcomes():
    for query in QUERIES:
        yield Outcome(query, "coder", 0.9 if is_code(query) else 0.3, 1.0)
        yield Outcome(query, "poet", 0.3 if is_code(query) else 0.9, 1.0)


@pytest.mark.parametrize("algorithm", ["knn", "kmeans", "svm", "mlp"])
async def test_what_is_trained_is_what_selects(tmp_path, algorithm):
    known = await features(models(), QUERIES, Progress(disable=True))

    path, _ = train(algorithm, list(outcomes()), known, tmp_path / "models")

    document = json.loads(path.read_text())
    assert (path.name, document["feature_dim"]) == (f"{algorithm}_model.json", 2 + len(SUBJECTS))
    names = ("poet", "coder")
    code = ask(tmp_path, document, [1, 0], names, "computer science")
    poem = ask(tmp_path, document, [0, 1], names, "other")
    assert (code.chosen.name, poem.chosen.name) == ("coder", "poet")
    assert {code.status, poem.status} == {"selected"}


async def test_a_classifier_that_does_not_answer_leaves_the_subject_open():
    class NoTopics(FakeInference):
        async def classify(self, model, texts, tasks):
            from_nowhere = FakeInference(failure=ModelUntrusted("differs"))
            return await from_nowhere.classify(model, texts, tasks)

    known = await features(NoTopics({"q": [1, 0]}), ["q"], Progress(disable=True))

    assert known["q"][2 + SUBJECTS.index("unknown")] == 1.0


async def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    known = await features(models(), QUERIES, Progress(disable=True))

    with pytest.raises(ConfigError, match="cannot write"):
        train("kmeans", list(outcomes()), known, tmp_path / "file" / "models")


def test_what_is_told():
    assert told(None).startswith("too few queries")
    assert told(Trial(12, 0.81, 0.7, 0.9, "large")) == (
        "quality on 12 unseen queries: 0.810 chosen, 0.700 by large alone, 0.900 at best"
    )


def test_without_the_extra_nothing_is_started(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)  # as where it is not installed
    data = tmp_path / "outcomes.jsonl"
    data.write_text(json.dumps({"query": "code", "model": "coder", "quality": 1, "latency": 1}))
    with pytest.raises(RouterError, match="selectors"):
        run("knn", [data], tmp_path / "models")
