import asyncio
import sys

import pytest

from perf.arms import NotStarted
from perf.arms.children import free_port, listening, ready
from tests.processes import alive

LISTENS = """
import socket, sys, threading
with socket.create_server(("127.0.0.1", int(sys.argv[1]))):
    threading.Event().wait()
"""


async def test_a_server_runs_until_the_block_ends():
    port = free_port()
    async with listening([sys.executable, "-c", LISTENS, str(port)], port) as pid:
        assert alive(pid)
    assert not alive(pid)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        pytest.param([sys.executable, "-c", "exit('no port')"], "ended:\nno port", id="ends"),
        pytest.param(["/none/server"], "cannot be run: No such file", id="is not there"),
    ],
)
async def test_a_server_that_does_not_start_is_named_with_what_it_said(command, said):
    with pytest.raises(NotStarted) as refused:
        async with listening(command, free_port()):
            pytest.fail("it runs")
    assert str(refused.value).startswith(command[0])
    assert said in str(refused.value)


async def test_ready_is_what_says_200():
    answers = iter([b"HTTP/1.1 503 no\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\n\r\n"])
    asked = []

    async def serve(reader, writer):
        asked.append(await reader.readline())
        writer.write(next(answers))
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        await ready(server.sockets[0].getsockname()[1], "/ready")
    assert asked == [b"GET /ready HTTP/1.1\r\n"] * 3
