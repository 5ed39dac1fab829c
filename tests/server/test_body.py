"""How bodies are read; encodings and sizes are in test_middleware and test_management."""

import asyncio
import json

import pytest

from orchestrator.upstream.fake import FakeUpstream
from tests.server.plane import plane, routed
from tests.upstream.scripted import answering, backend, plain


@pytest.mark.parametrize(
    "number",
    [
        "18446744073709551616",
        "-9223372036854775809",
        "9" * 300,
        "18446744073709551615",
        "-1",
        "1.5",
    ],
    ids=["2^64", "below -2^63", "300 digits", "2^64-1", "small", "fraction"],
)
async def test_numbers_are_exact_in_a_rewritten_body(number):
    messages = '[{"role":"tool"}]'
    tools = f'[{{"x":[{number}]}}]'
    raw = f'{{"model":"auto","messages":{messages},"seed":{number},"tools":{tools}}}'
    async with backend(answering(plain(b"{}"))) as server, routed(server.endpoint) as running:
        async with running.chat(raw.encode()) as response:
            assert response.status == 200

    sent = raw.replace('"auto"', '"q"').encode()
    assert server.exchanges[0].raw == sent


async def test_long_digits_deep_inside_are_refused_and_break_nothing():
    deep = b'{"model":"auto","messages":[{"role":"tool"}],"x":%s%s%s}' % (
        b"[" * 1000,
        b"9" * 30,
        b"]" * 1000,
    )
    async with plane(FakeUpstream()) as running, running.chat(deep) as response:
        assert response.status in (200, 400)


HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n"
HALF = HEAD + b'content-length: 100\r\n\r\n{"model":'


async def test_half_a_body_is_not_waited_for():
    async with plane(body_seconds=0.05) as running:
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        writer.write(HALF)
        async with asyncio.timeout(20):
            head = await reader.readuntil(b"\r\n\r\n")
            body = json.loads(await reader.readuntil(b"}}"))
        writer.close()

    assert head.startswith(b"HTTP/1.1 408 ")
    assert body["error"]["code"] == "request_timeout"


async def test_half_a_body_does_not_hold_up_the_stop():
    async with asyncio.timeout(20):
        async with plane(stop_seconds=60.0) as running:
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            writer.write(HALF)
            while running.metric("tsr_inflight_requests") < 1:
                await asyncio.sleep(0.005)
        assert (await reader.read(13)).startswith(b"HTTP/1.1 408 ")
        writer.close()
