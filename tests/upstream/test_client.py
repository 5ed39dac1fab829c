import asyncio
import json
from types import SimpleNamespace

import aiohttp
import pytest
from aiohttp.base_protocol import BaseProtocol

from orchestrator.errors import RequestError, UpstreamError, UpstreamTimeout, UpstreamUnavailable
from orchestrator.types import Candidate
from orchestrator.upstream import Answer
from orchestrator.upstream.client import Chunks, Timeouts
from tests.upstream.clients import OK, RAW, M, ask, request, upstream
from tests.upstream.scripted import CHUNKED, answering, backend, chunk, plain, silent

END = b"0\r\n\r\n"


async def test_passthrough_sends_the_bytes_of_the_client():
    async with backend(OK) as server, upstream(server.endpoint) as subject:
        answer, body = await ask(subject)

    assert (answer.status, body) == (200, b'{"ok":true}')
    assert server.exchanges[0].raw == RAW
    assert server.exchanges[0].path == "/v1/chat/completions"


async def test_passthrough_keeps_reasoning_fields_when_only_the_name_differs():
    kept = b'"reasoning_effort":"high","chat_template_kwargs":{"a":1}'
    raw = b'{"model":"q","messages":[{"role":"tool"}],%s}' % kept
    model = {"provider_model_id": "org/q", "reasoning_family": "qwen3"}
    async with backend(OK) as server, upstream(server.endpoint, **model) as subject:
        await ask(subject, request(raw))

    assert server.exchanges[0].body == json.loads(raw) | {"model": "org/q"}


async def test_a_routed_request_is_told_not_to_think():
    async with (
        backend(OK) as server,
        upstream(server.endpoint, reasoning_family="qwen3") as subject,
    ):
        await ask(subject, resolution="routed")

    assert server.exchanges[0].body["chat_template_kwargs"] == {"enable_thinking": False}
    assert server.exchanges[0].body["top_k"] == 1.0


async def test_error_statuses_are_answers():
    refusal = plain(b"slow down", "429 Too Many Requests", b"retry-after: 3\r\n")
    async with backend(answering(refusal)) as server, upstream(server.endpoint) as subject:
        answer, body = await ask(subject)

    assert (answer.status, body, answer.headers["retry-after"]) == (429, b"slow down", "3")
    assert len(server.exchanges) == 1


async def test_a_large_body_is_sent_whole():
    raw = json.dumps(
        {"model": "q", "messages": [{"role": "tool"}], "pad": "x" * (5 << 20)}
    ).encode()
    async with backend(OK) as server, upstream(server.endpoint) as subject:
        await ask(subject, request(raw))

    assert server.exchanges[0].raw == raw


@pytest.mark.parametrize("name", ["nobody", "q"], ids=["unknown model", "no such dialect"])
async def test_no_backend(name):
    async with upstream("127.0.0.1:9", api_format="anthropic") as subject:
        with pytest.raises(UpstreamUnavailable):
            await ask(subject, candidate=Candidate(name))


async def test_a_body_that_cannot_be_written_is_the_clients_fault():
    asked = request(
        raw=b'{"model":"q","messages":[{"role":"tool"}],"deep":' + b"[" * 300 + b"]" * 300 + b"}"
    )
    async with backend(OK) as server, upstream(server.endpoint, provider_model_id="x") as subject:
        with pytest.raises(RequestError):
            await ask(subject, asked)


async def test_connections_are_kept():
    async with backend(OK) as server, upstream(server.endpoint) as subject:
        for _ in range(5):
            await ask(subject)

    assert server.connections == 1


@pytest.mark.parametrize(
    "kind, events",
    [
        ("application/json", False),
        ("text/event-stream", True),
        ("Text/Event-Stream; Charset=UTF-8", True),
    ],
)
def test_a_media_type_has_no_case(kind, events):
    chunks = SimpleNamespace()
    assert Answer(200, {"content-type": kind}, chunks).events is events


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
async def test_silence_before_the_answer_is_a_timeout(stream):
    raw = json.dumps({"model": "q", "messages": [{"role": "tool"}], "stream": stream}).encode()
    limits = Timeouts(idle=0.05, answer=0.05)
    async with backend(silent) as server, upstream(server.endpoint, timeouts=limits) as subject:
        with pytest.raises(UpstreamTimeout, match="q_primary$"):
            await ask(subject, request(raw))


async def test_silence_within_a_stream_is_a_timeout():
    async def stalls(exchange):
        await exchange.write(CHUNKED + chunk(b"data: 1\n\n"))
        await exchange.left.wait()

    raw = b'{"model":"q","messages":[{"role":"tool"}],"stream":true}'
    limits = Timeouts(idle=0.05)
    async with backend(stalls) as server, upstream(server.endpoint, timeouts=limits) as subject:
        with pytest.raises(UpstreamTimeout):
            await ask(subject, request(raw))


@pytest.mark.parametrize("rest", [b"", chunk(b"data: 2\n\n")], ids=["nothing", "another piece"])
async def test_it_is_known_when_no_piece_will_follow(rest):
    turn = asyncio.Event()

    async def script(exchange):
        await exchange.write(CHUNKED + chunk(b"data: 1\n\n") + (b"" if rest else END))
        await turn.wait()
        if rest:
            await exchange.write(rest + END)

    async with backend(script) as server, upstream(server.endpoint) as subject:
        async with subject.open(M, request(), "passthrough") as answer:
            assert await anext(answer.chunks) == b"data: 1\n\n"
            assert answer.ended() is (not rest)
            turn.set()
            assert [piece async for piece in answer.chunks] == ([b"data: 2\n\n"] if rest else [])


async def test_leaving_closes_the_connection():
    async def endless(exchange):
        await exchange.write(CHUNKED + chunk(b"data: 1\n\n"))
        await exchange.left.wait()

    async with backend(endless) as server, upstream(server.endpoint) as subject:
        async with subject.open(M, request(), "passthrough") as answer:
            async for _ in answer.chunks:
                break
        async with asyncio.timeout(20):
            await server.exchanges[0].left.wait()


async def test_what_came_before_a_break_is_handed_on_even_if_read_late():
    loop = asyncio.get_running_loop()
    content = aiohttp.StreamReader(BaseProtocol(loop), 1 << 16, loop=loop)
    content.feed_data(b"data: 1\n\n")
    content.set_exception(aiohttp.ClientPayloadError())
    broken = []
    chunks = Chunks(SimpleNamespace(content=content), lambda: None, lambda: broken.append(1))

    assert await anext(chunks) == b"data: 1\n\n"
    with pytest.raises(UpstreamError):
        await anext(chunks)
    assert broken == [1]
