from dataclasses import replace

import numpy as np
import pytest

from orchestrator.errors import InferenceUnavailable
from orchestrator.inference.examples import MODEL, MOST_BYTES
from orchestrator.inference.questions import TEXT_SIGNALS
from orchestrator.server.classify_bodies import MOST_IMAGES, MOST_TEXTS
from orchestrator.server.management import Auth
from tests.server.classifier import Model, application, vector

BODIES = {
    "embeddings": {"texts": ["a", "bbb"]},
    "similarity": {"text1": "a", "text2": "bbb"},
    "similarity/batch": {"query": "a", "candidates": ["bbb", "a", "bb"]},
}


class Wide(Model):
    """Its embeddings are twice as long."""

    def _answer(self, row):
        found = super()._answer(row)
        return replace(
            found, vector=np.concatenate([found.vector] * 2) / np.sqrt(2, dtype=np.float32)
        )


async def ask(client, name, body, status=200):
    response = await client.post(f"/api/v1/{name}", json=body)
    answer = await response.json()
    assert response.status == status, answer
    return answer


def wrong(name, field, id, **fields):
    return pytest.param(name, BODIES[name] | fields, field, id=f"{name}: {id}")


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        *(wrong(name, "dimension", "cut short", dimension=256) for name in BODIES),
        *(wrong(name, "dimension", "a text", dimension="384") for name in BODIES),
        *(wrong(name, "model", "not served", model="qwen3") for name in BODIES),
        *(wrong(name, "target_layer", "not all layers", target_layer=6) for name in BODIES),
        *(wrong(name, "quality_priority", "beyond 1", quality_priority=2) for name in BODIES),
        wrong("embeddings", "images[1]", "no text", images=["", 1]),
        wrong("embeddings", "images", "too many", images=[""] * (MOST_IMAGES + 1)),
        wrong("embeddings", "texts", "absent", texts=None),
        wrong("embeddings", "texts", "none", texts=[]),
        wrong("embeddings", "texts", "too many", texts=["a"] * (MOST_TEXTS + 1)),
        wrong("embeddings", "texts[1]", "blank", texts=["a", " "]),
        wrong("similarity", "text2", "absent", text2=None),
        wrong("similarity/batch", "top_k", "negative", top_k=-1),
        wrong("similarity/batch", "top_k", "half", top_k=0.5),
        wrong("similarity/batch", "candidates", "none", candidates=[]),
        wrong("similarity/batch", "query", "a number", query=1),
    ],
)
async def test_a_wrong_field_is_named_and_no_model_asked(aiohttp_client, name, body, field):
    model = Model()
    client = await aiohttp_client(application(model))

    error = (await ask(client, name, body, 400))["error"]

    assert error["code"] == "INVALID_INPUT"
    assert error["message"].startswith(field)
    assert model.requests == []


async def test_another_dimension_says_which_there_is(aiohttp_client):
    client = await aiohttp_client(application())

    error = (await ask(client, "embeddings", {"texts": ["a"], "dimension": 768}, 400))["error"]

    assert "384" in error["message"]


@pytest.mark.parametrize("name", BODIES)
async def test_without_a_model_that_embeds(aiohttp_client, name):
    client = await aiohttp_client(application(models=()))

    response = await client.post(f"/api/v1/{name}", json=BODIES[name])
    error = (await response.json())["error"]

    assert (response.status, error["code"]) == (503, "EMBEDDING_MODEL_UNAVAILABLE")
    assert "text_embedding" in error["message"]
    assert "Retry-After" not in response.headers


@pytest.mark.parametrize("name", BODIES)
async def test_a_model_that_does_not_answer(aiohttp_client, name):
    broken = Model(failure=InferenceUnavailable("text_embedding: no connection"))
    client = await aiohttp_client(application(broken))

    response = await client.post(f"/api/v1/{name}", json=BODIES[name])

    assert response.status == 503
    assert int(response.headers["Retry-After"]) > 0


@pytest.mark.parametrize("name", BODIES)
async def test_it_needs_the_permission_to_classify(aiohttp_client, name):
    auth = Auth("bearer", {"token": "guest"}, {"guest": frozenset({"metrics.read"})})
    client = await aiohttp_client(application(auth=auth))

    response = await client.post(
        f"/api/v1/{name}", json=BODIES[name], headers={"Authorization": "Bearer token"}
    )

    assert response.status == 403


