"""The helper is asked as any model is, and whatever goes wrong has a code."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from orchestrator.choosing.helper import ask
from orchestrator.errors import UpstreamError, UpstreamUnavailable
from orchestrator.protocols.chat_completions import parse
from orchestrator.selection import Question
from orchestrator.types import Candidate
from orchestrator.upstream.fake import FakeUpstream

QUESTION = Question("helper", "choose", 5.0)
MESSAGES = [{"role": "system", "content": "secret"}, {"role": "user", "content": "prove it"}]
REQUEST = parse(
    {"model": "auto", "messages": MESSAGES, "stream": True},
    {"authorization": "Bearer k", "cookie": "c"},
)


def completion(content):
    return json.dumps({"choices": [{"message": {"content": content}}]}).encode()


async def test_what_is_asked():
    upstream = FakeUpstream([completion("large")[:9], completion("large")[9:]])

    assert await ask(upstream, QUESTION, REQUEST) == ("large", "")
    ((candidate, asked, how),) = upstream.calls
    assert (candidate, how, asked.stream) == (Candidate("helper"), "routed", False)
    assert [one["content"] for one in asked.body["messages"]] == ["choose", "prove it"]
    assert asked.headers == {"authorization": "Bearer k"}
    assert upstream.closed == 1


@pytest.mark.parametrize(
    ("upstream", "code"),
    [
        pytest.param(
            FakeUpstream(refusal=UpstreamUnavailable("no")), "upstream_unavailable", id="away"
        ),
        pytest.param(FakeUpstream([UpstreamError("broke")]), "upstream_error", id="breaks"),
        pytest.param(FakeUpstream([completion("x")], 500), "upstream_error", id="500"),
        pytest.param(FakeUpstream([b"{}"]), "upstream_error", id="no completion"),
        pytest.param(FakeUpstream([completion(None)]), "upstream_error", id="no text"),
        pytest.param(FakeUpstream([b" " * 70_000]), "upstream_error", id="endless"),
    ],
)
async def test_failures(upstream, code):
    assert await ask(upstream, QUESTION, REQUEST) == ("", code)


async def test_a_helper_that_is_late():
    class Late:
        @asynccontextmanager
        async def open(self, candidate, request, resolution):
            await asyncio.Event().wait()
            yield

    assert await ask(Late(), Question("helper", "", 0.01), REQUEST) == ("", "upstream_timeout")
