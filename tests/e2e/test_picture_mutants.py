"""Damaged pictures through the whole router: HTTP, data URIs, a real Triton, the demo upstream."""

import asyncio
import base64
import random

import pytest
import pytest_asyncio

from orchestrator.matching.picture_sizes import FORMATS, kind_of
from tests.model_repository.mutations import corpus, mutations
from tests.processes import router
from tests.triton import light

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

MUTANTS = 64
BURST = 8
REFUSED = ("unknown", "error")  # what on_refused may say
PRIVATE = "model private-vision answered; thinking=off"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def running(images, tmp_path_factory):
    """By on_refused, a router; both over one Triton and one upstream."""
    folder = tmp_path_factory.mktemp("lenient")
    place = f'urls: ["{await images.triton()}"], model_repository: "{light.write(folder)}"'
    text = images.policy.replace("triton: {", f"triton: {{{place}, ")
    text = text.replace("on_refused: error", "on_refused: unknown")
    async with router(text, folder) as lenient:
        await lenient.until_serving()
        await lenient.until_ready()
        yield {"unknown": lenient, "error": images.router}


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
