"""The router inside of a real Triton, beside the one over HTTP that follows the same file."""

import asyncio
import json
import os
import re
import shutil
import signal
import sys
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from tritonclient.utils import InferenceServerException

from orchestrator.app.fleet import ROUTER, revive
from orchestrator.config.load import ASSET_ROOT, POLICY
from orchestrator.errors import ServerStartError
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.launch import Front
from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.probes.load import load
from orchestrator.probes.request import body_of
from tests.app.reloads import BAD, policy
from tests.processes import ROOT, alive, descendants, ended, free_ports
from tests.recipes import RECIPES, absent
from tests.triton import memory
from tests.triton.bls import Caller, both, timeless

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

CONFIGS = Path(__file__).parents[2] / "configs"
DOCUMENT = Path(__file__).parents[2] / "docs" / "bls.md"
ASSETS = RECIPES.parent  # has the knowledge bases of the recipes
OURS = {
    "router": "demo.probes.yaml",
    "classifiers": "classifiers.probes.yaml",
    "images": "images.probes.yaml",
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bls")
    [port] = free_ports(1)
    environ = {ASSET_ROOT: str(ASSETS)} if ASSETS.is_dir() else {}
    async with both(policy(0, 9), folder, environ, port) as pair:
        pair.metrics_url = f"http://127.0.0.1:{port}/metrics"
        yield pair


def hello(text="hello"):
    return {"model": "auto", "messages": [{"role": "user", "content": text}]}


@pytest.mark.parametrize(
    ("config", "probes"),
    [
        *(
            pytest.param(CONFIGS / f"{name}.yaml", CONFIGS / probes, id=name)
            for name, probes in OURS.items()
        ),
        *(
            pytest.param(
                RECIPES / name / "config.yaml",
                RECIPES / name / "probes.yaml",
                id=name,
                marks=absent,
            )
            for name in ("accuracy", "agent", "feedback", "privacy")
        ),
    ],
)
async def test_it_says_what_the_http_api_says(pair, config, probes):
    await pair.put_patiently(config.read_text())
    file, found = load(probes)

    for probe in found:
        body = body_of(probe, file) | {"options": {"trace": True, "return_probabilities": True}}
        ours, theirs = await pair.caller.route(body), await pair.eval(body)

        assert timeless(ours) == timeless(theirs), probe.id
        assert ours["metrics"].keys() == theirs["metrics"].keys()
        assert list(ours) == list(theirs)


async def test_a_bad_request_fails_alone(pair):
    await pair.put(policy(1, 9))
    bodies = [json.dumps(hello(f"hello {number}")).encode() for number in range(8)]
    bodies[3:3] = [b"{", b"[]", json.dumps(hello() | {"model": "gpt"}).encode(), b"x" * 11_000_000]

    found = await asyncio.gather(*map(pair.caller.raw, bodies), return_exceptions=True)

    good, bad = [*found[:3], *found[7:]], found[3:7]
    texts = [json.loads(one[0])["original_text"] for one in good]
    assert texts == [f"hello {number}" for number in range(8)]
    assert [one.status() for one in bad] == ["StatusCode.INVALID_ARGUMENT"] * 4
    told = [json.loads(one.message())["error"] for one in bad]
    codes = ["invalid_request", "invalid_request", "model_not_found", "request_too_large"]
    assert [one["code"] for one in told] == codes
    assert all(one.keys() == {"message", "type", "param", "code"} for one in told)


async def test_a_request_of_several_rows_has_as_many_routes(pair):
    await pair.put(policy(2, 9))
    rows = await pair.caller.raw(*(json.dumps(hello(text)).encode() for text in ("hello", "bye")))

    decisions = [json.loads(row)["routing_decision"] for row in rows]
    assert decisions == ["decision-2", ""]
    with pytest.raises(InferenceServerException, match="not valid JSON"):
        await pair.caller.raw(json.dumps(hello()).encode(), b"{")


async def test_parameters_are_headers(pair):
    binding = "{name: staff, role: staff, subjects: [{kind: Group, name: staff}]}"
    text = policy(3, 9).replace("  signals:\n", f"  signals:\n    role_bindings: [{binding}]\n")
    await pair.put(text.replace("{type: keyword, name: word-3}", "{type: authz, name: staff}"))
    who = {"x-authz-user-id": "ann", "x-authz-user-groups": "staff"}

    assert (await pair.caller.route(hello(), parameters=who))["routing_decision"] == "decision-3"


async def test_a_bad_policy_leaves_the_old_one_and_is_told(pair):
    await pair.put(policy(4, 9))
    pair.file.write_text(BAD)
    await pair.until("the old policy stays in force (the file changed)")

    assert (await pair.caller.route(hello()))["routing_decision"] == "decision-4"
    async with aiohttp.ClientSession() as http, http.get(pair.metrics_url) as answer:
        lines = (await answer.text()).splitlines()
    assert "tsr_config_file_in_force 0" in lines
    assert 'tsr_config_reload_total{outcome="refused"} 1' in lines

    await pair.put(policy(5, 9))
    assert (await pair.caller.route(hello()))["routing_decision"] == "decision-5"


async def test_many_at_once(pair):
    await pair.put_patiently((CONFIGS / "classifiers.yaml").read_text())
    texts = [f"How do I integrate x^{number}?" for number in range(200)]

    found = await asyncio.gather(*(pair.caller.route(hello(text)) for text in texts))

    assert [one["original_text"] for one in found] == texts
    assert {json.dumps(one["signals_unknown"]) for one in found} == {"{}"}


async def test_the_example_of_the_document(pair):
    await pair.put_patiently((CONFIGS / "classifiers.yaml").read_text())
    [example] = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    names = {}

    await asyncio.to_thread(exec, example.replace("127.0.0.1:8001", pair.server.url), names)

    assert names["found"]["routing_decision"] == "attack"


async def test_memory_is_flat(pair):
    """perf/bls_memory.py does the same with 10,000 calls."""
    await pair.put_patiently((CONFIGS / "classifiers.yaml").read_text())
    slots = asyncio.Semaphore(16)

    async def one(number):
        async with slots:
            await pair.caller.route(hello(f"question {number} about law and taxes"))

    async def calls(count):
        await asyncio.gather(*(one(number) for number in range(count)))
        pid = memory.processes(pair.server)[f"{ROUTER}_0_0"]
        return memory.resident(pid), memory.shared(pair.server)

    resident, shared = await calls(300)
    later, also = await calls(1_000)

    print(f"resident {resident / 1e6:.0f} -> {later / 1e6:.0f} MB, /dev/shm {also / 1e6:.0f} MB")
    assert later - resident < 8e6
    assert also == shared


async def test_a_process_that_died_is_loaded_again(pair):
    await pair.put(policy(6, 9))
    os.kill(memory.processes(pair.server)[f"{ROUTER}_0_0"], signal.SIGKILL)
    endpoint = Endpoint(pair.server.url)
    reviving = asyncio.create_task(revive(endpoint, 0.1))
    try:
        async with asyncio.timeout(120):
            while True:
                try:
                    route = await pair.caller.route(hello())
                    break
                except InferenceServerException:
                    await asyncio.sleep(0.2)
    finally:
        reviving.cancel()
        await asyncio.gather(reviving, return_exceptions=True)
        await endpoint.close()

    assert route["routing_decision"] == "decision-6"


async def test_the_command_serves_until_it_is_told_to_end(tmp_path):
    file, log = tmp_path / "policy.yaml", tmp_path / "log"
    file.write_text(policy(7, 9))
    port, http, metrics = free_ports(3)
    ports = ("--port", str(port), "--http-port", str(http), "--metrics-port", str(metrics))
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "orchestrator", "triton", "--config", str(file), *ports),
            cwd=ROOT,
            stdout=output,
            stderr=asyncio.subprocess.STDOUT,
        )
    async with ended(process):
        async with asyncio.timeout(120):
            while "semantic_router answers at" not in log.read_text():
                assert process.returncode is None, log.read_text()
                await asyncio.sleep(0.1)
        caller = Caller(f"127.0.0.1:{port}")
        assert (await caller.route(hello()))["routing_decision"] == "decision-7"
        await caller.close()
        below = descendants(process.pid)
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 60) == 0

    assert len(below) >= 2
    assert [pid for pid in below if alive(pid)] == []
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        pytest.param(BAD, ROUTER, "wich", id="a bad policy"),
        pytest.param(
            (CONFIGS / "router.yaml").read_text(), "text_embedding", "wait for itself", id="itself"
        ),
    ],
)
async def test_what_cannot_work_does_not_load(tmp_path, text, name, why):
    models, file = tmp_path / "models", tmp_path / "policy.yaml"
    shutil.copytree(default_repository() / ROUTER, models / name)
    package = Path(__file__).parents[2]
    place = 'key: "package" value { string_value: "'
    for config in (models / name).rglob("*.pbtxt"):
        changed = config.read_text().replace(f'name: "{ROUTER}"', f'name: "{name}"')
        config.write_text(changed.replace(place, f"{place}{package}"))
    file.write_text(text)
    front = Front(environment={POLICY: str(file)})
    server = EmbeddedTriton(models, [name], state_dir=tmp_path / "state", front=front)

    with pytest.raises(ServerStartError) as caught:
        await server.start()
    assert why in str(caught.value)
