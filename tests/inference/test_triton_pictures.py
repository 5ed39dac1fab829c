"""A Triton that sees pictures."""

import asyncio

import numpy as np
import pytest

from orchestrator.errors import ImageRefused
from orchestrator.inference import MAX_IMAGE_BYTES
from orchestrator.inference.budget import MOST, MOST_BYTES
from orchestrator.inference.triton import LONG_IMAGE_BYTES, Usage
from tests.clock import Clock
from tests.inference.clients import over
from tests.inference.fake_models import known, vector
from tests.inference.fake_triton import LOST, FakeTriton


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
    ("size", "patience", "expected"),
    [
        pytest.param(10, 0.0, 1_000, id="small"),
        pytest.param(LONG_IMAGE_BYTES, 0.0, 2_000, id="large"),
        pytest.param(10, 5_000.0, 5_000, id="patient"),
    ],
)
async def test_a_large_picture_may_take_longer(size, patience, expected):
    fake = FakeTriton()
    fake.embed_picture = lambda picture: vector(picture[:2])
    async with over(fake, timeout_s=1_000) as inference:
        await inference.look("m", b"x" * size, patience)

    assert fake.patience == pytest.approx([expected], abs=100)


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
                fake.entered.clear()
                await fake.entered.wait()
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
        # Or the fake would see it after all: 20 MB take half a minute there.
        await asyncio.wait_for(fake.cancelled.wait(), 10)
        fake.gate.set()

        seen = await asyncio.wait_for(inference.see("m", [b"z"]), 10)
        assert seen.known.tolist() == [0.5]
