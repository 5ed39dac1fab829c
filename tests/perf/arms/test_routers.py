import asyncio
import json
import os
from contextlib import AsyncExitStack, suppress

import pytest

from perf.arms import Load
from perf.arms.routers import over_http
from perf.requests import Item

HELLO = Item("hello")
OK = b"HTTP/1.1 200 OK\r\n"
PLAIN = b"content-length: 2\r\n\r\n{}"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n6\r\ndata: \r\n3\r\n1\n\n\r\n0\r\n\r\n"


async def asked(answer, item=HELLO, at_once=1, models=()):
    """What a cell sees whose requests are all answered so, and the bodies that came."""
    bodies = []
    connections = []

    async def serve(reader, writer):
        connections.append(asyncio.current_task())
        with suppress(asyncio.IncompleteReadError):  # the caller has closed it
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                bodies.append(json.loads(await reader.readexactly(length)))
                writer.write(answer)
                if not answer:
                    break
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with AsyncExitStack() as stack:
        port = server.sockets[0].getsockname()[1]
        ready = await over_http(port, os.getpid(), stack, models=models)
        seen = await ready.drive([item], Load(at_once=at_once), 1e-6)
    await asyncio.gather(*connections)
    server.close()
    return seen, bodies, len(connections)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param(
            b"HTTP/1.1 503 Service Unavailable\r\n" + PLAIN, "status 503", id="another status"
        ),
        pytest.param(
            OK + b"X-TSR-Signals-Unknown: domain,pii\r\n" + PLAIN,
            "signals unknown: domain,pii",
            id="a signal given up",
        ),
        pytest.param(b"", "no answer", id="a connection that ends"),
    ],
)
async def test_what_is_no_answer_is_a_failure(answer, why):
    seen, _, _ = await asked(answer)
    assert (seen.failures, seen.rate) == (2, 0.0)
    assert seen.why.startswith(why)


@pytest.mark.parametrize("body", [PLAIN, CHUNKED], ids=["JSON", "a stream"])
async def test_an_answer_is_read_to_its_end(body):
    """Or the next one on the connection would begin with its rest."""
    seen, bodies, connections = await asked(OK + body, at_once=2)
    assert (seen.failures, len(bodies), connections) == (0, 4, 2)
    assert 0 < seen.first_ms


async def test_requests_arrive_as_they_are():
    item = Item("hello", b"picture", "png", tools=2, stream=True)
    _, bodies, _ = await asked(OK + CHUNKED, item)
    assert bodies == [item.chat()] * 2


async def test_a_picture_of_a_kind_that_nobody_knows_is_no_failure():
    answer = OK + b"x-tsr-signals-unknown: embedding\r\n" + PLAIN
    seen, _, _ = await asked(answer, models=["image_signals"])
    assert seen.failures == 0


async def test_a_connection_that_the_server_closed_meanwhile_is_not_used():
    accepted = []

    async def serve(reader, writer):
        accepted.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK + PLAIN)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with AsyncExitStack() as stack:
        ready = await over_http(server.sockets[0].getsockname()[1], os.getpid(), stack)
        for _ in range(2):
            await asyncio.gather(*(writer.wait_closed() for writer in accepted))
            seen = await ready.drive([HELLO], Load(rate=1.0), 1e-6)  # one request
            assert (seen.failures, seen.rate > 0) == (0, True), seen.why
    server.close()
    assert len(accepted) == 2
