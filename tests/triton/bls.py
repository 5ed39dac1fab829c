"""One policy file, which a router inside of a real Triton and one over HTTP both follow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from tritonclient.grpc import InferInput
from tritonclient.grpc.aio import InferenceServerClient

from orchestrator.app.fleet import ROUTER
from orchestrator.config.load import POLICY, digest_of
from orchestrator.inference.launch import Front
from orchestrator.inference.server import EmbeddedTriton
from tests.processes import Router, router
from tests.triton import light

LIMIT_S = 120.0  # for models that load and policies that change, on a busy machine


class Caller:
    """What tritonclient alone can do."""

    def __init__(self, url: str) -> None:
        self._client = InferenceServerClient(url)

    async def close(self) -> None:
        await self._client.close()

    async def raw(self, *rows: bytes, **given: Any) -> list[bytes]:
        """Raises InferenceServerException."""
        tensor = InferInput("REQUEST", [len(rows), 1], "BYTES")
        tensor.set_data_from_numpy(np.array(rows, np.object_).reshape(-1, 1))
        answer = await self._client.infer(ROUTER, [tensor], **given)
        return list(answer.as_numpy("ROUTE").ravel())

    async def route(self, body: Mapping[str, Any], **given: Any) -> dict[str, Any]:
        [answer] = await self.raw(json.dumps(body).encode(), **given)
        return dict(json.loads(answer))


@dataclass
class Both:
    file: Path
    models: Path  # the repository
    server: EmbeddedTriton
    http: Router
    caller: Caller

    async def put_patiently(self, text: str) -> None:
        """With time for every signal, so that a busy machine tells nothing about a router."""
        document = yaml.safe_load(text)
        settings = document.setdefault("global", {})
        settings.setdefault("router", {})["signal_deadline"] = "60s"
        triton = settings.setdefault("services", {}).setdefault("triton", {})
        triton.update(deadline="60s", model_repository=str(self.models))
        await self.put(str(yaml.safe_dump(document, allow_unicode=True, sort_keys=False)))

    async def put(self, text: str) -> None:
        """Until both route by it."""
        if self.file.read_text() == text:
            return
        before = self.server.log_path.read_text().count("tsr: policy ")
        self.file.write_text(text)
        digest = digest_of(text)
        async with asyncio.timeout(LIMIT_S):
            while (await self.http.ready())[1]["config"]["hash"] != digest:
                await asyncio.sleep(0.1)
            while self._said(f"policy {digest[:12]} is in force", before) is None:
                await asyncio.sleep(0.1)

    async def until(self, part: str) -> str:
        """The line of Triton's log with `part`, once it is there."""
        async with asyncio.timeout(LIMIT_S):
            while (line := self._said(part, 0)) is None:
                await asyncio.sleep(0.1)
        return line

    async def eval(self, body: Mapping[str, Any]) -> dict[str, Any]:
        url = f"{self.http.management_url}/api/v1/eval"
        async with self.http.http.post(url, json=body) as answer:
            assert answer.status == 200, await answer.text()
            return dict(await answer.json())

    def _said(self, part: str, after: int) -> str | None:
        lines = self.server.log_path.read_text(errors="replace").splitlines()
        attempts = [line for line in lines if "tsr: policy " in line][after:]
        found = attempts if after else lines
        return next((line for line in found if part in line), None)


def timeless(answer: Any) -> Any:
    """Without what is measured by a clock."""
    if isinstance(answer, dict):
        return {key: timeless(one) for key, one in answer.items() if key != "execution_time_ms"}
    return [timeless(one) for one in answer] if isinstance(answer, list) else answer


@asynccontextmanager
async def both(
    text: str, folder: Path, environ: Mapping[str, str], metrics_port: int
) -> AsyncIterator[Both]:
    """Triton has all published models, so that any policy can follow."""
    repository, file = light.write(folder), folder / "policy.yaml"
    file.write_text(text)
    front = Front(metrics_port=metrics_port, environment={**environ, POLICY: str(file)})
    state = folder / "state"
    server = EmbeddedTriton(repository, state_dir=state, front=front, exit_timeout_s=1)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(server.stop)
        await server.start()
        running = router(text, folder, "--triton-url", server.url, environ=environ)
        http = await stack.enter_async_context(running)
        await http.until_serving()
        caller = Caller(server.url)
        stack.push_async_callback(caller.close)
        yield Both(file, repository, server, http, caller)
