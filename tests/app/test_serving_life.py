"""Ports, starts and ends of a router."""

import asyncio
import signal
import socket

import aiohttp
import pytest

from orchestrator.app.life import Life
from orchestrator.app.options import Options
from orchestrator.app.serving import serve
from orchestrator.errors import NotStarted, RouterError
from tests.app.planes import PLAIN, compiled, planes
from tests.inference.fake_triton import FakeTriton, serving
from tests.processes import LIMIT_S, free_ports, router


async def test_every_listener_serves_and_the_file_may_name_several():
    first, second, management = free_ports(3)
    rows = [{"address": "127.0.0.1", "port": port} for port in (first, second)]
    async with planes(PLAIN + f"listeners: {rows}") as router:
        for port in (router.url.rpartition(":")[2], second):
            async with router.http.get(f"http://127.0.0.1:{port}/v1/models") as answer:
                assert answer.status == 200


@pytest.mark.parametrize("taken", ["port", "management_port"])
async def test_a_taken_port_is_told_before_anything_starts(taken, caplog):
    caplog.set_level("INFO")
    with socket.create_server(("127.0.0.1", 0)) as server:
        ports = dict(zip(("port", "management_port"), free_ports(2), strict=True))
        ports[taken] = server.getsockname()[1]
        with pytest.raises(RouterError, match=f"cannot listen on 127.0.0.1:{ports[taken]}"):
            await serve(compiled(PLAIN), Options(**ports))

    assert caplog.records == []


@pytest.mark.parametrize(
    ("taken", "flag"), [("port", "--port"), ("management_port", "--management-port")]
)
async def test_for_a_taken_port_the_flag_is_named(taken, flag):
    with socket.create_server(("127.0.0.1", 0)) as server:
        ports = dict(zip(("port", "management_port"), free_ports(2), strict=True))
        ports[taken] = server.getsockname()[1]
        with pytest.raises(RouterError, match=f"; choose another with {flag}$"):
            await serve(compiled(PLAIN), Options(**ports))


def test_before_there_is_a_router_it_is_starting():
    life = Life()
    with pytest.raises(NotStarted):
        life.pipeline()

    assert life.status(["m"]).status == "starting"
    assert [one.model for one in life.status(["m"]).models] == ["m"]
    life.stopping = True
    assert life.status([]).status == "stopping"


async def test_a_token_that_is_not_set_is_named():
    tokens = "auth: {mode: bearer, tokens: [{env: TSR_TEST_UNSET_TOKEN, role: admin}]}"
    policy = compiled(PLAIN + f"global: {{services: {{management_api: {{{tokens}}}}}}}")
    with pytest.raises(RouterError, match="variable TSR_TEST_UNSET_TOKEN is not set"):
        await serve(policy, Options(*free_ports(0)))


async def test_cancelling_it_is_not_taken_for_a_signal():
    port, management_port = free_ports(2)
    options = Options(port=port, management_port=management_port)
    task = asyncio.create_task(serve(compiled(PLAIN), options))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_and_the_process_succeeds(tmp_path, number):
    async with router(PLAIN, tmp_path) as running:
        said = await running.until_ready()
        assert said["status"] == "ready"
        running.process.send_signal(number)
        assert await asyncio.wait_for(running.process.wait(), LIMIT_S) == 0

    assert "stopping" in running.log.read_text()
    assert "Traceback" not in running.log.read_text()


EMBEDDING = """
version: v0.3
providers:
  defaults: {default_model: small}
routing:
  modelCards: [{name: small}]
  signals:
    embeddings: [{name: support, threshold: 0.5, candidates: [help]}]
  decisions:
    - {name: one, rules: {type: embedding, name: support}, modelRefs: [{model: small}]}
"""


async def test_a_triton_that_hangs_holds_up_neither_plane():
    fake = FakeTriton()
    fake.gate.clear()
    async with serving(fake) as url, planes(EMBEDDING, triton_urls=(url,)) as router:
        async with router.http.get(f"{router.url}/v1/models") as answer:
            assert answer.status == 200
        async with router.http.get(f"{router.management_url}/ready") as answer:
            assert (answer.status, (await answer.json())["status"]) == (503, "starting")


async def test_the_management_plane_listens_first():
    fake = FakeTriton()
    fake.gate.clear()
    port, management_port = free_ports(2)
    async with serving(fake) as url, aiohttp.ClientSession() as http:
        options = Options(port=port, management_port=management_port, triton_urls=(url,))
        task = asyncio.create_task(serve(compiled(EMBEDDING), options))
        await asyncio.wait_for(fake.entered.wait(), LIMIT_S)  # a probe, long before the end
        async with http.get(f"http://127.0.0.1:{management_port}/startup-status") as answer:
            said = await answer.json()
        async with http.get(f"http://127.0.0.1:{management_port}/health") as answer:
            assert answer.status == 200
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert (said["phase"], said["ready"], said["pending_models"]) == (
        "starting",
        False,
        ["text_embedding"],
    )


async def test_a_signal_during_the_start_ends_it(tmp_path):
    connected = asyncio.Event()

    async def mute(reader, writer):
        """A Triton that accepts connections and says nothing."""
        connected.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(mute, "127.0.0.1", 0)
    url = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, router(EMBEDDING, tmp_path, "--triton-url", url) as running:
        await asyncio.wait_for(connected.wait(), LIMIT_S)
        running.process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(running.process.wait(), LIMIT_S) == 0

    log = running.log.read_text()
    assert "stopping" in log
    assert "data plane on" not in log
    assert "Traceback" not in log
