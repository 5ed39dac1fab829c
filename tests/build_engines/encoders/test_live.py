"""Every tiny encoder in a real tritonserver, trusted as a router does it, also by one inside."""

import asyncio
import shutil

import numpy as np
import pytest
import pytest_asyncio

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import tritonclient.grpc.aio as triton
from tritonclient.utils import InferenceServerException

from build_engines import check_parity
from build_engines.job import ROOT
from orchestrator.app.fleet import ROUTER
from orchestrator.config.load import POLICY
from orchestrator.inference.launch import Front
from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from tests.build_engines.encoders.checkpoints import KINDS
from tests.build_engines.encoders.conftest import TEXTS
from tests.triton.bls import Caller

pytestmark = pytest.mark.triton

PLAIN = list(TEXTS.values())
INSIDE = """
version: v0.3
providers:
  defaults: {default_model: small}
  models: [{name: small, backend_refs: [{endpoint: "127.0.0.1:1"}]}]
global:
  router: {signal_deadline: 60s}
  services: {triton: {models: {text_embedding: tiny_mmbert}, dimension: 16, deadline: 60s}}
routing:
  modelCards: [{name: small}]
  signals: {embeddings: [{name: near, threshold: 0.01, candidates: [the river]}]}
  decisions: [{name: any, rules: {type: embedding, name: near}, modelRefs: [{model: small}]}]
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(every, tmp_path_factory):
    repository = tmp_path_factory.mktemp("live") / "models"
    repository.mkdir()
    for built in every.values():
        (repository / built.job.spec.name).symlink_to(built.job.target)
    names = [built.job.spec.name for built in every.values()]
    state = tmp_path_factory.mktemp("state")
    (state / "policy.yaml").write_text(INSIDE)
    shutil.copytree(default_repository() / ROUTER, repository / ROUTER)
    config, place = repository / ROUTER / "config.pbtxt", 'key: "package" value { string_value: "'
    config.write_text(config.read_text().replace(place, f"{place}{ROOT}"))
    front = Front(environment={POLICY: str(state / "policy.yaml")})
    running = EmbeddedTriton(
        repository, [*names, ROUTER], state_dir=state, start_timeout_s=300, front=front
    )
    await running.start()
    yield repository, names, running.url
    await running.stop()


@pytest_asyncio.fixture
async def client(server):
    async with triton.InferenceServerClient(server[2]) as made:
        yield made


async def ask(client, model, texts, dimension=None):
    rows = triton.InferInput("TEXT", [len(texts), 1], "BYTES")
    rows.set_data_from_numpy(np.array([[text.encode()] for text in texts], object))
    inputs = [rows]
    if dimension is not None:
        wanted = np.broadcast_to(np.array(dimension, np.int32), len(texts)).reshape(-1, 1)
        inputs.append(triton.InferInput("DIMENSION", list(wanted.shape), "INT32"))
        inputs[-1].set_data_from_numpy(np.ascontiguousarray(wanted))
    return (await client.infer(model, inputs)).as_numpy("EMBEDDING")


async def test_a_router_trusts_all_of_them(server):
    repository, names, url = server
    inference = TritonInference([url], timeout_s=60.0)
    trusted = TrustedInference(inference, repository, names)

    found = await trusted.check()

    await trusted.stop()
    await inference.close()
    assert [(one.trusted, one.reason) for one in found] == [(True, "")] * len(KINDS)
    assert min(one.parity.min_cosine for one in found) >= 0.9999


@pytest.mark.parametrize("name", KINDS)
async def test_texts_alone_together_and_at_once(client, every, name):
    """Rows of one request, requests of their own, all at the same time."""
    built = every[name]
    expected = check_parity.reference(built.job.spec, built.folder, PLAIN).embeddings

    together = await ask(client, built.job.spec.name, PLAIN[:8])
    alone = await asyncio.gather(*(ask(client, built.job.spec.name, [one]) for one in PLAIN))

    assert check_parity.cosines(together, expected[:8]).min() >= 0.9999
    assert check_parity.cosines(np.concatenate(alone), expected).min() >= 0.9999


@pytest.mark.parametrize(("name", "lengths"), [("mmbert", (48, 32, 16, 8)), ("gemma", (24, 12))])
async def test_a_shorter_embedding_is_cut_and_of_length_1(client, every, name, lengths):
    model = every[name].job.spec.name
    whole = await ask(client, model, PLAIN[:8])

    for length in lengths:
        found = await ask(client, model, PLAIN[:8], length)
        cut = whole[:, :length]
        assert found.shape == (8, length)
        np.testing.assert_allclose(
            found, cut / np.linalg.norm(cut, axis=1, keepdims=True), atol=1e-5
        )


@pytest.mark.parametrize(
    ("name", "dimension", "message"),
    [
        pytest.param("mmbert", 7, "DIMENSION is 7; this model has 48, 32, 16, 8", id="not one"),
        pytest.param("mmbert", 0, "DIMENSION is 0; this model has 48", id="nothing"),
        pytest.param("mmbert", [8, 16], "DIMENSION is 8, 16; .* one for all rows", id="two"),
        pytest.param("qwen3", 48, "DIMENSION", id="a model that may not be cut"),
    ],
)
async def test_a_dimension_that_there_is_not(client, every, name, dimension, message):
    model = every[name].job.spec.name

    with pytest.raises(InferenceServerException, match=message):
        await ask(client, model, PLAIN[:2], dimension)

    assert (await ask(client, model, PLAIN[:2])).shape == (2, 48)


async def test_a_router_inside_asks_the_encoder_that_is_named_for_so_many_numbers(server, client):
    body = {"model": "auto", "messages": [{"role": "user", "content": "why does it start"}]}
    caller = Caller(server[2])
    route = await caller.route(body)
    await caller.close()

    whole = await ask(client, "tiny_mmbert", ["why does it start", "the river"])
    short = await ask(client, "tiny_mmbert", ["why does it start", "the river"], 16)
    cosine, other = short[0] @ short[1], whole[0] @ whole[1]
    assert abs(cosine - other) > 0.01
    assert route["signal_confidences"]["embedding:near"] == pytest.approx(cosine, abs=2e-3)


async def test_requests_with_and_without_a_dimension_at_once(client, every):
    model = every["mmbert"].job.spec.name
    wanted = [None, 8, None, 16, 8, None, 32, 48] * 3

    found = await asyncio.gather(
        *(ask(client, model, PLAIN[3:5], dimension) for dimension in wanted)
    )

    assert [one.shape for one in found] == [(2, one or 48) for one in wanted]
    for one in found:
        np.testing.assert_allclose(np.linalg.norm(one, axis=1), 1, atol=1e-5)