@pytest.mark.parametrize("models", [(MODEL,), (TEXT_SIGNALS,), (TEXT_SIGNALS, MODEL)])
@pytest.mark.parametrize(
    "encoder",
    [
        pytest.param({}, id="as it is"),
        pytest.param({"model": "auto", "dimension": 384}, id="auto"),
        pytest.param({"model": "text_embedding", "dimension": 0}, id="by its name here"),
        pytest.param({"model": "all-MiniLM-L6-v2", "target_layer": 0}, id="by its own name"),
        pytest.param({"images": [], "latency_priority": 0.9}, id="no images"),
    ],
)
async def test_embeddings(aiohttp_client, models, encoder):
    client = await aiohttp_client(application(models=models))

    answer = await ask(client, "embeddings", {"texts": ["a", "bbb"], **encoder})

    rows = answer["embeddings"]
    assert answer["total_count"] == 2
    assert [row["text"] for row in rows] == ["a", "bbb"]
    used = MODEL if MODEL in models else TEXT_SIGNALS
    assert {(row["dimension"], row["model_used"]) for row in rows} == {(384, used)}
    assert np.allclose([row["embedding"] for row in rows], [vector("a"), vector("bbb")])


@pytest.mark.parametrize(
    ("stand_ins", "used"),
    [
        pytest.param({}, MODEL, id="both are loaded"),
        pytest.param({MODEL: TEXT_SIGNALS}, TEXT_SIGNALS, id="one gives the other's embeddings"),
    ],
)
@pytest.mark.parametrize("name", BODIES)
async def test_the_model_that_is_named_is_the_one_that_was_asked(
    aiohttp_client, name, stand_ins, used
):
    client = await aiohttp_client(application(stand_ins=stand_ins))

    answer = await ask(client, name, BODIES[name])

    told = answer["embeddings"] if name == "embeddings" else [answer]
    assert {one["model_used"] for one in told} == {used}


@pytest.mark.parametrize(
    ("models", "replaced"),
    [
        pytest.param((TEXT_SIGNALS,), TEXT_SIGNALS, id="the classifiers, which embed"),
        pytest.param((TEXT_SIGNALS, MODEL), MODEL, id="the encoder"),
    ],
)
async def test_another_model_in_its_place_has_numbers_of_its_own(aiohttp_client, models, replaced):
    served = {"models": models, "stand_ins": {replaced: "large"}}
    client = await aiohttp_client(application(Wide(), **served))

    answer = await ask(client, "embeddings", {"texts": ["a"], "dimension": 768})
    error = await ask(client, "embeddings", {"texts": ["a"], "dimension": 384}, 400)

    (row,) = answer["embeddings"]
    assert (row["dimension"], row["model_used"], len(row["embedding"])) == (768, "large", 768)
    assert "384 is not available; large gives 768" in error["error"]["message"]


async def test_of_a_long_text_a_sample_is_read_as_the_signals_read_it(aiohttp_client):
    model = Model()
    client = await aiohttp_client(application(model))

    answer = await ask(client, "embeddings", {"texts": ["short", "x" * (2 * MOST_BYTES)]})

    assert [row.get("truncated", False) for row in answer["embeddings"]] == [False, True]
    assert all(len(text) <= MOST_BYTES for one in model.requests for text, _ in one)


async def test_similarity_is_the_cosine(aiohttp_client):
    client = await aiohttp_client(application())

    answer = await ask(client, "similarity", BODIES["similarity"])
    same = await ask(client, "similarity", {"text1": "a", "text2": "a"})

    assert answer["similarity"] == pytest.approx(float(vector("a") @ vector("bbb")), abs=1e-6)
    assert same["similarity"] == pytest.approx(1.0, abs=1e-6)
    assert same["similarity"] <= 1.0


@pytest.mark.parametrize(
    ("top_k", "order"),
    [
        pytest.param(0, [1, 2, 0], id="all"),
        pytest.param(None, [1, 2, 0], id="all, where it is null"),
        pytest.param(2, [1, 2], id="two"),
        pytest.param(9, [1, 2, 0], id="more than there are"),
    ],
)
async def test_the_closest_candidates_come_first(aiohttp_client, top_k, order):
    client = await aiohttp_client(application())

    answer = await ask(client, "similarity/batch", BODIES["similarity/batch"] | {"top_k": top_k})

    assert [match["index"] for match in answer["matches"]] == order
    assert [match["text"] for match in answer["matches"]] == [
        BODIES["similarity/batch"]["candidates"][at] for at in order
    ]
    assert answer["total_candidates"] == 3
