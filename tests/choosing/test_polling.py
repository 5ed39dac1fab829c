"""What is asked for one request, and what a failure costs."""

import asyncio

import numpy as np
import pytest

from orchestrator.choosing.polling import Poll, models_of
from orchestrator.config.decisions import Decision
from orchestrator.errors import InferenceUnavailable, ModelUntrusted
from orchestrator.inference.fake import FakeInference
from orchestrator.protocols.chat_completions import parse
from orchestrator.selection import Needs, Values
from orchestrator.standing import Percentiles, Standing
from orchestrator.upstream.fake import FakeUpstream
from tests.selection.made import contender, selector

ROWS = [contender("a", description="code"), contender("b", description="poems")]
VECTORS = {"hello": [3, 4], "code": [1, 0], "poems": [0, 2]}
TOPICS = {"hello": {"domain": {"law": 0.7, "math": 0.3}}}


def request(text="hello", **headers):
    body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
    return parse(body, {name.replace("_", "-"): value for name, value in headers.items()})


def wants(**needs):
    chooser = selector("router_dc", ROWS)
    chooser.needs = Needs(**needs)
    return chooser


def poll(inference=None, standing=None, upstream=None, **options):
    inference = inference or FakeInference(VECTORS, classified=TOPICS)
    return Poll(
        inference,
        standing or Standing(),
        upstream or FakeUpstream(),
        ("code", "poems", "code"),
        **options,
    )


async def test_who_needs_nothing_asks_nobody():
    inference = FakeInference()

    assert await poll(inference).values(wants(), request(), "d") == Values()
    assert (inference.calls, inference.asked) == ([], [])


async def test_cosines_with_descriptions_that_are_embedded_once():
    inference = FakeInference(VECTORS)
    asking = poll(inference)
    await asking.prepare()
    found = [await asking.values(wants(texts=("code",)), request(), "d") for _ in range(2)]

    assert [one.cosines for one in found] == [
        {"code": pytest.approx(0.6), "poems": pytest.approx(0.8)}
    ] * 2
    texts = [texts for _, texts in inference.calls]
    assert texts == [("code", "poems"), ("hello",), ("hello",)]


async def test_embedding_and_subject():
    found = await poll().values(wants(embedding=True, topic=True), request(), "d")

    assert found.embedding == pytest.approx(np.array([0.6, 0.8]))
    assert (found.topic, found.unread) == ("law", "")


async def test_session_and_standing():
    standing = Standing({"b": 0.9})
    standing.judged("d", winner="b")
    asked = wants(session=True, standing=Percentiles())

    found = await poll(standing=standing, identity=("x-ours", "c")).values(
        asked, request(x_ours="me"), "d"
    )

    assert found.session == "me"
    assert found.standing["b"].rating == pytest.approx(1903.2)
    assert set(found.standing) == {"a", "b"}


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (InferenceUnavailable("away"), "inference_unavailable"),
        (ModelUntrusted("differs"), "model_untrusted"),
    ],
)
async def test_a_model_that_cannot_be_asked(failure, code):
    inference = FakeInference(VECTORS, failure)

    found = await poll(inference).values(wants(texts=("code",), topic=True), request(), "d")

    assert found == Values(unread=code)
    plan = selector("router_dc", ROWS).choose(found)
    assert (plan.status, code in plan.reason) == ("fallback", True)


async def test_a_model_that_is_late():
    class Late(FakeInference):
        async def embed(self, model, texts):
            await asyncio.Event().wait()

    found = await poll(Late(), deadline=0.01).values(wants(embedding=True), request(), "d")

    assert found.unread == "inference_timeout"


async def test_a_request_without_text():
    inference = FakeInference(VECTORS)

    found = await poll(inference).values(wants(embedding=True, topic=True), request(" "), "d")

    assert (found, inference.calls) == (Values(unread="no_text"), [])


async def test_another_encoder_under_us_embeds_the_descriptions_anew():
    inference = FakeInference(VECTORS)
    asking, asked = poll(inference), wants(texts=("code",))
    await asking.values(asked, request(), "d")
    inference.vectors = {"hello": [1, 0, 0], "code": [1, 0, 0], "poems": [0, 1, 0]}

    first = await asking.values(asked, request(), "d")
    second = await asking.values(asked, request(), "d")

    assert (first.unread, dict(first.cosines)) == ("inference_error", {})
    assert second.cosines["code"] == pytest.approx(1.0)


async def test_a_description_in_a_script_that_is_not_read_never_wins(caplog):
    inference = FakeInference(VECTORS, unreadable={"code": (1.0, 1.0)})
    asking, chooser = poll(inference), selector("router_dc", ROWS)

    found = [await asking.values(chooser, request(), "d") for _ in range(2)][-1]
    plan = chooser.choose(found)

    assert (plan.chosen.name, plan.status) == ("b", "selected")
    assert plan.scores[0] < plan.scores[1]
    (line,) = [one.getMessage() for one in caplog.records]
    assert line.startswith("descriptions of models: 1 of 2 are in no script")


async def test_a_request_in_a_script_that_is_not_read():
    inference = FakeInference(VECTORS, unreadable={"hello": (1.0, 1.0)})

    found = await poll(inference).values(wants(texts=("code",)), request(), "d")

    assert found == Values(unread="unreadable_text")


@pytest.mark.parametrize(
    ("algorithm", "models"),
    [
        (None, ()),
        ({"type": "fusion"}, ()),
        ({"type": "automix"}, ()),
        ({"type": "hybrid"}, ("text_embedding",)),
        ({"type": "knn"}, ("text_embedding", "text_signals")),
    ],
    ids=str,
)
def test_models_that_a_decision_asks(algorithm, models):
    row = {"name": "d", "algorithm": algorithm}
    two = Decision.model_validate({**row, "modelRefs": [{"model": "a"}, {"model": "b"}]})
    one = Decision.model_validate({**row, "modelRefs": [{"model": "a"}]})

    assert models_of(two) == models
    assert models_of(one) == ()
