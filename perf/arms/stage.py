"""Starts what the arms of a scenario need, each server once, and stops it afterwards."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from orchestrator.app.fleet import ROUTER, triton_of
from orchestrator.app.policies import compile_file, needed_models
from orchestrator.inference.launch import Front
from orchestrator.inference.server import EmbeddedTriton
from perf.arms import Ready, analyzer, process, proxies, routers, triton
from perf.arms.children import free_port, listening, ready
from perf.arms.repositories import build, without_batching
from perf.arms.triton import Served
from perf.scenario import Arm, InProcess, Proxy, Router, Triton


class Stage:
    """What has been started lives until `stack` is closed."""

    def __init__(self, stack: AsyncExitStack, arms: Sequence[Arm], litellm: Path | None) -> None:
        self._stack = stack
        self._arms = arms
        self._litellm = litellm
        self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tsr-perf-")))
        self._tritons: dict[bool, Served] = {}  # by whether it batches
        self._routers: dict[str, tuple[Served | None, list[str]]] = {}  # policy -> Triton, models
        self._upstream: int | None = None

    async def ready(self, arm: Arm) -> Ready:
        """Raises Unavailable."""
        match arm:
            case InProcess():
                return await process.start(arm, self._stack)
            case Triton(driver="perf_analyzer"):
                return await analyzer.start(arm, await self._triton(arm.batching), self._folder)
            case Triton():
                return await triton.start(arm, await self._triton(arm.batching), self._stack)
            case Router():
                return await self._router(arm)
            case Proxy():
                upstream = await self._backend()
                return await proxies.start(arm, upstream, self._litellm, self._stack)

    async def _triton(self, batching: bool) -> Served:
        """One for all arms that batch, one for those that do not."""
        if batching not in self._tritons:
            wanted = [
                arm for arm in self._arms if isinstance(arm, Triton) and arm.batching == batching
            ]
            copies: dict[str, int] = {arm.model: 1 for arm in wanted}
            for arm in wanted:
                copies[arm.model] = max(copies[arm.model], arm.copies)
            repository = self._folder / ("models" if batching else "models_without_batching")
            names = build(repository, copies, *([] if batching else [without_batching]))
            self._tritons[batching] = await self._served(EmbeddedTriton(repository, names))
        return self._tritons[batching]

    async def _router(self, arm: Router) -> Ready:
        path, port = arm.path, free_port()
        os.environ.update(PERF_PORT=str(port), PERF_UPSTREAM=str(await self._backend()))
        server, models = await self._asked(arm.policy, path)
        if arm.kind == "semantic_router":
            assert server is not None
            return await routers.in_triton(server, models, self._stack)
        command = [sys.executable, "-m", "orchestrator", "serve", "--config", str(path)]
        management = free_port()
        command += ["--port", str(port), "--management-port", str(management)]
        command += ["--triton-url", server.url] if server else []
        pid = await self._stack.enter_async_context(listening(command, port))
        await ready(management, "/ready")  # every model is trusted
        return await routers.over_http(port, pid, self._stack, server=server, models=models)

    async def _asked(self, policy: str, path: Path) -> tuple[Served | None, list[str]]:
        """The Triton of a policy, the router in it; none where nobody asks one."""
        if policy not in self._routers:
            compiled = compile_file(path)
            models = sorted(needed_models(compiled))
            inside = any(
                isinstance(arm, Router) and arm.kind == ROUTER and arm.policy == policy
                for arm in self._arms
            )
            wanted = models or inside
            server = triton_of(compiled, path, None, Front()) if wanted else None
            self._routers[policy] = (await self._served(server) if server else None, models)
        return self._routers[policy]

    async def _served(self, server: EmbeddedTriton) -> Served:
        self._stack.push_async_callback(server.stop)
        await server.start()
        assert server.pid is not None
        return Served(server.url, server.pid)

    async def _backend(self) -> int:
        if self._upstream is None:
            self._upstream = free_port()
            command = [sys.executable, "-m", "perf.upstream", str(self._upstream)]
            await self._stack.enter_async_context(listening(command, self._upstream))
        return self._upstream
