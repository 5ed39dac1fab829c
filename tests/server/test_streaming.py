"""Streams: every byte, as it comes, and an honest end."""

import asyncio
import json
from pathlib import Path

import pytest

from orchestrator.upstream.client import Timeouts
from tests.processes import LIMIT_S
from tests.server.plane import routed
from tests.server.streams import BODY, DONE, END, streamed, whole, word
from tests.upstream.scripted import CHUNKED, answering, backend, chunk

GOLDEN = Path(__file__).parent.parent / "golden"


TWO_CALLS = b'data: {"choices":[{"delta":{"tool_calls":[{"index":0},{"index":0}]}}]}\n\n'
USAGE = b'data: {"choices":[],"usage":{"total_tokens":3}}\n\n'


@pytest.mark.parametrize(
    "events",
    [
        [word("a"), word("b"), DONE],
        [word("\u2028 \x85 \x0b \x1c"), DONE],
        [word("é 漢字 😀"), DONE],
        [word("", reasoning="x"), word("", reasoning_content="y"), DONE],
        [word("a"), USAGE, DONE],
        [TWO_CALLS, DONE],
        [b": ping\n\n", b"event: x\r\ndata: {}\r\n\r\n", DONE],
    ],
    ids=["words", "line separators", "multi-byte", "reasoning", "usage", "tool calls", "framing"],
)
@pytest.mark.parametrize("piece", [1, 7, 1 << 20], ids=["bytes", "sevens", "whole"])
async def test_bytes_are_identical(events, piece):
    data = b"".join(events)
    pieces = [data[at : at + piece] for at in range(0, len(data), piece)]

    response, body, _ = await streamed(whole(*pieces))

    assert body == data
    assert response.headers["content-type"] == "text/event-stream"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["x-accel-buffering"] == "no"
    assert "content-length" not in response.headers
    assert "content-encoding" not in response.headers


async def test_an_event_of_two_megabytes():
    data = word("x" * (2 << 20)) + DONE

    _, body, _ = await streamed(whole(data))

    assert body == data


async def test_events_are_not_held_back():
    release = asyncio.Event()

    async def script(exchange):
        await exchange.write(CHUNKED + chunk(word("first")))
        await release.wait()
        await exchange.write(chunk(DONE) + END)

    async with backend(script) as server, routed(server.endpoint) as running:
        async with running.chat(BODY) as response, asyncio.timeout(LIMIT_S):
            assert await response.content.readany() == word("first")
            release.set()
            assert await response.content.read() == DONE


def broken(error):
    return b'data: {"error":{"message":"' + error


@pytest.mark.parametrize(
    "sent, end, kept",
    [
        ([word("a")] * 40, "abort", b"".join([word("a")] * 40)),
        ([word("a")] * 40, "close", b"".join([word("a")] * 40)),
        ([word("a"), b'data: {"choi'], "close", word("a")),
        ([word("a"), b'data: {"a":1}\n'], "close", word("a")),
        ([], "close", b""),
        ([word("a")] * 3, "finish", b"".join([word("a")] * 3)),
    ],
    ids=["killed", "closed", "mid-line", "mid-event", "at once", "ended without DONE"],
)
async def test_a_truncated_stream_ends_with_an_error(sent, end, kept):
    async def script(exchange):
        await exchange.write(CHUNKED + b"".join(map(chunk, sent)))
        if end == "finish":
            await exchange.write(END)
        elif end == "close":
            exchange.close()
        else:
            while running.metric("llm_model_ttft_seconds_count") < 1:
                await asyncio.sleep(0.001)
            exchange.abort()

    async with backend(script) as server, routed(server.endpoint) as running:
        async with running.chat(BODY) as response:
            body = await response.read()
        assert running.metric("tsr_upstream_stream_truncated_total") == 1
        assert running.metric("llm_request_errors_total") == 1
        assert running.metric("tsr_inflight_requests") == 0

    assert response.status == 200
    assert body.startswith(kept)
    error = json.loads(body[len(kept) :].removeprefix(b"data: "))["error"]
    assert (error["type"], error["code"]) == ("upstream_error", "upstream_error")
    assert b"[DONE]" not in body


@pytest.mark.parametrize(
    "last, complete",
    [(DONE, True), (DONE[:-1], True), (b"", False), (b'data: {"choi', False)],
    ids=["whole", "no last line end", "ended without DONE", "mid-event"],
)
async def test_an_answer_and_its_end_may_come_in_one_piece(last, complete):
    data = word("a") + last

    _, body, running = await streamed(answering(CHUNKED + chunk(data) + END))

    assert body.startswith(word("a"))
    assert (body == data) is complete
    assert (b'"error"' in body) is not complete
    assert running.metric("tsr_upstream_stream_truncated_total") == (not complete)


async def test_the_truncated_stream_matches_the_golden_file():
    _, body, _ = await streamed(answering(CHUNKED, chunk(word("half")), chunk(b"da"), close=True))

    assert body == (GOLDEN / "truncated_stream.txt").read_bytes()


async def test_some_servers_never_say_done():
    finish = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'

    _, body, running = await streamed(whole(word("a"), finish, USAGE))

    assert body == word("a") + finish + USAGE
    assert running.metric("tsr_upstream_stream_truncated_total") == 0


async def test_a_slow_stream_outlives_every_limit():
    async def script(exchange):
        await exchange.write(CHUNKED)
        for _ in range(13):
            await asyncio.sleep(0.05)
            await exchange.write(chunk(word("slow")))
        await exchange.write(chunk(DONE) + END)

    limits = Timeouts(connect=0.6, idle=0.6, answer=0.6)
    _, body, _ = await streamed(script, timeouts=limits)

    assert body == word("slow") * 13 + DONE


async def test_silence_ends_a_stream():
    async def script(exchange):
        await exchange.write(CHUNKED + chunk(word("a")))
        await exchange.left.wait()

    _, body, _ = await streamed(script, timeouts=Timeouts(idle=0.5))

    assert body.startswith(word("a"))
    assert b'"code":"upstream_timeout"' in body


@pytest.mark.parametrize("last", [DONE, DONE[:-1]], ids=["event", "no blank line"])
async def test_a_break_behind_the_end_of_the_answer_is_no_error(last):
    script = answering(CHUNKED, chunk(word("a") + last), close=True)

    _, body, running = await streamed(script)

    assert body == word("a") + last
    assert running.metric("tsr_upstream_stream_truncated_total") == 0
