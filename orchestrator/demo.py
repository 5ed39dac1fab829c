"""An OpenAI-compatible server that answers with what it was asked, for demonstrations and tests.

It stands in for vLLM where there is none: the answer names the model and says whether thinking
was on. It knows nothing of the router.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

DEFAULT_MODELS = ("demo",)


@dataclass(frozen=True, slots=True)
class Delays:
    """Seconds: before the answer begins, and between two words of a stream."""

    first: float = 0.0
    between: float = 0.0


@dataclass(slots=True)
class Seen:
    """The last body received; served under /_last to callers on this machine."""

    body: Any = None


DELAYS = web.AppKey("delays", Delays)
MODELS = web.AppKey("models", tuple)
SEEN = web.AppKey("seen", Seen)


def application(
    models: Sequence[str] = DEFAULT_MODELS, delays: Delays | None = None
) -> web.Application:
    """The server. It accepts any model name; `models` are the ones it lists."""
    app = web.Application(client_max_size=64 << 20)
    app[DELAYS], app[MODELS], app[SEEN] = delays or Delays(), tuple(models), Seen()
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/v1/models", list_models)
    app.router.add_get("/_last", last)
    return app


async def list_models(request: web.Request) -> web.Response:
    data = [
        {"id": name, "object": "model", "created": 0, "owned_by": "demo"}
        for name in request.app[MODELS]
    ]
    return web.json_response({"object": "list", "data": data})


async def last(request: web.Request) -> web.Response:
    """The last body, to this machine only: it may hold a prompt."""
    if not ipaddress.ip_address(request.remote or "0.0.0.0").is_loopback:
        raise web.HTTPForbidden
    return web.json_response(request.app[SEEN].body)


async def chat(request: web.Request) -> web.StreamResponse:
    body = request.app[SEEN].body = await request.json()
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        error = {"message": "messages is required", "type": "invalid_request_error"}
        return web.json_response({"error": error | {"param": "messages", "code": None}}, status=400)
    delays = request.app[DELAYS]
    await asyncio.sleep(delays.first)
    if not body.get("stream"):
        return web.json_response(_completion(body))
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    async for event in _events(body, delays.between):
        await response.write(event)
    return response


def answer_text(body: dict[str, Any]) -> str:
    """What the demo model says: its name, how it was told to think, and the arguments it got."""
    kwargs = body.get("chat_template_kwargs") or {}
    thinking = body.get("thinking") or {}
    switched = kwargs.get("enable_thinking") or kwargs.get("thinking")
    on = bool(switched or thinking.get("type") == "enabled" or body.get("reasoning_effort"))
    text = f"model {body.get('model')} answered; thinking={'on' if on else 'off'}"
    return f"{text}; chat_template_kwargs={json.dumps(kwargs, sort_keys=True)}" if kwargs else text


def tool_call(body: dict[str, Any]) -> dict[str, Any] | None:
    """A call of the first tool, where there is one and the last message says "call"."""
    tools, messages = body.get("tools"), body["messages"]
    content = messages[-1].get("content") if messages else ""
    if not tools or "call" not in str(content):
        return None
    name = tools[0]["function"]["name"]
    return {"id": "call_demo", "type": "function", "function": {"name": name, "arguments": "{}"}}


def _usage(body: dict[str, Any]) -> dict[str, int]:
    """Tokens at four characters each: a demonstration, not a count."""
    asked, answered = len(str(body["messages"])) // 4, len(answer_text(body)) // 4
    return {
        "prompt_tokens": asked,
        "completion_tokens": answered,
        "total_tokens": asked + answered,
    }


def _head(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-demo",
        "object": kind,
        "created": int(time.time()),
        "model": body.get("model"),
    }


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    call = tool_call(body)
    message: dict[str, Any] = {"role": "assistant", "content": None if call else answer_text(body)}
    if call:
        message["tool_calls"] = [call]
    finish = "tool_calls" if call else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    return _head(body, "chat.completion") | {"choices": [choice], "usage": _usage(body)}


async def _events(body: dict[str, Any], pause: float) -> AsyncIterator[bytes]:
    head = _head(body, "chat.completion.chunk")

    def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _event(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield event({"role": "assistant", "content": ""})
    if call := tool_call(body):
        yield event({"tool_calls": [{"index": 0} | call]})
    else:
        for word in answer_text(body).split(" "):
            await asyncio.sleep(pause)
            yield event({"content": word + " "})
    yield event({}, "tool_calls" if call else "stop")
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _event(head | {"choices": [], "usage": _usage(body)})
    yield b"data: [DONE]\n\n"


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"
