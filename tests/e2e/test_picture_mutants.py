"""Damaged pictures through the whole router: HTTP, data URIs, a real Triton, the demo upstream."""

import asyncio
import base64
import random
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.matching.picture_sizes import FORMATS, kind_of
from tests.model_repository.mutations import corpus, mutations
from tests.processes import ROOT, demo_upstream, free_ports, router

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

MUTANTS = 64
BURST = 8
REFUSED = ("unknown", "error")  # what on_refused may say
PRIVATE = "model private-vision answered; thinking=off"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def running(tmp_path_factory):
    """By on_refused, a router; all over one Triton and one upstream."""
    folder = tmp_path_factory.mktemp("picture mutants")
    (upstream,) = free_ports(1)
    models = [IMAGE_SIGNALS, IMAGE_TEXT]
    server = EmbeddedTriton(default_repository(), models, state_dir=folder / "state")
    async with AsyncExitStack() as stack:
        stack.push_async_callback(server.stop)
        await server.start()
        await stack.enter_async_context(demo_upstream(upstream))
        started = {}
        for word in REFUSED:
            (folder / word).mkdir()
            text = policy(upstream, server.url, word)
            started[word] = await stack.enter_async_context(router(text, folder / word))
        for one in started.values():
            await one.until_serving()
            await one.until_ready()
        yield started


def policy(upstream, triton, on_refused):
    text = (ROOT / "configs" / "images.yaml").read_text()
    text = text.replace("127.0.0.1:8001", f"127.0.0.1:{upstream}")
    text = text.replace("on_refused: error", f"on_refused: {on_refused}")
    return text.replace(
        "global:\n", f'global:\n  services: {{triton: {{urls: ["{triton}"], deadline: 30}}}}\n'
    )


def content(data, form):
    url = f"data:image/{form};base64,{base64.b64encode(data).decode()}"
    return [
        {"type": "text", "text": "What do you see here?"},
        {"type": "image_url", "image_url": {"url": url}},
    ]


async def asked(one, data, form):
    """The status, the body, the headers."""
    async with one.chat(content(data, form)) as answer:
        return answer.status, await answer.json(), answer.headers


def declared():
    """Each mutant under the type that its first bytes say, or any."""
    draw = random.Random(2)
    for _, data in mutations(MUTANTS, seed=23):
        yield data, kind_of(data) or draw.choice(FORMATS)


async def bursts(one):
    answers, waiting = [], list(declared())
    while waiting:
        burst, waiting = waiting[:BURST], waiting[BURST:]
        answers += await asyncio.gather(*(asked(one, *each) for each in burst))
    return answers


def unreadable(status, body):
    """Whether it is the error that a picture gets which is not read; asserts that nothing else is
    wrong with an answer."""
    if status == 200:
        assert body["choices"][0]["message"]["content"].startswith("model ")
        return False
    assert status == 400
    error = body["error"]
    assert (error["type"], error["code"]) == ("invalid_request_error", "image_refused")
    assert error["param"] == "messages"
    assert error["message"].startswith("image 1 of the request is not read: it is ")
    assert error["message"].isprintable()
    assert "Traceback" not in error["message"]
    assert "/usr" not in error["message"]
    return True


async def test_every_mutant_is_answered(running):
    lenient, strict = [await bursts(running[word]) for word in REFUSED]
    refused = [unreadable(status, body) for status, body, _ in strict]

    assert [status for status, _, _ in lenient] == [200] * MUTANTS
    assert 20 < sum(refused) < MUTANTS - 5
    # What one policy refuses is unknown to the other.
    for (_, _, headers), one in zip(lenient, refused, strict=True):
        assert not one or headers["x-tsr-signals-unknown"] == "embedding"


@pytest.mark.parametrize("word", REFUSED)
async def test_the_router_is_well_afterwards(running, word):
    one = running[word]
    status, _ = await one.ready()
    answer = await asked(one, corpus()["id_passport.jpg"], "jpeg")

    assert (status, answer[0]) == (200, 200)
    assert answer[1]["choices"][0]["message"]["content"] == PRIVATE
    assert "Traceback" not in one.log.read_text()
