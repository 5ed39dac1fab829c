import asyncio
import signal
import socket

import pytest

from orchestrator.app.serving import Options, identity_headers, listeners, management_address, serve
from orchestrator.config.schema import Config
from orchestrator.errors import RouterError
from tests.app.planes import compiled, planes
from tests.processes import LIMIT_S, free_ports, router

TWO = [{"address": "0.0.0.0", "port": 1}, {"address": "127.0.0.2", "port": 2}]

PLAIN = """
version: v0.3
providers:
  defaults: {default_model: small}
  models: [{name: small, backend_refs: [{endpoint: "127.0.0.1:1"}]}]
routing:
  modelCards: [{name: small}]
"""


def config(rows=(), **services):
    return Config.model_validate({"listeners": rows, "global": {"services": services}})


@pytest.mark.parametrize(
    ("rows", "options", "addresses"),
    [
        pytest.param([], Options(), [("127.0.0.1", 8899)], id="neither"),
        pytest.param([], Options(port=5), [("127.0.0.1", 5)], id="a port"),
        pytest.param(TWO, Options(), [("0.0.0.0", 1), ("127.0.0.2", 2)], id="the file"),
        pytest.param(
            TWO,
            Options(host="::1", port=5),
            [("::1", 5), ("127.0.0.2", 2)],
            id="flags move the first listener",
        ),
    ],
)
def test_listeners(rows, options, addresses):
    assert listeners(config(rows), options) == addresses


def test_the_management_port_of_the_command_line_wins():
    own = config(management_api={"port": 9})

    assert management_address(own, Options()) == ("127.0.0.1", 9)
    assert management_address(own, Options(management_port=5)) == ("127.0.0.1", 5)


def test_identity_headers_are_lower_case():
    own = config(authz={"identity": {"user_id_header": "X-User", "user_groups_header": "X-Teams"}})

    assert identity_headers(config()) == ("x-authz-user-id", "x-authz-user-groups")
    assert identity_headers(own) == ("x-user", "x-teams")


IDENTIFIED = """
version: v0.3
providers:
  defaults: {default_model: small}
routing:
  modelCards: [{name: small}]
  signals:
    role_bindings:
      - {name: staff, role: staff, subjects: [{kind: Group, name: ops}]}
  decisions:
    - {name: for_staff, rules: {type: authz, name: staff}, modelRefs: [{model: small}]}
global:
  services:
    authz: {fail_open: true, identity: {user_id_header: X-User, user_groups_header: X-Teams}}
"""


async def test_both_planes_read_the_identity_headers_of_the_file():
    told = {"x-user": "ann", "x-teams": "dev, ops"}
    async with planes(IDENTIFIED) as router:
        url, body = f"{router.management_url}/api/v1/eval", {"text": "hi"}
        async with router.http.post(url, json=body, headers=told) as answer:
            assert (await answer.json())["routing_decision"] == "for_staff"
        async with router.http.post(url, json=body) as answer:
            assert (await answer.json())["routing_decision"] == ""
        async with router.chat("hi", headers=told) as answer:  # no backend: the route is told
            assert answer.status == 503


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
