"""Chat requests: to the router over HTTP or any other proxy, and to the router in Triton.

HTTP is asked by plain streams: a client of Python's own would cost more than the router.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack

import grpc
import numpy as np
from tritonclient.grpc import InferenceServerException, InferInput
from tritonclient.grpc.aio import InferenceServerClient

from orchestrator.app.fleet import ROUTER
from perf.arms import Ready
from perf.arms.loop import Wrong
from perf.arms.repositories import steps
from perf.arms.triton import BY, Served, Statistics, driven
from perf.requests import Item
from perf.scenario import PICTURES
from perf.signals_process import SIGNALS

PATIENCE_S = 90.0
UNKNOWN = b"x-tsr-signals-unknown"


async def in_triton(server: Served, models: Sequence[str], stack: AsyncExitStack) -> Ready:
    """`semantic_router`, which answers with a route and forwards nothing."""
    client = InferenceServerClient(server.url)
    stack.push_async_callback(client.close)

    async def ask(item: Item) -> None:
        await routed(client, item)

    counts = _statistics(server, models, stack)
    return driven(ask, [server.pid], BY, counts, late=False)


async def routed(client: InferenceServerClient, item: Item) -> None:
    tensor = InferInput("REQUEST", [1, 1], "BYTES")
    tensor.set_data_from_numpy(np.array([[json.dumps(item.chat()).encode()]], np.object_))
    try:
        await client.infer(ROUTER, [tensor], client_timeout=PATIENCE_S)
    except InferenceServerException as error:
        raise Wrong(error.message()) from error


async def over_http(
    port: int,
    pid: int,
    stack: AsyncExitStack,
    key: str = "sk-perf",
    server: Served | None = None,
    models: Sequence[str] = (),
) -> Ready:
    """POST /v1/chat/completions. `server`: the Triton that the router on this port asks. A router
    that gave a signal up has not done what is measured, so that this counts as failure; not where
    it looks at pictures, as one of a kind that the encoder does not know leaves its rule unknown.
    """
    free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    opened: list[asyncio.StreamWriter] = []
    stack.callback(_close, opened)
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    head += f"Content-Type: application/json\r\nAuthorization: Bearer {key}\r\nContent-Length: "

    async def ask(item: Item) -> float:
        payload = json.dumps(item.chat()).encode()
        try:
            while free and free[-1][0].at_eof():  # closed by the server, as it was idle
                free.pop()
            if free:
                reader, writer = free.pop()
            else:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                opened.append(writer)
            writer.write(f"{head}{len(payload)}\r\n\r\n".encode() + payload)
            status, unknown, first = await _answer(reader)
        except (asyncio.IncompleteReadError, OSError) as error:
            raise Wrong(f"no answer: {error}") from error
        free.append((reader, writer))
        if status != 200:
            raise Wrong(f"status {status}")
        if unknown and PICTURES not in models:
            raise Wrong(f"signals unknown: {unknown}")
        return first

    counts = _statistics(server, models, stack) if server else None
    pids = [pid, server.pid] if server else [pid]
    return driven(ask, pids, "asyncio", counts, late=False)


def _close(opened: Sequence[asyncio.StreamWriter]) -> None:
    for writer in opened:
        writer.close()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, str, float]:
    """Status, families that were unknown, and when the first byte of the body was there; reads the
    answer to its end.
    """
    status, *fields = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
    headers = dict(field.split(b": ", 1) for field in fields if field)
    if headers.get(b"transfer-encoding") == b"chunked":
        first = 0.0
        while size := int(await reader.readuntil(b"\r\n"), 16):
            first = first or time.perf_counter()
            await reader.readexactly(size + 2)
        await reader.readexactly(2)
    else:
        length = int(headers[b"content-length"])
        body = await reader.readexactly(min(1, length))
        first = time.perf_counter()
        await reader.readexactly(length - len(body))
    return int(status.split()[1]), headers.get(UNKNOWN, b"").decode(), first


def _statistics(server: Served, models: Sequence[str], stack: AsyncExitStack) -> Statistics | None:
    """Of the text classifiers where the policy asks them, or else of what it asks."""
    if not models:
        return None
    channel = grpc.aio.insecure_channel(server.url)
    stack.push_async_callback(channel.close)
    return Statistics(channel, SIGNALS if SIGNALS in models else steps(models[0])[-1])
