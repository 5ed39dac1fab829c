"""A closed-loop HTTP/1.1 load generator on raw protocols: small enough not to be the bottleneck.

Each connection sends the same request again as soon as the answer is complete. Times are per
request: first byte of the body and last byte, in seconds from the send.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from statistics import quantiles
from typing import cast


@dataclass(slots=True)
class Sample:
    """What one run saw. `total` and `first` are seconds, one entry a request."""

    total: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    failures: int = 0
    seconds: float = 0.0

    def rate(self) -> float:
        return len(self.total) / self.seconds if self.seconds else 0.0

    def percentile(self, percent: int, which: str = "total") -> float:
        values = self.total if which == "total" else self.first
        return quantiles(values, n=100)[percent - 1] if len(values) > 1 else float("nan")


class Connection(asyncio.Protocol):
    """One keep-alive connection. Understands Content-Length and chunked answers, no more."""

    def __init__(self, request: bytes, sample: Sample, stop: float) -> None:
        self.request, self.sample, self.stop = request, sample, stop
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.buffer = b""
        self.sent = self.first = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is one by shape only
        self._send()

    def _send(self) -> None:
        self.buffer, self.first, self.sent = b"", 0.0, time.perf_counter()
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, separator, body = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return
        if body and not self.first:
            self.first = time.perf_counter()
        if self._complete(head.lower(), body):
            self._finish(head)

    @staticmethod
    def _complete(head: bytes, body: bytes) -> bool:
        if b"transfer-encoding: chunked" in head:
            return body.endswith(b"0\r\n\r\n")
        _, _, length = head.partition(b"content-length: ")
        return len(body) >= int(length.split(b"\r\n", 1)[0] or 0)

    def _finish(self, head: bytes) -> None:
        now = time.perf_counter()
        if b" 200 " in head.split(b"\r\n", 1)[0]:
            self.sample.total.append(now - self.sent)
            self.sample.first.append((self.first or now) - self.sent)
        else:
            self.sample.failures += 1
        if now < self.stop:
            self._send()
        else:
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if error is not None:
            self.sample.failures += 1
        if not self.done.done():
            self.done.set_result(None)


def chat_request(port: int, body: dict[str, object], key: str = "sk-perf") -> bytes:
    """The bytes of one POST /v1/chat/completions."""
    payload = json.dumps(body).encode()
    return (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Content-Type: application/json\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Length: {len(payload)}\r\n\r\n"
    ).encode() + payload


async def drive(port: int, requests: list[bytes], concurrency: int, seconds: float) -> Sample:
    """Run `concurrency` connections for `seconds`; connection i repeats requests[i % n]."""
    loop, sample = asyncio.get_running_loop(), Sample()
    started = time.perf_counter()
    connections: list[Connection] = []
    for index in range(concurrency):
        request = requests[index % len(requests)]
        _, connection = await loop.create_connection(
            lambda request=request: Connection(request, sample, started + seconds),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
        connections.append(connection)
    async with asyncio.timeout(seconds + 60):
        await asyncio.gather(*(connection.done for connection in connections))
    sample.seconds = time.perf_counter() - started
    return sample
