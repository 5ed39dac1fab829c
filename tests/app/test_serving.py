import asyncio
import signal
import socket

import aiohttp
import pytest

from orchestrator.app.serving import (
    Life,
    Options,
    demo_addresses,
    identity_headers,
    listeners,
    management_address,
    serve,
)
from orchestrator.config.schema import Config
from orchestrator.errors import NotStarted, RouterError
from tests.app.planes import compiled, planes
from tests.inference.fake_triton import FakeTriton, serving
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


def policy_with(*models):
    rows = [{"name": str(i), "backend_refs": refs} for i, refs in enumerate(models)]
    return Config.model_validate({"providers": {"models": rows}})


@pytest.mark.parametrize(
    ("models", "addresses"),
    [
        pytest.param([[{"endpoint": "127.0.0.1:8001"}]], [("127.0.0.1", 8001)], id="one"),
        pytest.param(
            [[{"endpoint": "gpu:1"}, {"endpoint": "localhost:2"}], [{"endpoint": "[::1]:3"}]],
            [("localhost", 2), ("::1", 3)],
            id="those of this machine",
        ),
        pytest.param(
            [[{"base_url": "http://127.0.0.1:9/v1"}], [{"endpoint": "127.0.0.1:9"}]],
            [("127.0.0.1", 9)],
            id="each once",
        ),
        pytest.param(
            [[{"endpoint": "127.0.0.1:1", "api_key_env": "TSR_TEST_UNSET_KEY"}]],
            [("127.0.0.1", 1)],
            id="keys play no part",
        ),
    ],
)
def test_the_demo_upstream_listens_where_the_backends_are(models, addresses):
    assert demo_addresses(policy_with(*models)) == addresses


@pytest.mark.parametrize("models", [[], [[{"endpoint": "gpu:8001"}]]])
def test_a_policy_without_a_backend_here_has_no_use_for_the_demo_upstream(models):
    with pytest.raises(RouterError, match="--with-demo-upstream: the policy has no backend on"):
        demo_addresses(policy_with(*models))


def answered_by_the_demo(port):
    return PLAIN.replace("127.0.0.1:1", f"127.0.0.1:{port}")


async def test_the_demo_upstream_answers_and_the_invitation_is_true(capsys):
    (port,) = free_ports(1)
    async with planes(answered_by_the_demo(port), demo_upstream=True) as router:
        async with router.chat("hi") as answer:
            assert (answer.status, "model small answered" in await answer.text()) == (200, True)

    said = capsys.readouterr().out
    assert "\nReady. The backend is a stand-in" in said
    assert "demo.probes" not in said  # whatever the policy
    assert "decision: code" not in said


async def test_where_the_demo_upstream_cannot_listen_the_flag_is_named():
    with socket.create_server(("127.0.0.1", 0)) as server:
        policy = compiled(answered_by_the_demo(port := server.getsockname()[1]))
        with pytest.raises(RouterError, match=f"127.0.0.1:{port}.*; --with-demo-upstream"):
            await serve(policy, Options(demo_upstream=True))


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


GUARDED = """
version: v0.3
providers:
  defaults: {default_model: small}
routing:
  modelCards: [{name: small}]
  signals:
    jailbreak: [{name: attack}]
  decisions:
    - {name: refuse, rules: {type: jailbreak, name: attack}, modelRefs: [{model: small}]}
"""


@pytest.mark.parametrize(
    ("policy", "said", "again"),
    [
        pytest.param(IDENTIFIED, "text_signals is not loaded", False, id="no rule asks the model"),
        pytest.param(GUARDED, "text_signals does not answer", True, id="nobody serves it"),
    ],
)
async def test_the_classify_endpoints_know_what_the_policy_asks(policy, said, again):
    (nobody,) = free_ports(1)
    async with planes(policy, triton_urls=[f"127.0.0.1:{nobody}"]) as router:
        url = f"{router.management_url}/api/v1/classify/combined"
        async with router.http.post(url, json={"text": "hello"}) as answer:
            error = (await answer.json())["error"]
            assert (answer.status, error["code"]) == (503, "UNIFIED_CLASSIFIER_UNAVAILABLE")
            assert said in error["message"]
            assert ("Retry-After" in answer.headers) == again


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
