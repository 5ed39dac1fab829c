"""What reaches the client and the backend of one chat request."""

import asyncio
import gzip
import json

import aiohttp
import pytest

from orchestrator.types import Facts, Reading
from orchestrator.upstream.fake import FakeUpstream
from tests.server.plane import plane, routed
from tests.upstream.scripted import CHUNKED, answering, backend, chunk, dying, plain

# Spaces, a null content and both names of the reasoning field: all of it is the backend's.
ANSWER = (
    b'{"model":"backend-name",  "choices":[{"message":{"content":null,"reasoning":"a",'
    b'"reasoning_content":"b"}}],"system_fingerprint":"f","usage":{"total_tokens":3}}'
)
DONE = b"data: [DONE]\n\n"
HI = [{"role": "user", "content": "hi"}]


def stream(*events):
    return answering(CHUNKED + b"".join(map(chunk, events)) + b"0\r\n\r\n")


async def test_an_answer_passes_untouched():
    extra = b"x-ratelimit-remaining: 9\r\nconnection: keep-alive\r\n"
    async with backend(answering(plain(ANSWER, extra=extra))) as server:
        async with routed(server.endpoint) as running, running.chat() as response:
            body = await response.read()

    assert (response.status, body) == (200, ANSWER)
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-ratelimit-remaining"] == "9"
    assert response.headers["x-vsr-response-path"] == "upstream"
    assert float(response.headers["x-tsr-overhead-ms"]) >= 0


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
async def test_the_header_names_the_logical_model_and_the_body_the_backends(streamed):
    event = b"data: " + ANSWER + b"\n\n"
    script = stream(event, DONE) if streamed else answering(plain(ANSWER))
    body = {"model": "auto", "messages": HI, "stream": streamed}
    model = {"provider_model_id": "org/q"}
    async with backend(script) as server, routed(server.endpoint, model=model) as running:
        async with running.chat(body) as response:
            assert b'"model":"backend-name"' in await response.read()

    assert response.headers["x-vsr-selected-model"] == "q"
    assert response.headers["x-vsr-selected-decision"] == "always"
    assert server.exchanges[0].body["model"] == "org/q"


async def test_a_named_model_gets_the_clients_bytes_and_no_verdict():
    raw = b'{"model":"q" , "messages":[{"role":"tool"}],"reasoning_effort":"high","x":1.50}'
    async with backend(answering(plain(b"{}"))) as server:
        async with routed(server.endpoint, model={"reasoning_family": "qwen3"}) as running:
            async with running.chat(raw) as response:
                pass

    assert server.exchanges[0].raw == raw
    assert not [name for name in response.headers if name.lower().startswith("x-vsr-selected")]


async def test_unknown_fields_survive_routing():
    sent = {
        "model": "auto",
        "messages": HI,
        "top_k": 5,
        "guided_json": {"type": "object"},
        "return_token_ids": True,
        "max_completion_tokens": 9,
        "stream_options": {"include_usage": False},
        "chat_template_kwargs": {"custom": 1, "enable_thinking": True},
        "made_up": [None],
    }
    async with backend(answering(plain(b"{}"))) as server:
        async with routed(server.endpoint, model={"reasoning_family": "qwen3"}) as running:
            async with running.chat(sent):
                pass

    kwargs = {"custom": 1, "enable_thinking": False}
    assert server.exchanges[0].body == sent | {"model": "q", "chat_template_kwargs": kwargs}


async def test_request_headers():
    sent = {
        "Authorization": "Bearer theirs",
        "traceparent": "00-1-2-01",
        "X-Request-ID": "r1",
        "X-Authz-User-Id": "ann",
        "Connection": "close",
    }
    async with backend(answering(plain(b"{}"))) as server, routed(server.endpoint) as running:
        async with running.chat(headers=sent):
            pass

    got = server.exchanges[0].headers
    assert (got["authorization"], got["traceparent"]) == ("Bearer theirs", "00-1-2-01")
    assert got["x-request-id"] == "r1"
    assert "x-authz-user-id" not in got
    assert got.get("connection") != "close"


async def test_a_configured_key_replaces_the_clients():
    async with backend(answering(plain(b"{}"))) as server:
        keyed = {"endpoint": server.endpoint, "api_key": "ours"}
        async with routed(keyed) as running:
            async with running.chat(headers={"Authorization": "Bearer theirs"}):
                pass

    assert server.exchanges[0].headers["authorization"] == "Bearer ours"


@pytest.mark.parametrize("asked", ["true", "false", None])
async def test_debug_headers_are_for_those_who_ask(asked):
    facts = Facts({"keyword": Reading({"urgent": None})})
    headers = {} if asked is None else {"X-VSR-Debug": asked}
    async with plane(FakeUpstream(), facts=facts) as running:
        async with running.chat(headers=headers) as response:
            pass

    told = asked == "true"
    assert (response.headers.get("x-vsr-matched-keywords") == "urgent") is told
    assert ("x-vsr-selected-reasoning" in response.headers) is told


async def test_upstream_errors_pass_unchanged():
    refused = b'{"error":{"message":"too long","type":"BadRequestError","code":400}}'
    script = answering(plain(refused, "400 Bad Request"))
    async with backend(script) as server, routed(server.endpoint) as running:
        async with running.chat({"model": "auto", "messages": HI, "stream": True}) as response:
            assert (response.status, await response.read()) == (400, refused)

    assert response.headers["x-vsr-response-path"] == "upstream"


