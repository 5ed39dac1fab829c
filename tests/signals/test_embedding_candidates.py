"""When the candidates of embedding rules are embedded, and anew."""

import asyncio

import pytest

from orchestrator.errors import InferenceError, InferenceUnavailable
from orchestrator.inference.fake import FakeInference
from orchestrator.types import Reading
from tests.circle import circle
from tests.signals.phrases import ANGLES, ask, embedding, knowing, rule


@pytest.fixture
def inference():
    return knowing()


async def test_candidates_of_all_rules_are_embedded_once_in_one_call(inference):
    signal = embedding(
        inference,
        rule("one", "cannot log in", "password lost"),
        rule("two", "password lost", "refund please"),
    )

    await signal.prepare()
    await signal.prepare()
    await signal.evaluate(ask("login odd"))

    assert inference.calls == [
        ("text_embedding", ("cannot log in", "password lost", "refund please")),
        ("text_embedding", ("login odd",)),
    ]


async def test_without_text_rules_the_model_of_texts_is_never_asked(inference):
    signal = embedding(inference, rule("picture", "login odd", query_modality="image"))

    await signal.prepare()

    assert await signal.evaluate(ask("login odd")) == Reading()
    assert inference.calls == [("image_text_embedding", ("login odd",))]


async def test_prepare_survives_a_missing_server_and_a_later_one_succeeds(inference):
    inference.failure = InferenceUnavailable("no server")
    signal = embedding(inference, rule("login", "cannot log in"))
    await signal.prepare()

    with pytest.raises(InferenceUnavailable, match="no server"):
        await signal.evaluate(ask("login broken"))
    inference.failure = None
    await signal.prepare()

    assert list((await signal.evaluate(ask("login broken"))).matches) == ["login"]


async def test_a_failing_query_is_raised_and_the_prototypes_stay(inference):
    signal = embedding(inference, rule("login", "cannot log in"))
    await signal.prepare()
    inference.failure = InferenceUnavailable("gone")

    with pytest.raises(InferenceUnavailable):
        await signal.evaluate(ask("login broken"))
    inference.failure = None
    await signal.evaluate(ask("login broken"))

    assert [texts for _, texts in inference.calls].count(("cannot log in",)) == 1


async def test_a_model_of_another_dimension_is_noticed_and_the_candidates_embedded_anew(inference):
    signal = embedding(inference, rule("login", "cannot log in"))
    await signal.prepare()
    inference.vectors = {text: [*circle(angle), 0.0] for text, angle in ANGLES.items()}

    with pytest.raises(InferenceError, match="answers with 3 numbers and not 2"):
        await signal.evaluate(ask("login broken"))

    assert list((await signal.evaluate(ask("login broken"))).matches) == ["login"]


class Yielding(FakeInference):
    """Gives way to other requests inside every call."""

    async def embed(self, model, texts):
        await asyncio.sleep(0)
        return await super().embed(model, texts)


async def test_a_thousand_interleaved_requests_each_get_their_own_reading():
    names = [f"rule {i}" for i in range(8)]
    vectors = {name: [float(i == j) for j in range(8)] for i, name in enumerate(names)}
    signal = embedding(Yielding(vectors), *(rule(name, name) for name in names))
    wanted = [names[i % 8] for i in range(1000)]

    readings = await asyncio.gather(*(signal.evaluate(ask(name)) for name in wanted))

    assert [list(reading.matches) for reading in readings] == [[name] for name in wanted]
