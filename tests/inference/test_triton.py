import asyncio

import grpc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import (
    InferenceError,
    InferenceTimeout,
    InferenceUnavailable,
    ModelUntrusted,
)
from orchestrator.inference.rows import Row
from orchestrator.inference.triton import LONG_TOKENS, TritonInference, Usage
from tests.clock import Clock
from tests.inference.clients import asked, over
from tests.inference.fake_models import DIMENSION, vector
from tests.inference.fake_triton import BUSY, DEAD, LATE, LOST, FakeTriton

BROKEN = (grpc.StatusCode.INTERNAL, "division by zero")


@pytest.mark.parametrize(
    ("failures", "kind"),
    [
        pytest.param([BROKEN], InferenceError, id="broken"),
        pytest.param([LATE], InferenceTimeout, id="late"),
        pytest.param([BUSY], InferenceUnavailable, id="full"),
        pytest.param([DEAD, DEAD], InferenceUnavailable, id="dead process, then another"),
        pytest.param([DEAD, BROKEN], InferenceError, id="dead process, then broken"),
    ],
)
async def test_a_lone_server_fails(failures, kind):
    fake = FakeTriton()
    fake.failures = [*failures, BROKEN]
    async with over(fake) as inference:
        with pytest.raises(InferenceError) as caught:
            await inference.embed("m", ["x"])

    assert type(caught.value) is kind
    assert fake.failures == [BROKEN], "asked as often as it makes sense, no more"


async def test_one_dead_process_costs_no_answer():
    fake = FakeTriton()
    fake.failures = [DEAD]
    async with over(fake) as inference:
        vectors = await inference.embed("m", ["x"])

        np.testing.assert_array_equal(vectors, [vector(b"x")])
        assert inference.endpoints[0].trouble.is_set()


@pytest.mark.parametrize("failure", [pytest.param(f, id=f[1]) for f in (BUSY, DEAD)])
async def test_another_server_answers_for_one_that_cannot(failure):
    fakes = FakeTriton(), FakeTriton()
    fakes[0].failures = fakes[1].failures = shared = [failure]
    async with over(*fakes) as inference:
        vectors = await inference.embed("m", ["x"])

    np.testing.assert_array_equal(vectors, [vector(b"x")])
    assert shared == []


async def test_a_late_server_is_not_followed_by_another():
    fakes = FakeTriton(), FakeTriton()
    fakes[0].failures = fakes[1].failures = [LATE]
    async with over(*fakes) as inference:
        with pytest.raises(InferenceTimeout):
            await inference.embed("m", ["x"])

    assert asked(fakes[0]) + asked(fakes[1]) == []


async def test_servers_take_turns():
    fakes = FakeTriton(), FakeTriton()
    async with over(*fakes) as inference:
        for text in "abcd":
            await inference.embed("m", [text])

    assert sorted(len(asked(fake)) for fake in fakes) == [2, 2]


async def test_a_server_that_is_away_is_asked_again_after_pauses_that_grow():
    away, here, clock = FakeTriton(), FakeTriton(), Clock()
    away.failures = [LOST] * 100
    tried = []
    async with over(away, here, clock=clock) as inference:
        for _ in range(120):
            await inference.embed("m", ["x"])
            tried.append(100 - len(away.failures))
            clock.now += 0.25  # 30 seconds in all

        assert tried[1:5] == [1, 1, 1, 1], "not again within a second"
        assert 4 <= tried[-1] <= 6, "after 1, 2, 4, 8 seconds"
        assert len(asked(here)) == 120, "and no request fails"

        away.failures.clear()
        clock.now += 60
        for _ in range(10):
            await inference.embed("m", ["x"])
        assert len(asked(away)) == 5, "in turn, as soon as it answers"


