import asyncio
import json
import socket
import struct
from contextlib import asynccontextmanager
from random import Random
from types import SimpleNamespace

import aiohttp
import pytest
from aiohttp.base_protocol import BaseProtocol

from orchestrator.config.schema import Config
from orchestrator.errors import RequestError, UpstreamError, UpstreamTimeout, UpstreamUnavailable
from orchestrator.protocols.chat_completions import parse
from orchestrator.telemetry import Telemetry
from orchestrator.types import Candidate
from orchestrator.upstream import Answer
from orchestrator.upstream.backends import backends
from orchestrator.upstream.client import Chunks, HttpUpstream, Timeouts, session
from tests.upstream.scripted import CHUNKED, answering, backend, chunk, dying, plain, silent

RAW = b'{ "model":"q",  "messages":[{"role":"user","content":"hi"}], "top_k": 1.0 }'
OK = answering(plain(b'{"ok":true}'))
M = Candidate("q")
END = b"0\r\n\r\n"


def request(raw=RAW, **headers):
    return parse(json.loads(raw), headers, raw=raw)


class First(Random):
    """Draws so that servers are tried in the order in which they are written."""

    def __init__(self):
        self.drawn = 0.0

    def random(self):
        self.drawn += 0.01
        return self.drawn


@asynccontextmanager
async def upstream(*refs, timeouts=None, **model):
    rows = [{"endpoint": ref} if isinstance(ref, str) else ref for ref in refs]
    config = Config.model_validate(
        {
            "providers": {
                "defaults": {
                    "reasoning_families": {
                        "qwen3": {"type": "chat_template_kwargs", "parameter": "enable_thinking"}
                    }
                },
                "models": [{"name": "q", "backend_refs": rows, **model}],
            }
        }
    )
    async with session() as http:
        yield HttpUpstream(backends(config, First()), http, Telemetry(["q"]), timeouts)


async def ask(subject, asked=None, resolution="passthrough", candidate=M):
    async with subject.open(candidate, asked or request(), resolution) as answer:
        return answer, b"".join([piece async for piece in answer.chunks])


def free_port(unused_tcp_port):
    return f"127.0.0.1:{unused_tcp_port}"


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


async def test_refused_connections_fall_over_to_the_next_server(unused_tcp_port):
    refs = free_port(unused_tcp_port)
    async with backend(OK) as server, upstream(refs, server.endpoint) as subject:
        answer, _ = await ask(subject)

    assert answer.endpoint == "q_backend-1"


async def test_all_refused(unused_tcp_port):
    refs = [free_port(unused_tcp_port)] * 2
    async with upstream(*refs) as subject:
        with pytest.raises(UpstreamUnavailable, match="q_primary, q_backend-1$"):
            await ask(subject)


async def test_a_server_that_dies_before_the_first_byte_is_replaced():
    async with (
        backend(dying) as broken,
        backend(OK) as server,
        upstream(broken.endpoint, server.endpoint) as subject,
    ):
        answer, _ = await ask(subject)

    assert answer.endpoint == "q_backend-1"
    assert len(broken.exchanges) == 2  # the second time in case a kept connection was closed


async def test_a_deadly_request_does_not_kill_the_whole_fleet():
    async with backend(dying) as server, upstream(*[server.endpoint] * 6) as subject:
        with pytest.raises(UpstreamError, match="q_backend-1$"):
            await ask(subject)

    assert len(server.exchanges) == 3


async def test_a_kept_connection_that_was_closed_is_tried_once_more():
    async def hangs_up_on_the_second(exchange):
        if len(server.exchanges) == 2:
            exchange.abort()
        else:
            await exchange.write(plain(b"{}"))

    async with backend(hangs_up_on_the_second) as server, upstream(server.endpoint) as subject:
        await ask(subject)
        answer, _ = await ask(subject)

    assert answer.status == 200
    assert server.connections == 2


async def test_connections_are_kept():
    async with backend(OK) as server, upstream(server.endpoint) as subject:
        for _ in range(5):
            await ask(subject)

    assert server.connections == 1


async def test_after_the_first_byte_nothing_is_tried_again():
    cut = answering(CHUNKED + chunk(b"data: 1\n\n"), close=True)
    got = []
    async with (
        backend(cut) as broken,
        backend(OK) as server,
        upstream(broken.endpoint, server.endpoint) as subject,
    ):
        with pytest.raises(UpstreamError):
            async with subject.open(M, request(), "passthrough") as answer:
                async for piece in answer.chunks:
                    got.append(piece)

    assert got == [b"data: 1\n\n"]
    assert server.exchanges == []


@pytest.mark.parametrize(
    "sent, told",
    [
        (b"HELLO 200 OK\r\n\r\n", "answered what is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 20_000 + b"\r\n\r\n", "answered what is not HTTP"),
        (b"HTTP/1.1 200", "broke off its answer"),
        (b"HTTP/1.1 200 OK\r\ncontent-", "broke off its answer"),
    ],
    ids=["no status line", "long header", "half a status line", "half a header"],
)
@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
async def test_a_request_whose_answer_had_begun_is_not_sent_again(sent, told, reset):
    async def script(exchange):
        await exchange.write(sent)
        await asyncio.sleep(0.05)  # a reset would throw away what has not been read
        if reset:
            linger = struct.pack("ii", 1, 0)
            socket_ = exchange.transport.get_extra_info("socket")
            socket_.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        exchange.close()

    async with (
        backend(script) as broken,
        backend(OK) as server,
        upstream(broken.endpoint, server.endpoint) as subject,
    ):
        with pytest.raises(UpstreamError, match=f"{told}: q_primary$") as caught:
            await ask(subject)

    assert caught.value.status == 502
    assert (len(broken.exchanges), len(server.exchanges)) == (1, 0)


async def test_a_kept_connection_starts_anew_with_every_request():
    async def resets_the_second(exchange):
        if len(broken.exchanges) == 1:
            await exchange.write(plain(b"{}"))
        else:
            exchange.abort()

    async with (
        backend(resets_the_second) as broken,
        backend(OK) as server,
        upstream(broken.endpoint, server.endpoint) as subject,
    ):
        await ask(subject)
        answer, _ = await ask(subject)

    assert answer.endpoint == "q_backend-1"


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


async def test_servers_that_fail_are_ejected_and_heal(unused_tcp_port):
    bad = answering(plain(b"{}", "503 Service Unavailable"))
    async with (
        backend(bad) as broken,
        backend(OK) as server,
        upstream(
            broken.endpoint, server.endpoint, reliability={"base_ejection_time": "1h"}
        ) as subject,
    ):
        statuses = [(await ask(subject))[0].status for _ in range(8)]

    assert statuses == [503] * 5 + [200] * 3


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
        async with asyncio.timeout(1):
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
