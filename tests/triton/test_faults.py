"""What breaks underneath a running router, and what its clients see of it: nothing.

Every process is real: the router, its tritonserver with the Python stubs, the backends.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from contextlib import asynccontextmanager

import aiohttp
import pytest
import pytest_asyncio

from orchestrator.inference.server import EmbeddedTriton
from tests.processes import (
    LIMIT_S,
    alive,
    demo_upstream,
    descendants,
    free_ports,
    killed,
    router,
)
from tests.triton import light
from tests.triton.faults import kill_one_stub, kill_tritonserver, policy

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="module")]

CANARY = "xylophone-canary"  # in every prompt; never in a log
KEY = "sk-secret-canary"  # of the client
SUPPORT = f"How do I reset my password? {CANARY}"
CODE = f"Why does my python script fail? {CANARY}"
OTHER = f"Write a poem about the sea. {CANARY}"
CLIENTS = 8
PAUSE_S = 0.05  # of a client between two requests

SIGNALS = {
    "keywords": [{"name": "code", "operator": "OR", "keywords": ["python"]}],
    "embeddings": [
        {
            "name": "support",
            "threshold": 0.45,
            "candidates": ["How do I reset my password?", "I cannot log in to my account"],
        }
    ],
}
IS_SUPPORT = {"type": "embedding", "name": "support"}
DECISIONS = {
    "code": {"type": "keyword", "name": "code"},
    "support": IS_SUPPORT,
    "not_support": {"operator": "NOT", "conditions": [IS_SUPPORT]},
}
SETTINGS = {"embeddings": {"semantic": {"embedding_config": {"enable_soft_matching": False}}}}


class Backends:
    up, dies, alone, slow = free_ports(4)


@pytest_asyncio.fixture(scope="module", loop_scope="module", autouse=True)
async def backends():
    async with (
        demo_upstream(Backends.up),
        demo_upstream(Backends.slow, between=0.2),
    ):
        yield


def backend(port, **fields):
    return {"endpoint": f"127.0.0.1:{port}", **fields}


BACKENDS = {
    "small": [backend(Backends.up)],
    "mortal": [
        backend(Backends.dies, name="dies", weight=1_000_000),
        backend(Backends.up, name="lives", weight=1),
    ],
    "alone": [backend(Backends.alone)],
    "slow": [backend(Backends.slow)],
}


@asynccontextmanager
async def serving(folder, *flags):
    text = policy(light.write(folder, processes=2), BACKENDS, SIGNALS, DECISIONS, SETTINGS)
    async with router(text, folder, *flags) as running:
        running.http.headers["authorization"] = f"Bearer {KEY}"
        yield running
    log = running.log.read_text()
    assert CANARY not in log
    assert KEY not in log
    assert "Traceback" not in log


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory):
    async with serving(tmp_path_factory.mktemp("router")) as running:
        await running.until_ready()
        yield running


def programs(commands):
    """The file names of what runs, of `descendants`."""
    return {command.split(" ")[0].rpartition("/")[2] for command in commands.values()}


class Load:
    """CLIENTS that ask one request after the other."""

    def __init__(self, running):
        self.running = running
        self.answers = Counter()  # (text, status, decision)
        self.longest = 0.0  # seconds
        self.served = asyncio.Event()
        self.tasks = []

    async def client(self, texts):
        clock = asyncio.get_running_loop().time
        while True:
            for text in texts:
                began = clock()
                async with self.running.chat(text) as answer:
                    await answer.read()
                decision = answer.headers.get("x-vsr-selected-decision")
                self.answers[text, answer.status, decision] += 1
                self.longest = max(self.longest, clock() - began)
                self.served.set()
                await asyncio.sleep(PAUSE_S)

    async def more(self, number):
        """Until `number` more requests have been answered."""
        target = self.answers.total() + number
        async with asyncio.timeout(LIMIT_S):
            while self.answers.total() < target:
                self.served.clear()
                await self.served.wait()

    def decisions(self, text):
        return {decision for asked, _, decision in self.answers if asked == text}

    def statuses(self):
        return {status for _, status, _ in self.answers}

    async def __aenter__(self):
        texts = (SUPPORT, CODE, OTHER)
        rotated = (texts[i % 3 :] + texts[: i % 3] for i in range(CLIENTS))
        self.tasks = [asyncio.create_task(self.client(order)) for order in rotated]
        await self.more(5 * CLIENTS)
        return self

    async def __aexit__(self, *_):
        for task in self.tasks:
            task.cancel()
        outcomes = await asyncio.gather(*self.tasks, return_exceptions=True)
        assert [type(one) for one in outcomes] == [asyncio.CancelledError] * CLIENTS, outcomes


@pytest.mark.parametrize(
    "strike",
    [
        pytest.param(kill_tritonserver, id="tritonserver killed"),
        pytest.param(kill_one_stub, id="one Python stub killed"),
    ],
)
async def test_under_load_no_client_sees_it_and_it_heals(running, strike):
    clock = asyncio.get_running_loop().time
    assert await running.decision(SUPPORT) == "support"
    async with Load(running) as load:
        struck = clock()
        strike(running)
        said = await running.until_ready(503)
        noticed = clock() - struck
        await load.more(2 * CLIENTS)
        await running.until_ready(200)
        healed = clock() - struck
        await load.more(2 * CLIENTS)

    print(f"noticed {noticed:.2f} s, healed {healed:.2f} s, slowest answer {load.longest:.2f} s")
    assert load.statuses() == {200}
    assert load.decisions(CODE) == {"code"}
    assert "default" in load.decisions(SUPPORT)  # while nobody knew what it means
    assert load.decisions(SUPPORT) <= {"support", "default"}
    # NOT of what is unknown is unknown: the decision does not match by the fault.
    assert load.decisions(OTHER) == {"not_support", "default"}
    (model,) = said["models"]
    assert (model["trusted"], bool(model["reason"])) == (False, True)
    assert await running.decision(SUPPORT) == "support"
    assert await running.decision(OTHER) == "not_support"
    assert len(running.stubs()) >= 1


async def test_a_backend_killed_before_the_first_byte_is_replaced(running):
    async with demo_upstream(Backends.dies, first=LIMIT_S) as doomed:
        asked = asyncio.create_task(running.chat(OTHER, model="mortal").__aenter__())
        async with asyncio.timeout(LIMIT_S):  # until it has read the request
            async with aiohttp.ClientSession() as http:
                while True:
                    async with http.get(f"http://127.0.0.1:{Backends.dies}/_last") as last:
                        if await last.json() is not None:
                            break
        assert not asked.done()
        await killed(doomed)
        answer = await asked

    assert answer.status == 200
    assert "model mortal answered" in await answer.text()


async def test_a_backend_killed_mid_stream_ends_in_an_error_event(running):
    # A model of its own: no other server, and no connection that an earlier test left.
    async with demo_upstream(Backends.alone, between=LIMIT_S) as doomed:
        async with running.chat(OTHER, model="alone", stream=True) as answer:
            first = await answer.content.readany()
            await killed(doomed)
            rest = await answer.content.read()

    assert answer.status == 200
    events = (first + rest).decode().strip().split("\n\n")
    assert json.loads(events[-1].removeprefix("data: "))["error"]["type"] == "upstream_error"
    assert not [event for event in events if "[DONE]" in event]


async def test_sigterm_lets_a_stream_end_and_leaves_no_process(running):
    below = descendants(running.process.pid)
    async with running.chat(OTHER, model="slow", stream=True) as answer:
        first = await answer.content.readany()
        running.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(LIMIT_S):
            while (await running.ready())[1]["status"] != "stopping":
                await asyncio.sleep(0.02)
        rest = await answer.content.read()

    assert (first + rest).endswith(b"data: [DONE]\n\n")
    assert await asyncio.wait_for(running.process.wait(), LIMIT_S) == 0
    assert [command for pid, command in below.items() if alive(pid)] == []


async def test_a_killed_router_leaves_no_process(tmp_path):
    async with serving(tmp_path) as running:
        async with asyncio.timeout(LIMIT_S):
            # Both in one look: before the server starts, a stub runs alone to check its libraries.
            while not {"tritonserver", "triton_python_backend_stub"} <= programs(
                below := descendants(running.process.pid)
            ):
                await asyncio.sleep(0.05)
        await killed(running.process)
        began = asyncio.get_running_loop().time()
        async with asyncio.timeout(LIMIT_S):
            while any(alive(pid) for pid in below):
                await asyncio.sleep(0.05)

    print(f"gone {asyncio.get_running_loop().time() - began:.2f} s after the router")
    assert len(below) >= 3  # the keeper, tritonserver, a stub


async def test_a_remote_triton_that_comes_up_later(tmp_path):
    (port,) = free_ports(1)
    async with serving(tmp_path, "--triton-url", f"127.0.0.1:{port}") as running:
        await running.until_serving()
        _, said = await running.ready()
        assert said["triton"] == [{"url": f"127.0.0.1:{port}", "ready": False}]
        assert said["models"][0]["reason"]
        assert await running.decision(CODE) == "code"
        assert await running.decision(SUPPORT) == "default"
        assert await running.decision(OTHER) == "default"

        remote = EmbeddedTriton(
            tmp_path / "models", ["text_embedding"], state_dir=tmp_path, port=port, exit_timeout_s=1
        )
        await remote.start()
        try:
            began = asyncio.get_running_loop().time()
            await running.until_ready()
            print(f"trusted {asyncio.get_running_loop().time() - began:.2f} s after it was up")
            assert await running.decision(SUPPORT) == "support"
            assert await running.decision(OTHER) == "not_support"
        finally:
            await remote.stop()
