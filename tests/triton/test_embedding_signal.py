"""The embedding signal with the published model in a real Triton."""

import asyncio

import pytest
import pytest_asyncio

from orchestrator.inference.triton import TritonInference
from orchestrator.signals import Surroundings
from orchestrator.signals.embedding import Embedding, EmbeddingRule
from orchestrator.types import Request

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

SUPPORT = {
    "name": "support",
    "threshold": 0.45,
    "candidates": [
        "I cannot log in to my account",
        "How do I reset my password?",
        "The app crashes when I open it",
        "I want a refund for my order",
    ],
}
WISH = "I cannot log in to my account and I want a refund for my order, please help me."
COOKING = {
    "name": "cooking",
    "threshold": 0.45,
    "candidates": ["How long should I boil an egg?", "a recipe for tomato soup"],
}


@pytest.fixture(scope="module")
def usages():
    return []


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def inference(triton, usages):
    client = TritonInference([triton], on_usage=usages.append)
    yield client
    await client.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def signal(inference):
    rules = [EmbeddingRule.model_validate(row) for row in (SUPPORT, COOKING)]
    settings = {"embedding": {"enable_soft_matching": False}}
    made = Embedding(rules, Surroundings(inference, settings))
    await made.prepare()
    return made


def ask(text):
    return Request("auto", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Write a poem about the sea", [], id="a poem"),
        pytest.param("Who was the first emperor of Rome?", [], id="history"),
        pytest.param("How does a password manager store secrets?", [], id="same words, no problem"),
        pytest.param("x = [i * i for i in range(10)]", [], id="code"),
        pytest.param("I can't sign in anymore", ["support"], id="cannot sign in"),
        pytest.param("the application freezes at launch", ["support"], id="freezes"),
        pytest.param("please give me my money back", ["support"], id="money back"),
        pytest.param("how do I make soup from tomatoes?", ["cooking"], id="soup"),
    ],
)
async def test_meaning_decides(signal, text, expected):
    reading = await signal.evaluate(ask(text))

    assert list(reading.matches) == expected, reading.values


async def test_a_candidate_itself_scores_best(signal):
    reading = await signal.evaluate(ask("The app crashes when I open it"))

    assert reading.values["support:best"] == pytest.approx(1.0, abs=1e-4)
    assert reading.values["support:prototype_count"] == 4


async def test_concurrent_requests_read_as_they_do_alone(signal):
    texts = ["I can't sign in", "boil the potatoes", "the weather in May", "my order is lost"] * 8
    alone = {text: await signal.evaluate(ask(text)) for text in set(texts)}

    together = await asyncio.gather(*(signal.evaluate(ask(text)) for text in texts))

    for text, reading in zip(texts, together, strict=True):
        assert list(reading.matches) == list(alone[text].matches)
        assert reading.values == pytest.approx(alone[text].values, abs=1e-4)


async def test_the_end_of_a_long_text_counts(signal):
    filler = "The weather in May was mild, with some rain. " * 140
    plain = filler[:6_000]
    asking = plain[: -len(WISH)] + WISH

    without, with_wish = [await signal.evaluate(ask(text)) for text in (plain, asking)]

    assert len(plain) == len(asking) == 6_000
    assert with_wish.values["support:best"] > without.values["support:best"] + 0.02
    assert not with_wish.truncated


@pytest.mark.parametrize(
    ("text", "windows", "cut_before", "cut_by_the_model"),
    [
        pytest.param("word " * 1_200, 6, False, 0, id="6,000 characters in windows"),
        pytest.param("word " * 12_000, 8, True, 0, id="beyond what it is sent: a sample"),
        pytest.param("! " * 4_000, 16, False, 1, id="a token a character: beyond its windows"),
    ],
)
async def test_what_is_not_read_is_counted(
    usages, signal, text, windows, cut_before, cut_by_the_model
):
    reading = await signal.evaluate(ask(text))

    found = (usages[-1].windows, reading.truncated, usages[-1].truncated)
    assert found == (windows, cut_before, cut_by_the_model)
