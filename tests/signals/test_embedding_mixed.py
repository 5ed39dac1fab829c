"""Embedding rules of texts and of pictures side by side, and the models of both."""

import pytest

from orchestrator.errors import InferenceError, InferenceUnavailable
from orchestrator.inference.fake import FakeInference
from orchestrator.signals.embedding import Embedding, EmbeddingRule
from tests.circle import circle, cos
from tests.signals.shown import (
    ANGLES,
    BETWEEN,
    HELP,
    IDENTITY,
    PASSPORT,
    SCREEN,
    embedding,
    seeing,
    showing,
)


@pytest.fixture
def inference():
    return seeing()


async def test_candidates_are_embedded_by_the_text_tower_of_the_pictures_model(inference):
    signal = embedding(inference, IDENTITY, SCREEN, HELP)

    await signal.prepare()
    await signal.evaluate(showing(PASSPORT, text="a question"))

    assert sorted(inference.calls[:2]) == [
        ("image_text_embedding", ("a passport", "an identity card", "a terminal")),
        ("text_embedding", ("help",)),
    ]
    assert inference.calls[2:] == [("text_embedding", ("a question",))]
    assert inference.looked == [("image_signals", (PASSPORT,))]


@pytest.mark.parametrize(
    ("rows", "models"),
    [
        pytest.param([HELP], ("text_embedding",), id="texts"),
        pytest.param([IDENTITY], ("image_signals", "image_text_embedding"), id="pictures"),
        pytest.param(
            [IDENTITY, HELP],
            ("text_embedding", "image_signals", "image_text_embedding"),
            id="both",
        ),
        pytest.param([], (), id="none"),
    ],
)
def test_only_the_models_that_the_rules_need_are_asked(rows, models):
    rules = [EmbeddingRule.model_validate(row) for row in rows]

    assert Embedding.asks(rules, {}) == models


async def test_text_and_pictures_are_read_together(inference):
    signal = embedding(inference, IDENTITY, SCREEN, HELP, top_k=2)

    reading = signal.settle(await signal.evaluate(showing(PASSPORT, text="a question")))

    assert reading.matches == {"identity": cos(10), "help": cos(5)}
    assert {"identity", "screen", "help"} <= set(reading.values)


async def test_the_best_of_text_and_pictures_is_kept_by_default(inference):
    signal = embedding(inference, IDENTITY, HELP)

    reading = signal.settle(await signal.evaluate(showing(PASSPORT, text="a question")))

    assert reading.matches == {"help": cos(5)}


async def test_a_hard_match_of_the_text_keeps_no_soft_one_of_a_picture_out(inference):
    signal = embedding(inference, IDENTITY, HELP, top_k=0)

    reading = await signal.evaluate(showing(BETWEEN, text="a question"))

    assert reading.matches == {"identity": cos(45), "help": cos(5)}


class Half(FakeInference):
    """Fails for one of the two: texts or pictures."""

    broken = ""

    async def embed(self, model, texts):
        if model == self.broken:
            raise InferenceUnavailable(model)
        return await super().embed(model, texts)

    async def see(self, model, pictures):
        if model == self.broken:
            raise InferenceUnavailable(model)
        return await super().see(model, pictures)


@pytest.mark.parametrize(
    ("broken", "matches", "unknown"),
    [
        pytest.param("text_embedding", ["identity"], ["help"], id="of texts"),
        pytest.param("image_signals", ["help"], ["identity"], id="of pictures"),
        pytest.param("image_text_embedding", ["help"], ["identity"], id="of their candidates"),
    ],
)
async def test_a_model_that_is_away_costs_its_own_rules(inference, broken, matches, unknown):
    half = Half(inference.vectors, pictures=inference.pictures)
    signal = embedding(half, IDENTITY, HELP, top_k=0)
    half.broken = broken

    await signal.prepare()
    reading = await signal.evaluate(showing(PASSPORT, text="a question"))

    assert (list(reading.matches), list(reading.unknown)) == (matches, unknown)
    assert set(reading.unknown.values()) == {"inference_unavailable"}


async def test_without_a_picture_a_failure_is_raised_as_before(inference):
    signal = embedding(inference, IDENTITY, HELP)
    inference.failure = InferenceUnavailable("gone")

    with pytest.raises(InferenceError):
        await signal.evaluate(showing(text="a question"))


async def test_another_model_of_pictures_is_noticed(inference):
    signal = embedding(inference, IDENTITY)
    await signal.prepare()
    inference.pictures = {PASSPORT: [1.0, 0.0, 0.0]}

    first = await signal.evaluate(showing(PASSPORT))
    inference.vectors = {text: [*circle(angle), 0.0] for text, angle in ANGLES.items()}
    second = await signal.evaluate(showing(PASSPORT))

    assert first.unknown == {"identity": "inference_error"}
    assert list(second.matches) == ["identity"]
