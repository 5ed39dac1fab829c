"""Every error of every route is JSON that an OpenAI client can read."""

import asyncio
import gzip
import json
import logging
import zlib

import pytest

from orchestrator.errors import (
    Forbidden,
    RequestError,
    UpstreamError,
    UpstreamTimeout,
    UpstreamUnavailable,
)
from orchestrator.upstream.fake import FakeUpstream
from tests.server.plane import plane

HELLO = {"model": "auto", "messages": [{"role": "user", "content": "hi"}]}
CHAT = "/v1/chat/completions"
CANARY = "canary-8f3a"


@pytest.mark.parametrize(
    "method, path, body, status, code",
    [
        ("POST", CHAT, b"", 400, "invalid_request"),
        ("POST", CHAT, b"{", 400, "invalid_request"),
        ("POST", CHAT, b"\xff\xfe", 400, "invalid_request"),
        ("POST", CHAT, b"[" * 100_000, 400, "invalid_request"),
        ("POST", CHAT, b"[]", 400, "invalid_request"),
        ("POST", CHAT, b'{"model":"auto"}', 400, "invalid_request"),
        ("POST", CHAT, b'{"model":"auto","messages":[{"role":"\\ud800"}]}', 400, "invalid_request"),
        ("POST", CHAT, {**HELLO, "model": "nobody"}, 404, "model_not_found"),
        ("POST", CHAT, {**HELLO, "pad": "x" * 3000}, 413, "request_too_large"),
        ("GET", CHAT, None, 405, "method_not_allowed"),
        ("DELETE", "/v1/models", None, 405, "method_not_allowed"),
        ("GET", "/v1/models/nobody", None, 404, "model_not_found"),
        ("POST", "/v1/responses", HELLO, 404, "unknown_url"),
        ("POST", "/v1/messages", HELLO, 404, "unknown_url"),
        ("GET", "/v1/router_replay", None, 404, "unknown_url"),
        ("GET", "/", None, 404, "unknown_url"),
        ("GET", "/v1/%2e%2e/x", None, 404, "unknown_url"),
    ],
    ids=lambda value: str(value)[:50],
)
async def test_error_shape(method, path, body, status, code):
    data = json.dumps(body) if isinstance(body, dict) else body
    async with plane(FakeUpstream(), body_limit=2000 if status == 413 else 1 << 20) as running:
        async with running.http.request(method, running.url + path, data=data) as response:
            shown = await response.json()

    assert (response.status, shown["error"]["code"]) == (status, code)
    assert set(shown["error"]) == {"message", "type", "param", "code"}
    assert response.headers["x-vsr-response-path"] == "error"
    assert response.headers["x-request-id"]
    if status == 405:
        assert response.headers["allow"]


@pytest.mark.parametrize(
    "failure, status",
    [
        (RequestError("no model"), 400),
        (Forbidden("not you"), 403),
        (UpstreamError("died"), 502),
        (UpstreamUnavailable("none"), 503),
        (UpstreamTimeout("slow"), 504),
    ],
    ids=["request", "forbidden", "died", "unavailable", "timeout"],
)
async def test_errors_of_the_pipeline(failure, status):
    async with plane(FakeUpstream(refusal=failure)) as running, running.chat() as response:
        shown = await response.json()
        assert running.metric("llm_request_errors_total") == 1
        assert running.metric("tsr_inflight_requests") == 0

    assert (response.status, shown["error"]["code"]) == (status, failure.code)


async def test_a_body_sent_in_chunks_is_limited_too():
    async def pieces():
        for _ in range(50):
            yield b"x" * 100

    async with plane(FakeUpstream(), body_limit=2000) as running:
        async with running.http.post(running.url + CHAT, data=pieces()) as response:
            assert (response.status, (await response.json())["error"]["code"]) == (
                413,
                "request_too_large",
            )


