"""The cheapest OpenAI-compatible upstream there is: canned bytes from a raw protocol.

JSON by default; 22 server-sent events when the request says "stream": true.
`python -m perf.upstream PORT`
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import cast

import uvloop

CHUNKS = 20


def _json_answer() -> bytes:
    body = json.dumps(
        {
            "id": "chatcmpl-perf",
            "object": "chat.completion",
            "created": 0,
            "model": "perf",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": "word " * 40},
                }
            ],
            "usage": {"prompt_tokens": 20, "completion_tokens": 40, "total_tokens": 60},
        }
    ).encode()
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _stream_answer() -> bytes:
    def event(delta: dict[str, str], finish: str | None) -> bytes:
        data = json.dumps(
            {
                "id": "chatcmpl-perf",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "perf",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
            }
        )
        return f"data: {data}\n\n".encode()

    events = [event({"role": "assistant", "content": ""}, None)]
    events += [event({"content": "word "}, None) for _ in range(CHUNKS)]
    events += [event({}, "stop"), b"data: [DONE]\n\n"]
    framed = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in events)
    return (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
        b"transfer-encoding: chunked\r\n\r\n" + framed + b"0\r\n\r\n"
    )


class Canned(asyncio.Protocol):
    json_answer = _json_answer()
    stream_answer = _stream_answer()

    def __init__(self) -> None:
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is one by shape only

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, separator, body = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return
        _, _, length = head.lower().partition(b"content-length: ")
        if len(body) < int(length.split(b"\r\n", 1)[0] or 0):
            return
        streamed = b'"stream":true' in body or b'"stream": true' in body
        self.transport.write(self.stream_answer if streamed else self.json_answer)
        self.buffer = b""


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Canned, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
