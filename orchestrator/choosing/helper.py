"""Asks a model of the policy which of the candidates should answer, through its own backends."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from orchestrator.errors import RouterError, UpstreamError, UpstreamTimeout
from orchestrator.matching.samples import sample
from orchestrator.protocols.chat_completions import parse
from orchestrator.selection import Question
from orchestrator.types import Candidate, Request
from orchestrator.upstream import Upstream

MOST_BYTES = 8_192  # of the text that the helper reads
MOST_ANSWER = 65_536  # bytes of its answer
MOST_TOKENS = 256


async def ask(upstream: Upstream, question: Question, request: Request) -> tuple[str, str]:
    """What the helper says, and why it says nothing; one of the two is empty."""
    try:
        async with asyncio.timeout(question.seconds):
            return await _content(upstream, question, request), ""
    except TimeoutError:
        return "", UpstreamTimeout.code
    except RouterError as error:
        return "", error.code


async def _content(upstream: Upstream, question: Question, request: Request) -> str:
    text, _ = sample(request.text, MOST_BYTES)
    body: dict[str, Any] = {
        "model": question.model,
        "messages": [
            {"role": "system", "content": question.instructions},
            {"role": "user", "content": text},
        ],
        "temperature": 0,
        "max_tokens": MOST_TOKENS,
    }
    # The key that the client brought may be the one that the backend wants.
    headers = {name: v for name, v in request.headers.items() if name == "authorization"}
    asked = parse(body, headers)
    raw = b""
    async with upstream.open(Candidate(question.model), asked, "routed") as answer:
        async for chunk in answer.chunks:
            raw += chunk
            if len(raw) > MOST_ANSWER:
                raise UpstreamError("the helper's answer is too long")
        if answer.status != 200:
            raise UpstreamError(f"the helper answered {answer.status}")
    try:
        content = orjson.loads(raw)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError):
        raise UpstreamError("the helper's answer is no chat completion") from None
    if not isinstance(content, str):
        raise UpstreamError("the helper's answer has no text")
    return content
