"""Policies that follow each other, and a router that serves them under load."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from tests.app.planes import Planes, planes
from tests.processes import demo_upstream, free_ports

BAD = "version: v0.3\nrouting:\n  wich: 1\nglobal: {routr: {}}\n"


def policy(number: int, port: int) -> str:
    """Everything in it has its number: decision, model, recipe."""
    return f"""\
# policy {number}
version: v0.3
providers:
  defaults: {{default_model: model-{number}}}
  models: [{{name: model-{number}, backend_refs: [{{endpoint: "127.0.0.1:{port}"}}]}}]
routing:
  modelCards: [{{name: model-{number}}}]
  signals:
    keywords: [{{name: word-{number}, operator: OR, keywords: [hello]}}]
  decisions:
    - name: decision-{number}
      rules: {{type: keyword, name: word-{number}}}
      modelRefs: [{{model: model-{number}}}]
"""


@dataclass
class Watched:
    """A router whose policy is in `file`."""

    planes: Planes
    file: Path
    port: int  # of the demo upstream

    async def api(self, method: str, path: str, **options: Any) -> tuple[int, dict[str, Any], Any]:
        url = f"{self.planes.management_url}{path}"
        async with self.planes.http.request(method, url, **options) as answer:
            return answer.status, await answer.json(), answer.headers

    async def put(self, text: str, etag: str = "*") -> tuple[int, dict[str, Any], Any]:
        headers = {"If-Match": etag, "Content-Type": "application/yaml"}
        return await self.api("PUT", "/config/router", data=text, headers=headers)

    async def etag(self) -> str:
        return (await self.api("GET", "/config/hash"))[2]["ETag"]

    async def config(self) -> dict[str, Any]:
        """What /ready says of it."""
        return (await self.api("GET", "/ready"))[1]["config"]

    async def until(self, outcome: str, trigger: str) -> dict[str, Any]:
        """The report, once the last attempt is that one."""
        async with asyncio.timeout(30):
            while True:
                said = await self.config()
                last = said.get("last_reload", {})
                if (last.get("outcome"), last.get("trigger")) == (outcome, trigger):
                    return said
                await asyncio.sleep(0.05)

    def hang_up(self) -> None:
        os.kill(os.getpid(), signal.SIGHUP)

    async def metric(self, name: str) -> float:
        async with self.planes.http.get(f"{self.planes.management_url}/metrics") as answer:
            found = re.search(rf"^{re.escape(name)} (\S+)$", await answer.text(), re.MULTILINE)
        return float(found[1]) if found else 0.0


@asynccontextmanager
async def watched(
    folder: Path,
    between: float | None = None,
    text: str | None = None,
    **options: Any,
) -> AsyncIterator[Watched]:
    """It starts with `text`, or `policy(0)`. `between`: seconds between the words of a demo
    upstream; None: there is no upstream.
    """
    (port,) = free_ports(1)
    file = folder / "router.yaml"
    file.write_text(text := text or policy(0, port))
    async with AsyncExitStack() as stack:
        if between is not None:
            await stack.enter_async_context(demo_upstream(port, between=between))
        running = await stack.enter_async_context(planes(text, config=file, **options))
        yield Watched(running, file, port)


@dataclass
class Crowd:
    """Clients that ask again and again; what they were told, and what went wrong."""

    answers: list[tuple[str, str]] = field(default_factory=list)  # decision, model that answered
    failures: list[str] = field(default_factory=list)

    async def ask(self, router: Planes, http: aiohttp.ClientSession, stream: bool) -> None:
        body = {"model": "auto", "stream": stream}
        body["messages"] = [{"role": "user", "content": "hello there"}]
        try:
            url = f"{router.url}/v1/chat/completions"
            async with http.post(url, json=body) as answer:
                text = await answer.text()
                if answer.status != 200 or (stream and "data: [DONE]" not in text):
                    self.failures.append(f"{answer.status} {text[:200]}")
                    return
                said = set(re.findall(r'"model":\s*"([^"]+)"', text))
                decision = answer.headers["x-vsr-selected-decision"]
                self.answers.append((decision, said.pop() if len(said) == 1 else str(said)))
        except aiohttp.ClientError as error:
            self.failures.append(repr(error))


@asynccontextmanager
async def crowd(router: Planes, clients: int) -> AsyncIterator[Crowd]:
    """Half of the clients stream. They ask until the block ends."""
    people, over = Crowd(), asyncio.Event()

    async def client(http: aiohttp.ClientSession, number: int) -> None:
        while not over.is_set():
            await people.ask(router, http, stream=number % 2 == 0)

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        tasks = [asyncio.create_task(client(http, number)) for number in range(clients)]
        try:
            yield people
        finally:
            over.set()
            await asyncio.gather(*tasks)


def alive(*kinds: type) -> list[int]:
    """How many objects of each kind there are, those that the collector was told to forget too."""
    gc.unfreeze()
    gc.collect()
    found = gc.get_objects()
    return [sum(type(one) is kind for one in found) for kind in kinds]


async def soon(condition: Any) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(10):
            while not condition():
                await asyncio.sleep(0.1)


async def in_force(router: Any) -> str:
    """The decision about `hello`."""
    return (await router.planes.eval("hello"))["routing_decision"]
