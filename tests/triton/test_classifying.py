"""Text classification through the real tritonserver: rows, tasks, gathering, trust."""

import asyncio
import contextlib

import numpy as np
import pytest
import pytest_asyncio

from orchestrator import signals
from orchestrator.app.model_plane import loaded, model_plane
from orchestrator.config.services import Triton
from orchestrator.errors import InferenceError, ModelUntrusted
from orchestrator.inference import Entity
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.rows import Row
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.tasks import Task
from orchestrator.registry import discover
from orchestrator.signals import SIGNALS
from orchestrator.telemetry import Telemetry
from tests.triton import toy, toy_classifier

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return toy_classifier.write(tmp_path_factory.mktemp("toy") / "models")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def plane(repository, tmp_path_factory):
    async with plane_of(repository, tmp_path_factory.mktemp("state")) as plane:
        yield plane


@contextlib.asynccontextmanager
async def plane_of(repository, state_dir):
    server = EmbeddedTriton(repository, state_dir=state_dir, exit_timeout_s=1)
    await server.start()
    settings = Triton(model_repository=str(repository))
    try:
        async with model_plane(settings, ["signals"], [server.url], Telemetry()) as plane:
            await plane.looked()
            yield plane
    finally:
        await server.stop()


async def test_what_is_asked_at_one_moment_is_one_request_and_every_row_its_own(plane, repository):
    texts = ["sass", "", "7 \N{SNOWMAN} 5550123", "no s"]
    before = len((repository / "requests").read_text().split())
    moods, found, vectors = await asyncio.gather(
        plane.inference.classify("signals", texts, ["mood"]),
        plane.inference.classify("signals", texts[2:], ["numbers"]),
        plane.inference.embed("signals", texts[:1]),
    )
    after = (repository / "requests").read_text().split()
    status = plane.status()

    assert after[before:] == ["1"]
    assert (status.status, status.message) == ("ready", "")
    for answer, text in zip(moods, texts, strict=True):
        assert list(answer.probabilities["mood"].values()) == pytest.approx(
            toy_classifier.mood(text)
        )
    assert [answer.entities["numbers"] for answer in found] == [
        (Entity(0, 1, "SHORT", 0.75), Entity(4, 11, "LONG", 0.75)),
        (),
    ]
    np.testing.assert_array_equal(vectors, [toy.vector(b"sass")])


async def test_where_nothing_is_found_the_tensors_are_empty(plane):
    answers = await plane.inference.classify("signals", ["none", "here"], ["numbers"])

    assert [answer.entities for answer in answers] == [{"numbers": ()}] * 2


async def test_a_classifier_with_its_labels_exchanged_is_refused_and_told(tmp_path):
    repository = toy_classifier.write(tmp_path / "models", order=-1)
    async with plane_of(repository, tmp_path / "state") as plane:
        with pytest.raises(
            ModelUntrusted, match="task mood: probability off by 1.00 on text 'empty'"
        ):
            await plane.inference.classify("signals", ["less"], ["mood"])
        assert plane.status().status == "starting"


async def test_the_published_classifier_is_trusted_and_embeds_for_the_embedder(triton):
    models = ["text_embedding", "text_signals"]
    assert loaded(Triton(), models) == ("text_signals",)
    discover(signals)
    expects = {
        task: frozenset(labels)
        for family in SIGNALS.names()
        for task, labels in SIGNALS[family].tasks.items()
    }
    direct, texts = Endpoint(triton), ["a cat", "My name is Anna Schmidt. " * 200]
    try:
        async with model_plane(Triton(), models, [triton], Telemetry(), expects) as plane:
            await plane.looked()
            status = plane.status()
            vectors, said = await asyncio.gather(
                plane.inference.embed("text_embedding", texts),
                plane.inference.classify("text_signals", texts, sorted(expects)),
            )
            embedder = await direct.ask("text_embedding", [Row(text.encode()) for text in texts])
    finally:
        await direct.close()

    assert (status.status, status.message) == ("ready", "")
    assert [model.model for model in status.models] == ["text_signals"]
    for answer, vector, reference in zip(said, vectors, embedder, strict=True):
        assert vector @ reference.vector == pytest.approx(1, abs=1e-4)
        assert answer.windows == reference.said.windows
        assert set(answer.probabilities) | set(answer.entities) == set(expects)
        for shares in answer.probabilities.values():
            assert sum(shares.values()) == pytest.approx(1, abs=1e-4)


async def test_a_task_that_the_server_does_not_know_is_its_error(triton):
    """Where the labels.json here is newer than the model there."""
    endpoint = Endpoint(triton)
    tasks = {"weather": Task(("rain", "sun"))}
    try:
        with pytest.raises(InferenceError, match="weather"):
            await endpoint.ask("text_signals", [Row(b"x", frozenset(tasks))], tasks)
    finally:
        await endpoint.close()
