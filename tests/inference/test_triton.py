import asyncio
import contextlib

import grpc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import (
    ImageRefused,
    InferenceError,
    InferenceTimeout,
    InferenceUnavailable,
    ModelUntrusted,
)
from orchestrator.inference import MAX_IMAGE_BYTES, Entity
from orchestrator.inference.budget import MOST, MOST_BYTES
from orchestrator.inference.rows import Row
from orchestrator.inference.triton import LONG_BYTES, LONG_IMAGE_BYTES, TritonInference, Usage
from tests.inference.fake_triton import (
    DEAD,
    DIMENSION,
    TASKS,
    FakeTriton,
    known,
    probabilities,
    serving,
    vector,
)

FULL = (grpc.StatusCode.UNAVAILABLE, "Exceeds maximum queue size")
LATE = (grpc.StatusCode.DEADLINE_EXCEEDED, "")
LOST = (grpc.StatusCode.UNAVAILABLE, "Socket closed")
BROKEN = (grpc.StatusCode.INTERNAL, "division by zero")


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@contextlib.asynccontextmanager
async def over(*fakes, **options):
    async with contextlib.AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(serving(fake)) for fake in fakes]
        inference = TritonInference(urls, **options)
        stack.push_async_callback(inference.close)
        yield inference


def asked(fake):
    return [text for batch in fake.batches for text in batch]


