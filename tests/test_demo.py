import json
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from orchestrator.demo import Delays, answer_text, application

HI = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {}}}


@asynccontextmanager
async def demo(**options):
    runner = web.AppRunner(application(**options), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        async with aiohttp.ClientSession(url) as http:
            yield http
    finally:
        await runner.cleanup()


async def events(response):
    lines = (await response.text()).split("\n\n")
    return [line.removeprefix("data: ") for line in lines if line]


@pytest.mark.parametrize(
    "fields, text",
    [
        ({}, "model m answered; thinking=off"),
        ({"chat_template_kwargs": None, "thinking": None}, "model m answered; thinking=off"),
        (
            {"chat_template_kwargs": {"enable_thinking": False}},
            'model m answered; thinking=off; chat_template_kwargs={"enable_thinking": false}',
        ),
        (
            {"chat_template_kwargs": {"enable_thinking": True}},
            'model m answered; thinking=on; chat_template_kwargs={"enable_thinking": true}',
        ),
        ({"thinking": {"type": "enabled"}}, "model m answered; thinking=on"),
        ({"reasoning_effort": "high"}, "model m answered; thinking=on"),
    ],
    ids=["plain", "nulls", "off", "on", "deepseek", "effort"],
)
def test_what_it_says(fields, text):
    assert answer_text(HI | fields) == text


async def test_a_whole_answer():
    async with demo() as http, http.post("/v1/chat/completions", json=HI) as response:
        body = await response.json()

    assert body["choices"][0]["message"]["content"] == "model m answered; thinking=off"
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["usage"]["total_tokens"] > 0


@pytest.mark.parametrize("usage", [True, False])
async def test_a_stream(usage):
    sent = HI | {"stream": True, "stream_options": {"include_usage": usage}}
    async with demo(delays=Delays(0.001, 0.001)) as http:
        async with http.post("/v1/chat/completions", json=sent) as response:
            *chunks, done = await events(response)

    parsed = [json.loads(chunk) for chunk in chunks]
    said = "".join(
        choice["delta"].get("content", "") for chunk in parsed for choice in chunk["choices"]
    )
    assert (said.strip(), done) == ("model m answered; thinking=off", "[DONE]")
    assert ("usage" in parsed[-1]) is usage


@pytest.mark.parametrize("content, called", [("hello", False), ("please call it", True)])
@pytest.mark.parametrize("stream", [True, False])
async def test_a_tool_is_called_on_demand(content, called, stream):
    sent = {"model": "m", "messages": [{"role": "user", "content": content}], "tools": [TOOL]}
    async with demo() as http:
        async with http.post("/v1/chat/completions", json=sent | {"stream": stream}) as response:
            text = await response.text()

    assert ('"name": "weather"' in text) is called
    assert ('"finish_reason": "tool_calls"' in text) is called


async def test_it_shows_the_last_body_and_lists_its_models():
    async with demo(models=["a", "b"]) as http:
        async with http.post("/v1/chat/completions", json=HI):
            pass
        async with http.get("/_last") as response:
            assert await response.json() == HI
        async with http.get("/v1/models") as response:
            assert [model["id"] for model in (await response.json())["data"]] == ["a", "b"]


async def test_a_request_without_messages_is_refused():
    async with demo() as http, http.post("/v1/chat/completions", json={}) as response:
        assert response.status == 400
