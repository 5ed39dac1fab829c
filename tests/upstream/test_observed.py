"""What the client of the backends tells of models: how busy they are, and how quick."""

import asyncio

import pytest

from orchestrator.errors import UpstreamError
from orchestrator.standing import Percentiles, Standing
from tests.upstream.clients import ask, request, upstream
from tests.upstream.scripted import CHUNKED, answering, backend, chunk, plain

STREAM = b'{"model": "q", "messages": [{"role": "user", "content": "hi"}], "stream": true}'
EVENT = b'data: {"choices": []}\n\n'
ANSWER = b'{"usage": {"completion_tokens": 5}}'


async def observed(script, raw=STREAM, times=3, failing=False):
    standing = Standing()
    async with backend(script) as served, upstream(served.endpoint) as client:
        client.observer = standing
        for _ in range(times):
            if failing:
                with pytest.raises(UpstreamError):
                    await ask(client, request(raw))
            else:
                await ask(client, request(raw))
    return standing.records(["q"], asked=Percentiles(ttft=50, tpot=50))["q"]


async def streams(exchange):
    await exchange.write(CHUNKED + chunk(EVENT))
    await asyncio.sleep(0)
    await exchange.write(chunk(EVENT * 3 + b"data: [DONE]\n\n") + b"0\r\n\r\n")


async def test_a_stream():
    found = await observed(streams)

    assert found.ttft is not None and found.tpot is not None
    assert found.inflight == 0


async def test_an_answer_in_one_piece():
    found = await observed(answering(plain(ANSWER)), STREAM.replace(b"true", b"false"))

    assert found.ttft is None
    assert found.tpot is not None


@pytest.mark.parametrize(
    "body", [plain(ANSWER, "500 no"), plain(ANSWER, "429 later")], ids=["500", "429"]
)
async def test_an_error_is_no_measure(body):
    found = await observed(answering(body))

    assert (found.ttft, found.tpot, found.inflight) == (None, None, 0)


async def test_a_broken_stream_has_no_pace():
    async def breaks(exchange):
        await exchange.write(CHUNKED + chunk(EVENT * 2))
        exchange.close()

    found = await observed(breaks, failing=True)

    assert found.ttft is not None
    assert (found.tpot, found.inflight) == (None, 0)


async def test_a_backend_that_cannot_be_reached_is_not_busy():
    standing = Standing()
    async with upstream("127.0.0.1:1") as client:
        client.observer = standing
        with pytest.raises(UpstreamError):
            await ask(client, request(STREAM))

    assert standing.records(["q"])["q"].inflight == 0


async def test_requests_under_way_are_counted():
    waiting, release = asyncio.Event(), asyncio.Event()

    async def holds(exchange):
        waiting.set()
        await release.wait()
        await exchange.write(plain(ANSWER))

    standing = Standing()
    async with backend(holds) as served, upstream(served.endpoint) as client:
        client.observer = standing
        asked = asyncio.create_task(ask(client, request(STREAM)))
        await waiting.wait()
        during = standing.records(["q"])["q"].inflight
        release.set()
        await asked

    assert (during, standing.records(["q"])["q"].inflight) == (1, 0)


async def test_who_leaves_is_counted_out():
    async def silent(exchange):
        await exchange.left.wait()

    standing = Standing()
    async with backend(silent) as served, upstream(served.endpoint) as client:
        client.observer = standing
        asked = asyncio.create_task(ask(client, request(STREAM)))
        await served.arrived.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    assert standing.records(["q"])["q"].inflight == 0
