"""A backend that a test scripts byte by byte over a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

CHUNKED = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def plain(body: bytes, status: str = "200 OK", extra: bytes = b"") -> bytes:
    """A whole answer."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return head.encode() + extra + b"\r\n" + body


@dataclass
class Exchange:
    """One request, and the means to answer it."""

    path: str
    headers: dict[str, str]
    raw: bytes
    transport: asyncio.Transport
    left: asyncio.Event  # the connection is gone
    writable: asyncio.Event  # the other side keeps up

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    async def write(self, data: bytes) -> None:
        self.transport.write(data)
        await self.writable.wait()

    def close(self) -> None:
        self.transport.close()

    def abort(self) -> None:
        if not self.left.is_set():  # asyncio does not let a lost connection be aborted
            self.transport.abort()


Script = Callable[[Exchange], Awaitable[None]]


@dataclass
class Scripted:
    """`script` answers every request; `exchanges` are those seen, `connections` their number."""

    script: Script
    port: int = 0
    connections: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    tasks: set[asyncio.Future[None]] = field(default_factory=set)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self.port}"

    def take(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        self.arrived.set()
        self.tasks.add(asyncio.ensure_future(self.script(exchange)))


class Connection(asyncio.Protocol):
    def __init__(self, scripted: Scripted) -> None:
        self.scripted = scripted
        self.buffer = bytearray()
        self.left = asyncio.Event()
        self.writable = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.writable.set()
        self.scripted.connections += 1

    def connection_lost(self, error: Exception | None) -> None:
        self.left.set()
        self.writable.set()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, _ = bytes(self.buffer[:65536]).partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines[1:])}
        start = len(head) + 4
        end = start + int(headers.get("content-length", 0))
        if found and len(self.buffer) >= end:
            raw = bytes(self.buffer[start:end])
            del self.buffer[:end]
            path = lines[0].split(" ")[1]
            self.scripted.take(
                Exchange(path, headers, raw, self.transport, self.left, self.writable)
            )


@asynccontextmanager
async def backend(script: Script) -> AsyncIterator[Scripted]:
    scripted = Scripted(script)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(scripted), "127.0.0.1", 0)
    scripted.port = server.sockets[0].getsockname()[1]
    try:
        yield scripted
    finally:
        server.close()
        for exchange in scripted.exchanges:
            exchange.abort()
        for task in scripted.tasks:
            task.cancel()
        failures = await asyncio.gather(*scripted.tasks, return_exceptions=True)
    assert not [failure for failure in failures if isinstance(failure, Exception)]


def answering(*pieces: bytes, close: bool = False) -> Script:
    """Writes `pieces` in turn; `close` then hangs up."""

    async def script(exchange: Exchange) -> None:
        for piece in pieces:
            await exchange.write(piece)
        if close:
            exchange.close()

    return script


async def silent(exchange: Exchange) -> None:
    """Never answers; ends when the other side leaves."""
    await exchange.left.wait()


async def dying(exchange: Exchange) -> None:
    """Dies of the request, before the first byte."""
    exchange.abort()
