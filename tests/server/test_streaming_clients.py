"""Clients that leave, do not read, or are many."""

import asyncio

import aiohttp
import pytest

from orchestrator.upstream.client import Timeouts
from tests.processes import LIMIT_S
from tests.server.plane import routed
from tests.server.streams import BODY, DONE, END, whole, word
from tests.upstream.scripted import CHUNKED, backend, chunk, silent


async def until_idle(running):
    async with asyncio.timeout(LIMIT_S):
        while running.metric("tsr_inflight_requests"):
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
async def test_the_backend_is_left_when_the_client_leaves_before_the_answer(stream):
    async with backend(silent) as server, routed(server.endpoint) as running:
        call = asyncio.ensure_future(running.chat(BODY | {"stream": stream}).__aenter__())
        await server.arrived.wait()
        call.cancel()
        async with asyncio.timeout(LIMIT_S):
            await server.exchanges[0].left.wait()
        await until_idle(running)


async def test_the_backend_is_left_when_the_client_leaves_mid_stream():
    async def script(exchange):
        await exchange.write(CHUNKED + chunk(word("a")))
        await exchange.left.wait()

    async with backend(script) as server, routed(server.endpoint) as running:
        async with running.chat(BODY) as response:
            await response.content.readany()
            response.close()
        async with asyncio.timeout(LIMIT_S):
            await server.exchanges[0].left.wait()
        await until_idle(running)


async def test_the_backend_is_left_while_it_is_writing():
    async def script(exchange):
        await exchange.write(CHUNKED)
        while not exchange.left.is_set():
            await exchange.write(chunk(word("x" * 1000)))
            await asyncio.sleep(0)

    async with backend(script) as server, routed(server.endpoint) as running:
        async with running.chat(BODY) as response:
            await response.content.readany()
            response.close()
        async with asyncio.timeout(LIMIT_S):
            await server.exchanges[0].left.wait()
        await until_idle(running)


async def test_a_client_that_does_not_read_stops_the_backend():
    written = 0

    async def script(exchange):
        nonlocal written
        await exchange.write(CHUNKED)
        while not exchange.left.is_set():
            await exchange.write(chunk(word("x" * 60_000)))
            written += 60_000

    async def until_still():
        before = -1
        while before != written:
            before = written
            await asyncio.sleep(0.2)

    async with backend(script) as server, routed(server.endpoint) as running:
        async with running.chat(BODY) as response, asyncio.timeout(LIMIT_S):
            await until_still()
            stopped = written
            while written == stopped:
                await response.content.readany()
            response.close()

    assert stopped < 64 << 20  # the kernel's buffers and ours, not the stream


async def test_three_hundred_streams_at_once():
    everyone = asyncio.Event()

    async def script(exchange):
        await exchange.write(CHUNKED + chunk(word("a")))
        if len(server.exchanges) == 300:
            everyone.set()
        await everyone.wait()
        await exchange.write(chunk(DONE) + END)

    async def one(running):
        async with running.chat(BODY) as response:
            return await response.read()

    slow = Timeouts(connect=60.0)  # as many at once wait for each other
    async with backend(script) as server, routed(server.endpoint, timeouts=slow) as running:
        async with asyncio.timeout(4 * LIMIT_S):
            bodies = await asyncio.gather(*(one(running) for _ in range(300)))

    assert bodies == [word("a") + DONE] * 300


async def test_a_client_that_leaves_before_the_headers_is_no_error(caplog):
    async def leave(http, response):
        http.transport.close()

    script = whole(word("a"), DONE)
    async with backend(script) as server, routed(server.endpoint, preparing=leave) as running:
        with pytest.raises(aiohttp.ClientError):
            async with running.chat(BODY):
                pass
        await until_idle(running)

    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