@pytest.mark.parametrize(
    "encoding, data, status",
    [
        ("gzip", gzip.compress(json.dumps(HELLO).encode(), mtime=0), 200),
        ("identity", json.dumps(HELLO).encode(), 200),
        ("snappy", b"\x00\x01", 415),
        ("zstd", json.dumps(HELLO).encode(), 415),
        ("br", json.dumps(HELLO).encode(), 415),
        ("gzip, gzip", gzip.compress(json.dumps(HELLO).encode(), mtime=0), 415),
        ("x" * 9_000, json.dumps(HELLO).encode(), 415),
        ("GZip", gzip.compress(json.dumps(HELLO).encode(), mtime=0), 200),
        ("deflate", zlib.compress(json.dumps(HELLO).encode()), 200),
        ("gzip", b"not gzip", 400),
        ("gzip", gzip.compress(json.dumps(HELLO).encode(), mtime=0)[:-20], 400),
        ("gzip", gzip.compress(b'{"pad":"' + b"x" * (3 << 20), mtime=0), 413),
    ],
    ids=str,
)
async def test_content_encoding(encoding, data, status):
    async with plane(FakeUpstream(), body_limit=1 << 20) as running:
        async with running.chat(data, headers={"Content-Encoding": encoding}) as response:
            answer = await response.json()

    assert response.status == status
    if status == 415:
        assert answer["error"]["code"] == "unsupported_content_encoding"
        assert answer["error"]["message"].endswith("accepted: identity, gzip, deflate")
        assert len(answer["error"]["message"]) < 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        pytest.param("POST", CHAT, {**HELLO, "model": "m" * 100_000}, id="chat"),
        pytest.param("GET", "/v1/models/" + "m" * 5_000, None, id="models"),
        pytest.param("GET", "/v1/" + "m" * 5_000, None, id="a URL"),
    ],
)
async def test_a_long_name_is_quoted_in_part(method, path, body):
    async with plane(FakeUpstream(), body_limit=1 << 20) as running:
        async with running.http.request(method, running.url + path, json=body) as response:
            error = (await response.json())["error"]

    assert response.status == 404
    assert ("m" * 80 in error["message"], len(error["message"]) < 300) == (True, True)


@pytest.mark.parametrize("kind", ["text/plain", "", "application/json; charset=utf-8", "a/b/c"])
async def test_content_type_does_not_matter(kind):
    async with plane(FakeUpstream()) as running:
        async with running.chat(headers={"Content-Type": kind}) as response:
            assert response.status == 200


async def test_a_byte_order_mark_is_not_content():
    fake = FakeUpstream()
    data = json.dumps(HELLO).encode()
    async with plane(fake) as running, running.chat(b"\xef\xbb\xbf" + data) as response:
        assert response.status == 200

    assert fake.calls[0][1].raw == data


@pytest.mark.parametrize(
    "given, kept",
    [("req-1", True), ("é", False), ("x" * 129, False), ("", False)],
    ids=["short", "not ascii", "long", "empty"],
)
async def test_request_id(given, kept):
    fake = FakeUpstream()
    async with plane(fake) as running:
        async with running.chat(headers={"X-Request-ID": given}) as response:
            answered = response.headers["x-request-id"]

    assert (answered == given) is kept
    assert fake.calls[0][1].headers["x-request-id"] == answered


@pytest.mark.parametrize(
    "failure", [RuntimeError(CANARY), KeyError(CANARY)], ids=["RuntimeError", "KeyError"]
)
async def test_a_bug_is_a_500_that_quotes_nothing(failure, caplog):
    with caplog.at_level(logging.DEBUG):
        async with plane(FakeUpstream(), failure=failure) as running, running.chat() as response:
            text = await response.text()

    assert (response.status, json.loads(text)["error"]["code"]) == (500, "internal_error")
    assert CANARY not in text + caplog.text
    assert type(failure).__name__ in caplog.text
    assert "plane.py" in caplog.text  # where it happened


async def test_logs_hold_no_prompt(caplog):
    body = {"model": CANARY, "messages": [{"role": "user", "content": CANARY}]}
    with caplog.at_level(logging.DEBUG):
        async with plane(FakeUpstream()) as running:
            for sent in (body, body | {"model": "auto"}, body | {"tools": CANARY}):
                async with running.chat(sent, headers={"X-Request-ID": "seen"}):
                    pass

    assert CANARY not in caplog.text
    assert caplog.text.count("POST /v1/chat/completions") == 3


@pytest.mark.parametrize(
    "sent",
    [
        b"X-A: " + CANARY.encode() + b"a" * 99_000 + b"\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n" + CANARY.encode() + b"\r\n",
        b"Content-Encoding: gzip\r\nContent-Length: 11\r\n\r\n" + CANARY.encode(),
    ],
    ids=["header", "chunk", "encoding"],
)
async def test_broken_requests_are_not_quoted_in_logs(sent, caplog):
    with caplog.at_level(logging.DEBUG):
        async with plane(FakeUpstream()) as running:
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n" + sent)
            status = await reader.readline()
            writer.close()

    assert b" 400 " in status
    assert CANARY not in caplog.text
    assert "Traceback" not in caplog.text