@pytest.mark.parametrize(
    ("failures", "kind"),
    [
        pytest.param([BROKEN], InferenceError, id="broken"),
        pytest.param([LATE], InferenceTimeout, id="late"),
        pytest.param([FULL], InferenceUnavailable, id="full"),
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


@pytest.mark.parametrize("failure", [pytest.param(f, id=f[1]) for f in (FULL, DEAD)])
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


CLASSIFIER = {"tasks": {"m": TASKS}}


@pytest.mark.parametrize(
    ("model", "tasks", "message"),
    [
        pytest.param(
            "m", ["guard", "mood"], "no task 'mood'; the tasks are: domain, guard, pii", id="task"
        ),
        pytest.param("other", ["guard"], "other: it has no labels.json", id="model"),
    ],
)
async def test_what_a_model_cannot_do_is_not_asked(model, tasks, message):
    fake = FakeTriton()
    async with over(fake, **CLASSIFIER) as inference:
        with pytest.raises(InferenceError, match=message):
            await inference.classify(model, ["x"], tasks)

    assert fake.asked == []


async def test_texts_are_classified_in_order_and_only_for_what_is_asked():
    fake, seen = FakeTriton(max_batch=8), []
    texts = ["I am 42", "", "x" * 100 + " 5550123"]
    async with over(fake, **CLASSIFIER, on_usage=seen.append, clock=Clock()) as inference:
        answers = await inference.classify("m", texts, ["pii", "domain"])

    assert fake.asked == [[(text.encode(), "domain,pii") for text in texts]]
    assert sorted(fake.outputs[0]) == [
        "PROBS_domain",
        "SPANS_pii",
        "SPAN_SCORES_pii",
        "TRUNCATED",
        "WINDOWS",
    ]
    assert [answer.entities["pii"] for answer in answers] == [
        (Entity(5, 7, "AGE", 0.75),),
        (),
        (Entity(101, 108, "PHONE", 0.75),),
    ]
    assert [answer.truncated for answer in answers] == [False, False, True]
    for answer, text in zip(answers, texts, strict=True):
        expected = probabilities(text.encode(), "domain").tolist()
        assert list(answer.probabilities["domain"].values()) == pytest.approx(expected)
    assert seen == [Usage("m", 3, 3, 1, 0.0, {"domain": 3, "pii": 3})]


async def test_rows_of_one_request_may_ask_for_different_things():
    fake = FakeTriton(max_batch=8)
    rows = [
        Row(b"a", frozenset({"guard"}), embeds=False),
        Row(b"b"),
        Row(b"7", frozenset({"domain", "pii"})),
    ]
    async with over(fake, **CLASSIFIER) as inference:
        answers = await inference.ask("m", rows)

    assert fake.asked == [[(b"a", "guard"), (b"b", ""), (b"7", "domain,pii")]]
    said = [answer.said for answer in answers]
    assert [sorted({**one.probabilities, **one.entities}) for one in said] == [
        ["guard"],
        [],
        ["domain", "pii"],
    ]
    assert answers[0].vector is None
    np.testing.assert_array_equal([a.vector for a in answers[1:]], [vector(b"b"), vector(b"7")])


async def test_a_classifier_that_embeds_is_asked_for_no_task():
    fake = FakeTriton()
    async with over(fake, **CLASSIFIER) as inference:
        await inference.embed("m", ["x"])

    assert fake.asked == [[(b"x", "")]]
    assert fake.outputs == [["EMBEDDING", "WINDOWS", "TRUNCATED"]]


async def test_no_texts_no_classifications():
    async with over(FakeTriton(), **CLASSIFIER) as inference:
        assert await inference.classify("m", [], ["domain"]) == []


async def test_a_request_of_long_texts_may_take_longer():
    fake = FakeTriton(max_batch=8)
    async with over(fake, timeout_s=1_000) as inference:
        await inference.embed("m", ["short"])
        await inference.embed("m", ["x" * LONG_BYTES, "y" * LONG_BYTES])

    assert fake.patience == pytest.approx([1_000, 3_000], abs=100)


async def test_a_row_with_more_patience_may_take_longer_and_one_with_less_does_not_shorten_it():
    fake = FakeTriton(max_batch=8)
    async with over(fake, timeout_s=1_000) as inference:
        await inference.ask("m", [Row(b"a", patience=5_000), Row(b"b")])
        await inference.ask("m", [Row(b"a", patience=1), Row(b"b")])

    assert fake.patience == pytest.approx([5_000, 1_000], abs=100)


@pytest.mark.parametrize(
    "pictures",
    [
        pytest.param([b"bad"], id="alone"),
        pytest.param([b"good", b"bad"], id="beside a good one"),
        pytest.param([b"x" * (MAX_IMAGE_BYTES + 1)], id="too large, and not sent"),
    ],
)
async def test_a_picture_that_is_refused_says_why_and_is_no_fault_of_the_server(pictures):
    one, two = FakeTriton(), FakeTriton()
    one.refused = two.refused = {b"bad": "a png that is cut short"}
    seen = []
    async with over(one, two, on_usage=seen.append) as inference:
        reason = "^(a png that is cut short|longer than 20000000 bytes)$"
        with pytest.raises(ImageRefused, match=reason):
            await inference.see("m", pictures)
        assert [endpoint.faults for endpoint in inference.endpoints] == [{}, {}]

    asked = [some for fake in (one, two) for _, some in fake.pictures]
    assert asked.count([b"bad"]) == (b"bad" in pictures), "it is not tried on another server"
    assert sum(usage.refused for usage in seen) == 1


async def test_pictures_are_seen_in_order_each_by_itself():
    fake, seen = FakeTriton(), []
    files = [b"one", b"two", b"three", b"four"]
    async with over(fake, floors={"m": 0.25}, on_usage=seen.append, clock=Clock()) as inference:
        answer = await inference.see("m", files)
        other = await inference.see("other", [b"one"])

    assert sorted(some for _, some in fake.pictures[:4]) == sorted([one] for one in files)
    np.testing.assert_array_equal(answer.embeddings, [vector(one) for one in files])
    assert answer.known.tolist() == pytest.approx([known(one) for one in files])
    assert (answer.floor, other.floor) == (0.25, 0.5)
    assert seen[:4] == [Usage("m", 0, 0, 0, 0.0, pictures=1)] * 4


async def test_a_picture_is_sent_to_another_server_where_one_is_away():
    one, two = FakeTriton(), FakeTriton()
    one.failures = two.failures = [LOST]
    async with over(one, two) as inference:
        answer = await inference.see("m", [b"one"])

    np.testing.assert_array_equal(answer.embeddings, [vector(b"one")])
    assert len(one.pictures) + len(two.pictures) == 1


@pytest.mark.parametrize(
    ("size", "patience", "least", "most"),
    [
        pytest.param(10, 0.0, 9, 10.1, id="small"),
        pytest.param(LONG_IMAGE_BYTES, 0.0, 19, 20.1, id="large"),
        pytest.param(10, 60.0, 59, 60.1, id="patient"),
    ],
)
async def test_a_large_picture_may_take_longer(size, patience, least, most):
    fake = FakeTriton()
    fake.embed_picture = lambda picture: vector(picture[:2])
    async with over(fake, timeout_s=10.0) as inference:
        await inference.look("m", b"x" * size, patience)

    assert least < fake.patience[0] < most


@pytest.mark.parametrize(
    ("size", "at_once"),
    [
        pytest.param(10, MOST, id="small"),
        pytest.param(MOST_BYTES // 3, 3, id="large"),
        pytest.param(MOST_BYTES, 1, id="the largest"),
    ],
)
async def test_pictures_on_their_way_have_limits(size, at_once):
    fake, count = FakeTriton(), MOST + 4
    fake.gate.clear()
    fake.embed_picture = lambda picture: vector(picture[:2])
    async with over(fake, timeout_s=60.0) as inference:
        files = [bytes([65 + number]) * size for number in range(count if size < 99 else 5)]
        asking = asyncio.create_task(inference.see("m", files))
        async with asyncio.timeout(20):
            while len(fake.patience) < at_once:
                await asyncio.sleep(0.01)
        assert await inference.endpoints[0].ready()  # what was sent before has come, too
        assert len(fake.patience) == at_once
        fake.gate.set()
        answer = await asking

    assert len(answer.known) == len(files) == len(fake.pictures)


async def test_pictures_that_nobody_waits_for_leave_room():
    fake = FakeTriton()
    fake.gate.clear()
    async with over(fake) as inference:
        asking = asyncio.create_task(inference.see("m", [b"x" * MOST_BYTES, b"y"]))
        await fake.entered.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        fake.gate.set()

        assert (await inference.see("m", [b"z"])).known.tolist() == [0.5]
