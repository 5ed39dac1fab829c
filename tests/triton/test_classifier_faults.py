"""What breaks underneath a router whose policy guards: its clients see the documented fallbacks.

Every process is real: the router, its tritonserver with the Python stubs, the backend.
"""

import asyncio
import contextlib
import json
import os
import signal

import pytest
import pytest_asyncio

from orchestrator.inference.repository import default_repository
from orchestrator.signals.pii import TYPES
from tests.processes import LIMIT_S, demo_upstream, free_ports, router
from tests.triton import light
from tests.triton.faults import kill_one_stub, kill_tritonserver, policy

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="module")]

GOLDENS = json.loads(
    (default_repository() / "text_signals" / "goldens.json").read_text(encoding="utf-8")
)
CANARIES = dict(zip(GOLDENS["names"], GOLDENS["texts"], strict=True))
ATTACK = CANARIES["canary jailbreak: jailbreak"]
LAW = CANARIES["canary domain: law"]
PRIVATE = "Write to jane.miller@example.org about the boat."  # an address has a form

SIGNALS = {
    "jailbreak": [{"name": "attack", "threshold": 0.5}],
    # Types that only the model finds are allowed, so that how well it does is not tested.
    "pii": [
        {
            "name": "private",
            "pii_types_allowed": [kind for kind in TYPES if kind != "EMAIL_ADDRESS"],
        }
    ],
    "domains": [{"name": "law", "mmlu_categories": ["law"]}],
}
DECISIONS = {
    "private": {"type": "pii", "name": "private"},
    "attack": {"type": "jailbreak", "name": "attack"},
    "law": {"type": "domain", "name": "law"},
}
SETTINGS = {"modules": {"classifier": {"domain": {"threshold": 0.1}}}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory):
    (up,) = free_ports(1)
    folder = tmp_path_factory.mktemp("router")
    backends = {"small": [{"endpoint": f"127.0.0.1:{up}"}]}
    served = policy(light.write(folder, processes=2), backends, SIGNALS, DECISIONS, SETTINGS)
    async with demo_upstream(up), router(served, folder) as running:
        await running.until_ready()
        yield running
    log = running.log.read_text()
    assert not [text for text in (ATTACK, LAW, PRIVATE) if text in log]
    assert "Traceback" not in log


def kill_the_stubs(running):
    for pid in running.stubs():
        os.kill(pid, signal.SIGKILL)


def stop_tritonserver(running):
    os.kill(running.tritonserver(), signal.SIGSTOP)


def stop_the_stubs(running):
    for pid in running.stubs():
        os.kill(pid, signal.SIGSTOP)


async def decisions(running):
    """Of each text in turn; every answer is a 200 (`Router.decision`)."""
    return [await running.decision(text) for text in (ATTACK, LAW, PRIVATE)]


async def whole(running):
    """Until every decision is the model's again: a server may be found to be ill, and reload its
    model, after it has called itself ready."""
    async with asyncio.timeout(3 * LIMIT_S):
        while await decisions(running) != ["attack", "law", "private"]:
            await asyncio.sleep(0.2)


@pytest.mark.parametrize(
    ("strike", "all_lost"),
    [
        pytest.param(kill_tritonserver, True, id="tritonserver killed"),
        pytest.param(kill_the_stubs, True, id="all Python stubs killed"),
        pytest.param(kill_one_stub, False, id="one Python stub killed"),
        pytest.param(stop_tritonserver, True, id="tritonserver hangs"),
        pytest.param(stop_the_stubs, True, id="all Python stubs hang"),
    ],
)
async def test_what_has_a_form_is_still_private_and_the_rest_heals(running, strike, all_lost):
    await whole(running)
    below = {running.tritonserver(), *running.stubs()}

    strike(running)
    during = await decisions(running)

    # Without the model an attack is unknown, and so is a subject: what is left is the default.
    assert during[0] in ({"default"} if all_lost else {"attack", "default"})
    assert during[1] in {"default", "law"}  # it may have healed by now
    assert during[2] == "private"
    said = await running.until_ready(503) if all_lost else {}
    assert not any(model["trusted"] for model in said.get("models", ()))
    for pid in below:  # what hangs and was not replaced goes on
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    await whole(running)
