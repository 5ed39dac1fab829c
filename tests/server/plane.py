"""The data plane on a real socket, over the real pipeline; only the signals are given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from random import Random
from typing import Any

import aiohttp
from aiohttp import web

from orchestrator import selection
from orchestrator.config.schema import Config, Decision
from orchestrator.decision.engine import Engine
from orchestrator.pipeline import Names, Pipeline, Policy
from orchestrator.registry import discover
from orchestrator.server.body import BODY_SECONDS
from orchestrator.server.keys import DataPlane
from orchestrator.server.routes import BODY_LIMIT, data_plane, runner
from orchestrator.telemetry import Telemetry
from orchestrator.types import Candidate, Facts, ModelEntry
from orchestrator.upstream import Upstream
from orchestrator.upstream.backends import backends
from orchestrator.upstream.client import HttpUpstream, Timeouts, session

discover(selection)

FAMILIES = {"qwen3": {"type": "chat_template_kwargs", "parameter": "enable_thinking"}}
LISTING = (
    ModelEntry("auto", "virtual", "us", "any", recipe="default", default_route=True),
    ModelEntry("team/fast", "virtual", "us", recipe="default"),
    ModelEntry("q", "passthrough", "them", selectable=False),
)


class Given:
    """Evaluation's place is taken by facts that are known beforehand, or by a failure."""

    def __init__(self, facts: Facts, failure: Exception | None, seconds: float) -> None:
        self._facts = facts
        self._failure = failure
        self._seconds = seconds

    async def facts(self, request: object, families: object) -> Facts:
        if self._failure is not None:
            raise self._failure
        await asyncio.sleep(self._seconds)
        return self._facts


def pipeline(
    upstream: Upstream,
    telemetry: Telemetry,
    facts: Facts | None = None,
    failure: Exception | None = None,
    refs: tuple[Mapping[str, Any], ...] = ({"model": "q"},),
    decided: bool = True,
    seconds: float = 0.0,
    emits: tuple[Mapping[str, Any], ...] = (),
) -> Pipeline:
    """`seconds`: what reading the signals takes."""
    rows = [{"name": "always", "modelRefs": refs, "emits": emits}] if decided else []
    decisions = [Decision.model_validate(row) for row in rows]
    policy = Policy(
        recipe="default",
        evaluation=Given(facts or Facts(), failure, seconds),  # type: ignore[arg-type]  # a stand-in
        engine=Engine(decisions),
        decisions={decision.name: decision for decision in decisions},
        declared={},
        results={"keyword": "keywords", "fact_check": "fact_check"},
        headers={"keyword": "keywords", "fact_check": "fact-check"},
        default=Candidate("q"),
    )
    names = Names({"auto": "default", "team/fast": "default"}, frozenset({"q"}), LISTING, "auto")
    return Pipeline(names, {"default": policy}, upstream, telemetry)


@dataclass
class Plane:
    """A running data plane: `http` talks to it, `metrics` reads its counters."""

    port: int
    http: aiohttp.ClientSession
    telemetry: Telemetry

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def chat(self, body: Any = None, **options: Any) -> Any:
        """POST a chat request: a JSON value, or the bytes of one."""
        given = {"model": "auto", "messages": [{"role": "user", "content": "hi"}]}
        shown = given if body is None else body
        data = BytesIO(body if isinstance(body, bytes) else json.dumps(shown).encode())
        return self.http.post(f"{self.url}/v1/chat/completions", data=data, **options)

    def metric(self, name: str) -> float:
        """The sum over the series of a metric."""
        lines = self.telemetry.render().decode().splitlines()
        series = (line for line in lines if line.startswith((f"{name}{{", f"{name} ")))
        return sum(float(line.rsplit(" ", 1)[1]) for line in series)


@asynccontextmanager
async def plane(upstream: Upstream | None = None, **options: Any) -> AsyncIterator[Plane]:
    """A data plane over `upstream`; options go to `pipeline`, but for the server's own."""
    preparing, stop_seconds = options.pop("preparing", None), options.pop("stop_seconds", 1.0)
    telemetry = options.pop("telemetry", None) or Telemetry(["q", "auto"])
    seconds = options.pop("body_seconds", BODY_SECONDS)
    body_limit = options.pop("body_limit", BODY_LIMIT)
    chain = pipeline(upstream, telemetry, **options)  # type: ignore[arg-type]  # None: unused
    application = data_plane(DataPlane(lambda: chain, telemetry, created=7), body_limit, seconds)
    if preparing is not None:
        application.on_response_prepare.append(preparing)
    served = runner(application, stop_seconds)
    await served.setup()
    try:
        await web.TCPSite(served, "127.0.0.1", 0).start()
        port = served.addresses[0][1]
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), auto_decompress=False
        ) as http:
            yield Plane(port, http, telemetry)
    finally:
        await served.cleanup()


@asynccontextmanager
async def routed(
    *refs: str | Mapping[str, Any], timeouts: Timeouts | None = None, **options: Any
) -> AsyncIterator[Plane]:
    """A data plane whose model `q` is served by the backends `refs` over real sockets."""
    rows = [{"endpoint": ref} if isinstance(ref, str) else ref for ref in refs]
    model = {"name": "q", "backend_refs": rows} | options.pop("model", {})
    config = Config.model_validate(
        {"providers": {"defaults": {"reasoning_families": FAMILIES}, "models": [model]}}
    )
    telemetry = Telemetry(["q", "auto"])
    async with session() as http:
        upstream = HttpUpstream(backends(config, Random(1)), http, telemetry, timeouts)
        async with plane(upstream, telemetry=telemetry, **options) as running:
            yield running
