import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import InferenceError, InferenceTimeout
from orchestrator.inference import Classification
from orchestrator.inference.answers import Answer
from orchestrator.inference.fake import FakeInference
from orchestrator.inference.gathering import Gathering
from orchestrator.inference.pacing import (
    AT_ONCE,
    MOST_BYTES,
    MOST_TEXTS,
    Paced,
    little_by_little,
    paced,
    together,
)

HALF = "x" * (MOST_BYTES // 2)


@pytest.mark.parametrize(
    ("texts", "sizes"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param(["a"] * MOST_TEXTS, [MOST_TEXTS], id="as many as go together"),
        pytest.param(["a"] * (MOST_TEXTS + 1), [MOST_TEXTS, 1], id="one more"),
        pytest.param([HALF, HALF, "a"], [2, 1], id="as much as goes together, then more"),
        pytest.param(["a", 3 * HALF, "b"], [1, 1, 1], id="a long one goes alone"),
        pytest.param(["\N{SNOWMAN}" * (MOST_BYTES // 3), "abc"], [1, 1], id="bytes count"),
    ],
)
def test_how_many_go_together(texts, sizes):
    assert [len(few) for few in paced(texts)] == sizes


@given(st.lists(st.sampled_from(["", "a", HALF, HALF + "a", 3 * HALF]), max_size=40))
def test_all_go_in_order(texts):
    found = [*paced(texts)]

    assert [text for few in found for text in few] == texts
    assert all(1 <= len(few) <= MOST_TEXTS for few in found)
    assert all(len(few) == 1 or sum(map(len, few)) <= MOST_BYTES for few in found)


async def test_answers_are_in_order():
    texts = [f"text {number}" for number in range(MOST_TEXTS + 2)]
    shares = {
        text: {"mood": {"good": at / 100, "bad": 1 - at / 100}} for at, text in enumerate(texts)
    }
    fake = FakeInference({text: [1, at] for at, text in enumerate(texts)}, classified=shares)
    paced_inference = Paced(fake)

    said = await paced_inference.classify("m", texts, ["mood"])
    vectors = await paced_inference.embed("m", texts)

    assert [one.probabilities["mood"]["good"] for one in said] == [at / 100 for at in range(18)]
    assert np.allclose(vectors[:, 1] / vectors[:, 0], range(18), atol=1e-4)
    assert [len(asked) for _, asked, _ in fake.asked] == [MOST_TEXTS, 2]
    assert [len(asked) for _, asked in fake.calls] == [MOST_TEXTS, 2]
    assert paced_inference.labels("m") == {"mood": ("good", "bad")}


async def test_a_model_that_is_replaced_between_two_questions_is_a_failure():
    texts = [f"text {number}" for number in range(MOST_TEXTS + 1)]
    fake = FakeInference(dict.fromkeys(texts, [1, 0]) | {texts[-1]: [1, 0, 0]})

    with pytest.raises(InferenceError, match="m: its embeddings differ in length"):
        await Paced(fake).embed("m", texts)


class Slow:
    """Answers a question only once it is told to; counts those that wait."""

    def __init__(self):
        self.waiting = {}  # text -> its answer

    async def ask(self, few):
        answer = asyncio.get_running_loop().create_future()
        self.waiting[few[0]] = answer
        try:
            return [await answer] * len(few)
        finally:
            del self.waiting[few[0]]

    async def until(self, count):
        async with asyncio.timeout(10):
            while len(self.waiting) != count:
                await asyncio.sleep(0)


LONG = [f"{number} ".ljust(MOST_BYTES, "x") for number in range(5)]


async def test_a_few_questions_are_on_their_way_and_the_next_leaves_with_an_answer():
    slow, sent = Slow(), []
    asking = asyncio.create_task(little_by_little(LONG, slow.ask))
    for answered in range(len(LONG)):
        await slow.until(min(AT_ONCE, len(LONG) - answered))
        first = next(iter(slow.waiting))
        sent.append(first)
        slow.waiting[first].set_result(answered)
        await asyncio.sleep(0)

    assert sent == LONG
    assert await asking == {text: answered for answered, text in enumerate(LONG)}


async def test_a_caller_that_goes_takes_its_questions_back():
    slow = Slow()
    asking = asyncio.create_task(little_by_little(LONG, slow.ask))
    await slow.until(AT_ONCE)

    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking
    await slow.until(0)


async def test_the_first_failure_ends_the_others():
    slow = Slow()
    asking = asyncio.create_task(little_by_little(LONG, slow.ask))
    await slow.until(AT_ONCE)

    slow.waiting[LONG[1]].set_exception(InferenceTimeout("too late"))

    with pytest.raises(InferenceTimeout, match="too late"):
        await asking
    await slow.until(0)


async def test_what_is_not_needed_when_its_turn_comes_is_left_out():
    said = await little_by_little(
        [*"abc", *LONG], lambda few: answered(few), lambda text: text not in ("b", LONG[3])
    )

    assert list(said) == ["a", "c", *LONG[:3], LONG[4]]


async def answered(few):
    return [len(text) for text in few]


class Source(FakeInference):
    def __init__(self):
        super().__init__()
        self.rows = []

    async def ask(self, model, rows):
        self.rows += rows
        await asyncio.sleep(0)
        return [Answer(None, Classification({task: {} for task in row.tasks}, {})) for row in rows]

    def labels(self, model):
        return {"mood": ("a",), "risk": ("a",)}

    def languages(self, model):
        return {}


async def test_callers_of_the_same_text_stay_side_by_side():
    """However long it is, each piece is read once for both of them."""
    source = Source()
    paced_inference = Paced(Gathering(source))

    await asyncio.gather(
        *(paced_inference.classify("m", LONG, [task]) for task in ("mood", "risk"))
    )

    assert [row.text.decode() for row in source.rows] == LONG
    assert {row.tasks for row in source.rows} == {frozenset({"mood", "risk"})}


async def test_the_first_failure_cancels_the_others():
    begun, ended = asyncio.Event(), asyncio.Event()

    async def late():
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def broken():
        await begun.wait()
        raise InferenceTimeout("too late")

    with pytest.raises(InferenceTimeout):
        await together([late(), broken()])
    async with asyncio.timeout(10):
        await ended.wait()
