"""Both planes of a router in the test's own process, as `tsr serve` runs them."""

from __future__ import annotations

import asyncio
import contextlib
import textwrap
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from orchestrator.app.options import Options
from orchestrator.app.policies import Compiled, compile_policies
from orchestrator.app.serving import serve
from orchestrator.config.load import examine
from tests.processes import LIMIT_S, free_ports

# The least that can be served; nobody answers there.
PLAIN = """
version: v0.3
providers:
  defaults: {default_model: small}
  models: [{name: small, backend_refs: [{endpoint: "127.0.0.1:1"}]}]
routing:
  modelCards: [{name: small}]
"""


def compiled(text: str) -> Compiled:
    return compile_policies(examine(textwrap.dedent(text), "policy.yaml"))


@dataclass
class Planes:
    url: str
    management_url: str
    http: aiohttp.ClientSession

    def chat(self, text: str, model: str = "auto", **options: Any) -> Any:
        body = {"model": model, "messages": [{"role": "user", "content": text}]}
        return self.http.post(f"{self.url}/v1/chat/completions", json=body, **options)

    async def eval(self, text: str, model: str = "", status: int = 200) -> dict[str, Any]:
        body = {"text": text, "model": model}
        url = f"{self.management_url}/api/v1/eval?trace=true"
        async with self.http.post(url, json=body) as answer:
            assert answer.status == status, await answer.text()
            return await answer.json()


@asynccontextmanager
async def planes(text: str, **options: Any) -> AsyncIterator[Planes]:
    """A router that serves the policy `text`; options are those of the command line."""
    port, management_port = free_ports(2)
    chosen = Options(port=port, management_port=management_port, **options)
    task = asyncio.create_task(serve(compiled(text), chosen))
    try:
        async with aiohttp.ClientSession() as http:
            running = Planes(
                f"http://127.0.0.1:{port}", f"http://127.0.0.1:{management_port}", http
            )
            async with asyncio.timeout(LIMIT_S):
                while not await _listens(port):
                    if task.done():
                        task.result()
                    await asyncio.sleep(0.01)
            yield running
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True
