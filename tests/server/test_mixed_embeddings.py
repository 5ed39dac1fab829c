"""POST /api/v1/embeddings with images."""

import numpy as np
import pytest

from orchestrator.config.images import Images
from orchestrator.errors import ModelUntrusted
from orchestrator.inference.examples import MODEL, MOST_BYTES
from orchestrator.inference.fake import FakeInference
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.server.classify_bodies import MOST_IMAGES
from orchestrator.server.embeddings import Embeds
from orchestrator.server.management import Auth, build
from orchestrator.server.unavailable import Served
from tests.matching.encoded import gif, jpeg, png, uri

A, B, ODD = png(1, 1), jpeg(2, 2), gif(3, 3)


class Inference(FakeInference):
    """The vectors of texts are by their first letter."""

    async def embed(self, model, texts):
        self.vectors |= {text: [1.0, float(ord(text[0]))] for text in texts}
        return await super().embed(model, texts)

    def unhurried(self, seconds):
        return self


@pytest.fixture
def inference():
    return Inference(
        pictures={A: [1.0, 0.0], B: [0.0, 1.0], ODD: [0.6, 0.8]}, known={B: 0.25}, refused={}
    )


@pytest.fixture
async def post(aiohttp_client, inference):
    async def post(body, status=200, models=(MODEL, IMAGE_SIGNALS, IMAGE_TEXT), **images):
        def serve():
            return Served(inference, models, 2.0)

        embeds = Embeds(serve, Images.model_validate(images))
        client = await aiohttp_client(build(embeds.endpoints(), Auth()))
        response = await client.post("/api/v1/embeddings", json=body)
        answer = await response.json()
        assert response.status == status, answer
        return answer if status == 200 else answer["error"]

    return post


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        pytest.param(
            {"images": [""]}, "INVALID_IMAGE", "images[0]: the picture is in no", id="empty"
        ),
        pytest.param(
            {"images": [uri(A), "https://example.org/a.png"]},
            "INVALID_IMAGE",
            "images[1]: the picture is in no data URI",
            id="a URL",
        ),
        pytest.param(
            {"images": [uri(b"<svg/>", "svg+xml")]}, "INVALID_IMAGE", "images[0]: ", id="svg"
        ),
        pytest.param(
            {"images": [uri(A), uri(A, "gif")]},
            "INVALID_IMAGE",
            "images[1]: the picture is declared as gif but is png",
            id="a lie",
        ),
        pytest.param(
            {"images": [uri(png(99_999, 9_999))]}, "INVALID_IMAGE", "images[0]: ", id="a bomb"
        ),
        pytest.param(
            {"images": [uri(A)], "model": "mmbert"}, "INVALID_INPUT", "model: ", id="model"
        ),
        pytest.param(
            {"images": [uri(A)], "target_layer": 3}, "INVALID_INPUT", "target_layer: ", id="layer"
        ),
        pytest.param(
            {"images": [uri(A)], "dimension": 384},
            "INVALID_INPUT",
            "dimension: 384",
            id="dimension",
        ),
    ],
)
async def test_what_is_wrong_is_said(post, body, code, said):
    error = await post(body, 400)

    assert error["code"] == code
    assert error["message"].startswith(said)


async def test_a_picture_that_the_preprocessor_refuses_is_named(post, inference):
    inference.refused = {ODD: "a gif that ends within its header"}

    error = await post({"images": [uri(A), uri(ODD, "gif")]}, 400)

    assert error["code"] == "INVALID_IMAGE"
    assert error["message"] == "images[1]: the picture is a gif that ends within its header"


async def test_the_policy_says_how_large_a_picture_may_be(post, inference):
    error = await post({"images": [uri(png(2, 2))]}, 400, max_pixels=3)

    assert "of 2 x 2 pixels, more than 3" in error["message"]
    assert inference.looked == []


@pytest.mark.parametrize("models", [(), (MODEL,), (MODEL, IMAGE_SIGNALS)], ids=str)
async def test_without_the_models(post, models):
    error = await post({"images": [uri(A)]}, 503, models)

    assert error["code"] == "EMBEDDING_MODEL_UNAVAILABLE"
    assert "query_modality: image" in error["message"]


async def test_a_model_that_does_not_answer(post, inference):
    inference.failure = ModelUntrusted("10.0.0.1: other pixels")

    error = await post({"images": [uri(A)]}, 503)

    assert error["code"] == "EMBEDDING_MODEL_UNAVAILABLE"
    assert "model_untrusted" in error["message"]
    assert "10.0.0.1" not in error["message"]


@pytest.mark.parametrize(
    "encoder",
    [
        pytest.param({}, id="as it is"),
        pytest.param({"model": "auto", "dimension": 2}, id="auto"),
        pytest.param({"model": "multimodal", "dimension": 0}, id="by the reference's name"),
        pytest.param({"model": "image_signals", "texts": []}, id="by its name here"),
    ],
)
async def test_pictures(post, encoder):
    answer = await post({"images": [uri(A), uri(B, "jpg")], **encoder})

    assert [(row.pop("processing_time_ms") >= 0, row) for row in answer["embeddings"]] == [
        (
            True,
            {
                "modality": "image",
                "embedding": [1.0, 0.0],
                "dimension": 2,
                "model_used": "image_signals",
                "known": 1.0,
                "familiar": True,
            },
        ),
        (
            True,
            {
                "modality": "image",
                "embedding": [0.0, 1.0],
                "dimension": 2,
                "model_used": "image_signals",
                "known": 0.25,
                "familiar": False,
            },
        ),
    ]
    assert answer["total_count"] == 2
    assert {"total_processing_time_ms", "avg_processing_time_ms"} <= set(answer)


async def test_texts_beside_pictures_are_of_the_same_space_and_come_first(post, inference):
    answer = await post({"images": [uri(A)], "texts": ["a cat", "x" * (2 * MOST_BYTES)]})

    rows = answer["embeddings"]
    assert [row["modality"] for row in rows] == ["text", "text", "image"]
    assert [row.get("text", "")[:5] for row in rows] == ["a cat", "xxxxx", ""]
    assert [row.get("truncated", False) for row in rows] == [False, True, False]
    assert {row["model_used"] for row in rows[:2]} == {"image_text_embedding"}
    assert {model for model, _ in inference.calls} == {"image_text_embedding"}
    assert np.allclose(np.linalg.norm([row["embedding"] for row in rows], axis=1), 1)


async def test_as_many_pictures_as_there_may_be(post, inference):
    answer = await post({"images": [uri(A)] * MOST_IMAGES})

    assert answer["total_count"] == MOST_IMAGES
    assert len(inference.looked) == MOST_IMAGES