async def test_five_megabytes_of_picture():
    url = "data:image/png;base64," + "A" * (5 << 20)
    sent = {
        "model": "auto",
        "messages": [
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
        ],
    }
    async with backend(answering(plain(b"{}"))) as server, routed(server.endpoint) as running:
        async with running.chat(sent) as response:
            assert response.status == 200

    assert server.exchanges[0].body == sent | {"model": "q"}


async def test_a_backend_that_hangs_up_after_each_answer():
    script = answering(plain(b"{}"), close=True)
    async with backend(script) as server, routed(server.endpoint) as running:
        for _ in range(20):
            async with running.chat() as response:
                assert response.status == 200

    assert server.connections == 20


async def test_a_dying_backend_is_replaced():
    async with backend(dying) as broken, backend(answering(plain(b"{}"))) as server:
        async with routed(broken.endpoint, server.endpoint) as running:
            for _ in range(10):
                async with running.chat() as response:
                    assert response.status == 200

    assert broken.exchanges


@pytest.mark.parametrize("status", [301, 302, 304, 307, 308])
async def test_a_redirect_is_a_502_and_where_to_is_not_told(status):
    script = answering(plain(b"", f"{status} Elsewhere", b"location: http://10.1.2.3/secret\r\n"))
    async with backend(script) as server, routed(server.endpoint) as running:
        async with running.chat() as response:
            shown = await response.text()

    assert (response.status, "redirect" in shown, f"({status})" in shown) == (502, True, True)
    assert "location" not in response.headers
    assert "10.1.2.3" not in shown


async def test_half_an_answer_is_a_502():
    head, _, body = plain(ANSWER).partition(b"\r\n\r\n")
    script = answering(head + b"\r\n\r\n" + body[:20], close=True)
    async with backend(script) as server, routed(server.endpoint) as running:
        async with running.chat() as response:
            shown = await response.json()

    assert (response.status, shown["error"]["code"]) == (502, "upstream_error")


async def test_other_streams_pass_too_and_break_visibly():
    lines = CHUNKED.replace(b"text/event-stream", b"application/x-ndjson")
    body = {"model": "auto", "messages": HI, "stream": True}
    whole = answering(lines + chunk(b'{"a":1}\n') + b"0\r\n\r\n")
    async with backend(whole) as server, routed(server.endpoint) as running:
        async with running.chat(body) as response:
            assert await response.read() == b'{"a":1}\n'
    broken = answering(lines + chunk(b'{"a":1}\n'), close=True)
    async with backend(broken) as server, routed(server.endpoint) as running:
        async with running.chat(body) as response:
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.read()


async def test_a_backend_that_compresses_anyway_is_passed_on_as_it_is():
    packed = gzip.compress(b"data: {}\n\n")
    head = CHUNKED.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip\r\n\r\n")
    script = answering(head + chunk(packed) + b"0\r\n\r\n")
    async with backend(script) as server, routed(server.endpoint) as running:
        async with running.chat({"model": "auto", "messages": HI, "stream": True}) as response:
            assert await response.read() == packed

    assert response.headers["content-encoding"] == "gzip"


async def test_identity_reaches_the_signals():
    fake = FakeUpstream()
    headers = {"X-Authz-User-Id": "ann", "X-Authz-User-Groups": "a,b"}
    async with plane(fake) as running, running.chat(headers=headers) as response:
        json.loads(await response.read())

    assert fake.calls[0][1].identity.groups == ("a", "b")


async def test_a_large_answer_is_handed_on_before_it_is_whole():
    release, piece = asyncio.Event(), b"x" * (1 << 20)

    async def script(exchange):
        await exchange.write(CHUNKED.replace(b"text/event-stream", b"application/json"))
        for _ in range(10):
            await exchange.write(chunk(piece))
        await release.wait()
        await exchange.write(chunk(b"end") + b"0\r\n\r\n")

    async with backend(script) as server, routed(server.endpoint) as running:
        async with asyncio.timeout(10), running.chat() as response:
            release.set()  # the headers are here, and the answer is not
            body = await response.read()

    assert body == piece * 10 + b"end"
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-vsr-response-path"] == "upstream"
    assert "cache-control" not in response.headers


async def test_a_large_answer_that_breaks_is_seen_to_break():
    head = CHUNKED.replace(b"text/event-stream", b"application/json")
    script = answering(head, chunk(b"x" * (9 << 20)), close=True)
    async with backend(script) as server, routed(server.endpoint) as running:
        with pytest.raises(aiohttp.ClientError):
            async with running.chat() as response:
                await response.read()


@pytest.mark.parametrize("model", ["auto", "q"])
@pytest.mark.parametrize(
    ("messages", "param"),
    [
        pytest.param([], "messages", id="none"),
        pytest.param([{"role": "user"}], "messages[0].content", id="absent"),
        pytest.param([*HI, {"role": "user", "content": None}], "messages[1].content", id="null"),
        pytest.param([{"role": "user", "content": []}], "messages[0].content", id="no parts"),
    ],
)
async def test_a_chat_that_asks_nothing_is_refused_as_openai_does(model, messages, param):
    async with backend(answering(plain(b"{}"))) as server, routed(server.endpoint) as running:
        async with running.chat({"model": model, "messages": messages}) as response:
            error = (await response.json())["error"]

    assert (response.status, error["type"], error["param"]) == (400, "invalid_request_error", param)
    assert server.exchanges == []


async def test_a_turn_that_calls_a_tool_needs_no_content():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        *HI,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "sunny"},
    ]
    async with backend(answering(plain(b"{}"))) as server, routed(server.endpoint) as running:
        async with running.chat({"model": "auto", "messages": messages}) as response:
            await response.read()

    assert response.status == 200
    assert server.exchanges[0].body["messages"] == messages
