"""Policies that need other models than the one before, with an embedded Triton."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.app.reloads import policy
from tests.processes import Router, alive, demo_upstream, free_ports, router
from tests.triton import light

pytestmark = pytest.mark.triton

EMBEDDING = "    embeddings: [{name: near, threshold: 0.99, candidates: [good morning]}]\n"
TOPIC = EMBEDDING + "    domains: [{name: law}]\n"
GUARD = TOPIC + "    jailbreak: [{name: attack}]\n"


def asking(number: int, port: int, signals: str, repository: Path) -> str:
    text = policy(number, port).replace("  signals:\n", f"  signals:\n{signals}")
    return f'{text}global: {{services: {{triton: {{model_repository: "{repository}"}}}}}}\n'


async def put(running: Router, text: str) -> dict[str, Any]:
    headers = {"If-Match": "*", "Content-Type": "application/yaml"}
    url = f"{running.management_url}/config/router"
    async with running.http.put(url, data=text, headers=headers) as answer:
        said = await answer.json()
        assert answer.status == 200, said
        return said


async def test_a_router_without_models_gets_some_changes_them_and_loses_them(tmp_path: Path):
    (up,) = free_ports(1)
    models = light.write(tmp_path)
    async with demo_upstream(up), router(policy(0, up), tmp_path) as running:
        await running.until_ready()
        assert running.stubs() == []

        await put(running, asking(1, up, EMBEDDING, models))
        embedding = running.tritonserver()
        status, said = await running.ready()
        assert (status, [one["name"] for one in said["models"]]) == (200, ["text_embedding"])
        assert await running.decision("hello") == "decision-1"

        await put(running, asking(2, up, TOPIC, models))  # another model: another server
        status, said = await running.ready()
        assert (status, [one["name"] for one in said["models"]]) == (200, ["text_signals"])
        assert await running.decision("hello") == "decision-2"
        assert await ended(embedding)

        topic = running.tritonserver()
        await put(running, asking(3, up, GUARD, models))  # more of the same model
        running.process.send_signal(signal.SIGHUP)
        assert running.tritonserver() == topic
        assert (await running.ready())[0] == 200

        await put(running, policy(4, up))
        assert await ended(topic)
        assert (await running.ready())[1]["models"] == []
        assert await running.decision("hello") == "decision-4"
    assert "Traceback" not in running.log.read_text()


async def ended(pid: int) -> bool:
    """Whether the process ends in time."""
    for _ in range(300):
        if not alive(pid):
            return True
        await asyncio.sleep(0.1)
    return False
