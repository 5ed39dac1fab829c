import asyncio

import numpy as np
import pytest

from orchestrator.errors import ImageRefused, InferenceError, InferenceTimeout, InferenceUnavailable
from orchestrator.inference.model_server import Fault
from orchestrator.inference.neighbours import Neighbours, parts_of
from orchestrator.inference.rows import Row
from tests.inference.fake_backend import (
    ABSENT,
    DEAD,
    FakeBackend,
    TritonError,
    TritonModelException,
)
from tests.inference.fake_models import TASKS, known, pixels, probabilities, vector

CONFIG = """
max_batch_size: 8
output [ { name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 4 ] } ]
instance_group [ { kind: KIND_CPU count: 3 } ]
"""
ENSEMBLE = """
max_batch_size: 4
output [ { name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 4 ] } ]
ensemble_scheduling { step { model_name: "first" } step { model_name: "m" } }
"""


@pytest.fixture
def repository(tmp_path):
    for name, text in {"m": CONFIG, "first": "max_batch_size: 4", "both": ENSEMBLE}.items():
        (tmp_path / name / "1").mkdir(parents=True)
        (tmp_path / name / "config.pbtxt").write_text(text)
    return tmp_path


@pytest.fixture
def backend():
    return FakeBackend()


@pytest.fixture
def triton(backend, repository):
    return Neighbours(backend, repository)


@pytest.mark.parametrize(
    ("failure", "kind", "fault"),
    [
        pytest.param(
            TritonError("bad shape", TritonError.INVALID_ARG),
            InferenceError,
            None,
            id="our mistake",
        ),
        pytest.param(TritonError("out of memory"), InferenceError, None, id="its mistake"),
        pytest.param(
            TritonError("full", TritonError.UNAVAILABLE),
            InferenceUnavailable,
            Fault.UNREACHABLE,
            id="a code that later releases give",
        ),
        pytest.param(
            TritonModelException("no such tensor"), InferenceError, None, id="it did not begin"
        ),
        pytest.param(
            TritonError("in ensemble 'm', IMAGE is empty"),
            ImageRefused,
            None,
            id="a picture that is not read",
        ),
        pytest.param(
            TritonError("Exceeds maximum queue size"),
            InferenceUnavailable,
            None,
            id="full",
        ),
        pytest.param(
            TritonError("Request timeout expired"),
            InferenceTimeout,
            None,
            id="queued long",
        ),
        pytest.param(TritonError(ABSENT), InferenceUnavailable, Fault.NOT_LOADED, id="unloaded"),
        pytest.param(
            TritonError("Model m - Error when running inference: Server not ready"),
            InferenceUnavailable,
            Fault.NOT_LOADED,
            id="the server starts",
        ),
        pytest.param(
            TritonError("BLS is only supported during the 'execute' function."),
            InferenceUnavailable,
            Fault.NOT_LOADED,
            id="this model is not loaded itself",
        ),
        pytest.param(
            TritonError(DEAD), InferenceUnavailable, Fault.DEAD_INSTANCE, id="dead process"
        ),
    ],
)
async def test_failures(triton, backend, failure, kind, fault):
    backend.failures = [failure]

    with pytest.raises(InferenceError) as caught:
        await triton.ask("m", [Row(b"x")])

    assert type(caught.value) is kind
    assert triton.faults == ({"m": fault} if fault else {})
    assert triton.trouble.is_set() == (fault is not None)


async def test_an_answer_that_does_not_come_is_not_waited_for(triton, backend):
    backend.hang = True

    with pytest.raises(InferenceTimeout):
        await triton.ask("m", [Row(b"x")], timeout_s=0.02)


