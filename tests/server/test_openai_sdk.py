"""The OpenAI SDK against the router and the demo upstream, over real sockets."""

import asyncio
from contextlib import asynccontextmanager

import openai
import pytest
from aiohttp import web

from orchestrator import demo
from tests.server.plane import routed
from tests.upstream.scripted import CHUNKED, answering, backend, chunk

HI = [{"role": "user", "content": "hi"}]
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
OFF = "model q answered; thinking=off"


@asynccontextmanager
async def demo_upstream():
    runner = web.AppRunner(demo.application(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def client(*refs, **options):
    async with routed(*refs, **options) as running:
        async with openai.AsyncOpenAI(
            base_url=f"{running.url}/v1", api_key="sk-client", max_retries=0
        ) as sdk:
            yield sdk


@asynccontextmanager
async def demo_client(**options):
    async with demo_upstream() as endpoint, client(endpoint, **options) as sdk:
        yield sdk


async def test_async():
    async with demo_client() as sdk:
        answer = await sdk.chat.completions.create(model="auto", messages=HI)

    assert answer.choices[0].message.content == OFF
    assert answer.usage.total_tokens > 0


async def test_sync():
    def ask(url):
        with openai.OpenAI(base_url=url, api_key="sk", max_retries=0) as sdk:
            answer = sdk.chat.completions.create(model="auto", messages=HI)
            pieces = sdk.chat.completions.create(model="auto", messages=HI, stream=True)
            said = "".join(piece.choices[0].delta.content or "" for piece in pieces)
        return answer.choices[0].message.content, said.strip()

    async with demo_upstream() as endpoint, routed(endpoint) as running:
        assert await asyncio.to_thread(ask, f"{running.url}/v1") == (OFF, OFF)


@pytest.mark.parametrize("usage", [True, False])
async def test_streaming(usage):
    async with demo_client() as sdk:
        stream = await sdk.chat.completions.create(
            model="auto", messages=HI, stream=True, stream_options={"include_usage": usage}
        )
        chunks = [piece async for piece in stream]

    said = "".join(piece.choices[0].delta.content or "" for piece in chunks if piece.choices)
    assert said.strip() == OFF
    assert (chunks[-1].usage is not None) is usage
    assert all(piece.choices for piece in chunks[:-1])


async def test_tools():
    asked = [{"role": "user", "content": "call the weather"}]
    async with demo_client() as sdk:
        answer = await sdk.chat.completions.create(model="auto", messages=asked, tools=TOOLS)
        call = answer.choices[0].message.tool_calls[0]
        turn = [
            *asked,
            {"role": "assistant", "content": None, "tool_calls": [call.model_dump()]},
            {"role": "tool", "tool_call_id": call.id, "content": "sunny"},
        ]
        final = await sdk.chat.completions.create(model="auto", messages=turn, tools=TOOLS)
        stream = await sdk.chat.completions.create(
            model="auto", messages=asked, tools=TOOLS, stream=True
        )
        deltas = [
            call
            async for piece in stream
            for choice in piece.choices
            for call in choice.delta.tool_calls or []
        ]

    assert (call.function.name, final.choices[0].message.content) == ("weather", OFF)
    assert [delta.function.name for delta in deltas] == ["weather"]


async def test_extra_body_and_policy():
    extra = {"chat_template_kwargs": {"custom": 1, "enable_thinking": False}, "top_k": 4}
    options = {
        "model": {"reasoning_family": "qwen3"},
        "refs": ({"model": "q", "use_reasoning": True},),
    }
    async with demo_client(**options) as sdk:
        routed_answer = await sdk.chat.completions.create(
            model="auto", messages=HI, extra_body=extra
        )
        named_answer = await sdk.chat.completions.create(model="q", messages=HI, extra_body=extra)

    assert (
        'kwargs={"custom": 1, "enable_thinking": true}' in routed_answer.choices[0].message.content
    )
    assert (
        'kwargs={"custom": 1, "enable_thinking": false}' in named_answer.choices[0].message.content
    )


async def test_headers_and_models():
    async with demo_client() as sdk:
        raw = await sdk.chat.completions.with_raw_response.create(model="auto", messages=HI)
        listed = [model.id async for model in sdk.models.list()]
        one = await sdk.models.retrieve("team/fast")

    assert raw.headers["x-vsr-selected-model"] == "q"
    assert raw.headers["x-vsr-selected-confidence"] == "0.0000"
    assert (listed, one.id) == (["auto", "team/fast", "q"], "team/fast")


async def test_errors_are_the_sdks_own():
    async with client("127.0.0.1:9") as sdk:
        with pytest.raises(openai.NotFoundError) as unknown:
            await sdk.chat.completions.create(model="nobody", messages=HI)
        with pytest.raises(openai.BadRequestError) as malformed:
            await sdk.chat.completions.create(model="auto", messages=[*HI, {"role": "user"}])
        with pytest.raises(openai.InternalServerError) as down:
            await sdk.chat.completions.create(model="auto", messages=HI)

    assert unknown.value.code == "model_not_found"
    assert malformed.value.param == "messages[1].content"
    assert (down.value.status_code, down.value.code) == (503, "upstream_unavailable")


@pytest.mark.parametrize("tail", [b"", b'data: {"choi'], ids=["between events", "mid-event"])
async def test_a_truncated_stream_raises_an_api_error(tail):
    event = b'data: {"id":"1","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
    script = answering(CHUNKED + chunk(event * 3 + tail), close=True)
    got = []
    async with backend(script) as server, client(server.endpoint) as sdk:
        with pytest.raises(openai.APIError, match="broke before the answer was complete"):
            async for piece in await sdk.chat.completions.create(
                model="auto", messages=HI, stream=True
            ):
                got.append(piece.choices[0].delta.content)

    assert got == ["a", "a", "a"]