async def test_a_lone_server_that_is_away_is_asked_all_the_same():
    fake = FakeTriton()
    fake.failures = [LOST, LOST]
    async with over(fake, clock=Clock()) as inference:
        for _ in range(2):
            with pytest.raises(InferenceUnavailable):
                await inference.embed("m", ["x"])
        np.testing.assert_array_equal(await inference.embed("m", ["x"]), [vector(b"x")])


async def test_without_servers_nothing_is_available():
    with pytest.raises(InferenceUnavailable, match="no Triton server"):
        await TritonInference(()).embed("m", ["x"])


async def test_refused_servers_are_never_asked():
    fakes = FakeTriton(), FakeTriton()
    async with over(*fakes) as inference:
        first, second = inference.endpoints
        inference.refuse(first.url, frozenset({"m"}))
        for text in "abc":
            await inference.embed("m", [text])
        assert asked(fakes[0]) == []

        inference.refuse(second.url, frozenset({"m", "other"}))
        with pytest.raises(ModelUntrusted, match="m"):
            await inference.embed("m", ["d"])


async def test_no_texts_no_rows():
    async with over(FakeTriton()) as inference:
        assert (await inference.embed("m", [])).shape == (0, DIMENSION)


async def test_an_overlong_text_is_refused_before_it_is_sent():
    fake = FakeTriton()
    async with over(fake, max_bytes=8) as inference:
        with pytest.raises(InferenceError, match="9 bytes exceeds the limit of 8"):
            await inference.embed("m", ["fine", "\N{GREEK SMALL LETTER BETA}" * 4 + "x"])
        await inference.embed("m", ["\N{GREEK SMALL LETTER BETA}" * 4])

    assert len(asked(fake)) == 1


async def test_half_an_emoji_is_sent_as_a_question_mark():
    fake = FakeTriton()
    async with over(fake) as inference:
        await inference.embed("m", ["a\ud83d"])

    assert asked(fake) == [b"a?"]


async def test_usage_is_reported():
    seen: list[Usage] = []
    async with over(FakeTriton(max_batch=2), on_usage=seen.append, clock=Clock()) as inference:
        await inference.embed("m", ["a", "b", "x" * 100])

    assert seen == [Usage("m", texts=3, windows=3, truncated=1, seconds=0.0)]


async def test_one_failed_batch_cancels_the_others():
    fake = FakeTriton(max_batch=1)
    async with over(fake) as inference:
        await inference.embed("m", ["warm"])
        fake.gate.clear()
        fake.entered.clear()
        call = asyncio.create_task(inference.embed("m", ["a", "b", "c"]))
        await fake.entered.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

        await asyncio.wait_for(fake.cancelled.wait(), 10)


@given(texts=st.lists(st.text(st.characters(codec="utf-8")), max_size=9), size=st.integers(1, 4))
def test_every_text_gets_its_own_row(texts, size):
    async def embed():
        async with over(FakeTriton(max_batch=size)) as inference:
            return await inference.embed("m", texts)

    vectors = asyncio.run(embed())

    assert vectors.shape == (len(texts), DIMENSION)
    for row, text in zip(vectors, texts, strict=True):
        np.testing.assert_array_equal(row, vector(text.encode()))


async def test_a_request_of_long_texts_may_take_longer():
    fake = FakeTriton(max_batch=8)
    async with over(fake, timeout_s=1_000) as inference:
        await inference.embed("m", ["short"])
        await inference.embed("m", ["word " * LONG_TOKENS])
        await inference.embed("m", ["?" * LONG_TOKENS, "!" * LONG_TOKENS])

    assert fake.patience == pytest.approx([1_000, 2_000, 3_000], abs=100)


async def test_a_row_with_more_patience_may_take_longer_and_one_with_less_does_not_shorten_it():
    fake = FakeTriton(max_batch=8)
    async with over(fake, timeout_s=1_000) as inference:
        await inference.ask("m", [Row(b"a", patience=5_000), Row(b"b")])
        await inference.ask("m", [Row(b"a", patience=1), Row(b"b")])

    assert fake.patience == pytest.approx([5_000, 1_000], abs=100)
