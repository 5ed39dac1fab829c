"""What becomes of a request when a server fails."""

import asyncio
import socket
import struct

import pytest

from orchestrator.errors import UpstreamError, UpstreamUnavailable
from tests.upstream.clients import OK, M, ask, request, upstream
from tests.upstream.scripted import CHUNKED, answering, backend, chunk, dying, plain


def free_port(unused_tcp_port):
    return f"127.0.0.1:{unused_tcp_port}"


async def test_refused_connections_fall_over_to_the_next_server(unused_tcp_port):
    refs = free_port(unused_tcp_port)
    async with backend(OK) as server, upstream(refs, server.endpoint) as subject:
        answer, _ = await ask(subject)

    assert answer.endpoint == "q_backend-1"


async def test_all_refused(unused_tcp_port):
    refs = [free_port(unused_tcp_port)] * 2
    async with upstream(*refs) as subject:
        with pytest.raises(UpstreamUnavailable, match="q_primary, q_backend-1$"):
            await ask(subject)


async def test_a_server_that_dies_before_the_first_byte_is_replaced():
    async with (
        backend(dying) as broken,
        backend(OK) as server,
        upstream(broken.endpoint, server.endpoint) as subject,
    ):
        answer, _ = await ask(subject)

    assert answer.endpoint == "q_backend-1"
    assert len(broken.exchanges) == 2  # the second time in case a kept connection was closed


async def test_a_deadly_request_does_not_kill_the_whole_fleet():
    async with backend(dying) as server, upstream(*[server.endpoint] * 6) as subject:
        with pytest.raises(UpstreamError, match="q_backend-1$"):
            await ask(subject)

    assert len(server.exchanges) == 3


async def test_a_kept_connection_that_was_closed_is_tried_once_more():
    async def hangs_up_on_the_second(exchange):
        if len(server.exchanges) == 2:
            exchange.abort()
        else:
            await exchange.write(plain(b"{}"))

    async with backend(hangs_up_on_the_second) as server, upstream(server.endpoint) as subject:
        await ask(subject)
        answer, _ = await ask(subject)

    assert answer.status == 200
    assert server.connections == 2


async def test_after_the_first_byte_nothing_is_tried_again():
    cut = answering(CHUNKED + chunk(b"data: 1\n\n"), close=True)
    got = []
    async with (
        backend(cut) as broken,
        backend(OK) as server,
        upstream(broken.endpoint, server.endpoint) as subject,
    ):
        with pytest.raises(UpstreamError):
            async with subject.open(M, request(), "passthrough") as answer:
                async for piece in answer.chunks:
                    got.append(piece)

    assert got == [b"data: 1\n\n"]
    assert server.exchanges == []


@pytest.mark.parametrize(
    "sent, told",
    [
        (b"HELLO 200 OK\r\n\r\n", "answered what is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 20_000 + b"\r\n\r\n", "answered what is not HTTP"),
        (b"HTTP/1.1 200", "broke off its answer"),
        (b"HTTP/1.1 200 OK\r\ncontent-", "broke off its answer"),
    ],
    ids=["no status line", "long header", "half a status line", "half a header"],
)
@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
async def test_a_request_whose_answer_had_begun_is_not_sent_again(sent, told, reset):
    async def script(exchange):
        await exchange.write(sent)
        await asyncio.sleep(0.05)  # a reset would throw away what has not been read
        if reset:
            linger = struct.pack("ii", 1, 0)
            socket_ = exchange.transport.get_extra_info("socket")
            socket_.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        exchange.close()

    async with (
        backend(script) as broken,
        backend(OK) as server,
        upstream(broken.endpoint, server.endpoint) as subject,
    ):
        with pytest.raises(UpstreamError, match=f"{told}: q_primary$") as caught:
            await ask(subject)

    assert caught.value.status == 502
    assert (len(broken.exchanges), len(server.exchanges)) == (1, 0)


async def test_a_kept_connection_starts_anew_with_every_request():
    async def resets_the_second(exchange):
        if len(broken.exchanges) == 1:
            await exchange.write(plain(b"{}"))
        else:
            exchange.abort()

    async with (
        backend(resets_the_second) as broken,
        backend(OK) as server,
        upstream(broken.endpoint, server.endpoint) as subject,
    ):
        await ask(subject)
        answer, _ = await ask(subject)

    assert answer.endpoint == "q_backend-1"


async def test_servers_that_fail_are_ejected_and_heal(unused_tcp_port):
    bad = answering(plain(b"{}", "503 Service Unavailable"))
    async with (
        backend(bad) as broken,
        backend(OK) as server,
        upstream(
            broken.endpoint, server.endpoint, reliability={"base_ejection_time": "1h"}
        ) as subject,
    ):
        statuses = [(await ask(subject))[0].status for _ in range(8)]

    assert statuses == [503] * 5 + [200] * 3
