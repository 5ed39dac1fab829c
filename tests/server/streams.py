"""Streams of a scripted backend, read through the data plane."""

import json

from tests.server.plane import routed
from tests.upstream.scripted import CHUNKED, answering, backend, chunk

BODY = {"model": "auto", "messages": [{"role": "user", "content": "hi"}], "stream": True}
DONE = b"data: [DONE]\n\n"
END = b"0\r\n\r\n"


def word(text, **delta):
    data = {"choices": [{"index": 0, "delta": {"content": text, **delta}, "finish_reason": None}]}
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def whole(*events):
    """Each event in a chunk of its own."""
    return answering(CHUNKED, *map(chunk, events), END)


async def streamed(script, **options):
    async with backend(script) as server, routed(server.endpoint, **options) as running:
        async with running.chat(BODY) as response:
            return response, await response.read(), running