async def test_a_caller_that_leaves_is_let_go(triton, backend):
    backend.hang = True
    asking = asyncio.create_task(triton.ask("m", [Row(b"x")]))
    while not backend.asked:
        await asyncio.sleep(0)
    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_texts_and_their_tasks_become_rows(triton, backend):
    rows = [Row(b"one", frozenset({"domain"})), Row(b"two", frozenset({"domain", "guard"}))]

    first, second = await triton.ask("m", rows, TASKS)

    [asked] = backend.asked
    assert asked.inputs == {"TEXT": [b"one", b"two"], "TASKS": [b"domain", b"domain,guard"]}
    assert {"EMBEDDING", "PROBS_domain", "PROBS_guard"} < {*asked.wanted}
    np.testing.assert_allclose(first.vector, vector(b"one"))
    assert set(first.said.probabilities) == {"domain"}
    found = [*second.said.probabilities["guard"].values()]
    assert found == pytest.approx(probabilities(b"two", "guard").tolist())


async def test_the_length_of_embeddings_is_said_of_each_row(triton, backend):
    await triton.ask("m", [Row(b"a"), Row(b"b")], dimension=2)
    await triton.ask("m", [Row(b"a")])

    assert [one.inputs.get("DIMENSION") for one in backend.asked] == [[2, 2], None]


async def test_pictures(triton, backend):
    seen = await triton.see("both", [b"a", b"bc"], 0.5)
    made = await triton.pixels("both", b"a")

    np.testing.assert_allclose(seen.embeddings, [vector(b"a"), vector(b"bc")])
    np.testing.assert_allclose(seen.known, [known(b"a"), known(b"bc")])
    assert made == pixels(b"a").tobytes()
    assert [one.model for one in backend.asked] == ["both", "image_preprocess"]


async def test_a_preprocessor_that_is_away_is_a_fault_of_its_ensemble(triton, backend):
    backend.away = {"image_preprocess"}

    with pytest.raises(InferenceUnavailable):
        await triton.pixels("both", b"a")

    assert triton.faults == {"both": Fault.NOT_LOADED}


@pytest.mark.parametrize(
    ("model", "version", "instances", "batch"),
    [
        pytest.param("m", "1", 3, 8, id="a model"),
        pytest.param("both", "1", 3, 4, id="an ensemble, by the step of most instances"),
    ],
)
async def test_it_is_described_by_its_files(triton, model, version, instances, batch):
    found = await triton.describe(model)

    assert (found.version, found.instances, found.max_batch) == (version, instances, batch)
    assert (found.device, found.dimension) == ("cpu", 4)


async def test_the_newest_version_and_the_config_of_the_name_count(backend, repository):
    (repository / "m" / "configs").mkdir()
    (repository / "m" / "configs" / "fast.pbtxt").write_text("max_batch_size: 32")
    for name in ("9", "10", "notes"):
        (repository / "m" / name).mkdir()

    found = await Neighbours(backend, repository, config_name="fast").describe("m")

    assert (found.version, found.max_batch, found.dimension) == ("10", 32, -1)


async def test_a_model_without_files_is_an_error(triton):
    with pytest.raises(InferenceError, match="absent"):
        await triton.describe("absent")


@pytest.mark.parametrize("verb", ["load", "reload"])
async def test_models_are_not_controlled_from_inside(triton, verb):
    with pytest.raises(InferenceError, match="from outside"):
        await getattr(triton, verb)("m")


async def test_models_that_load_are_waited_for(triton, backend):
    backend.away = {"m"}
    waiting = asyncio.create_task(triton.loaded(["first", "m"]))
    done, _ = await asyncio.wait({waiting}, timeout=0.05)
    assert not done

    backend.away = set()
    await waiting
    assert triton.faults == {}


@pytest.mark.parametrize(
    ("models", "parts"),
    [
        pytest.param([], set(), id="none"),
        pytest.param(["m"], {"m"}, id="a model"),
        pytest.param(["both"], {"both", "first", "m"}, id="an ensemble"),
        pytest.param(["absent"], {"absent"}, id="of which there are no files"),
    ],
)
def test_parts(repository, models, parts):
    assert parts_of(repository, models) == parts
