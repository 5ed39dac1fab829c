"""A Triton with the router in it, for callers that speak to Triton alone."""

from __future__ import annotations

import asyncio
import logging
import signal
from dataclasses import replace
from pathlib import Path

from orchestrator.app.model_plane import loaded, repository_of, there
from orchestrator.app.policies import Compiled, needed_models
from orchestrator.config.load import POLICY, variables
from orchestrator.inference.launch import Front
from orchestrator.inference.server import EmbeddedTriton

logger = logging.getLogger("tsr")

ROUTER = "semantic_router"  # its folder in the model repository


def triton_of(compiled: Compiled, policy: Path, port: int | None, front: Front) -> EmbeddedTriton:
    """With what the policy asks, and the router, which reads the file and follows its changes.
    It sees the environment of this process, as the policy may name variables.
    """
    settings = compiled.config.global_.services.triton
    repository = repository_of(settings)
    models = there(repository, loaded(settings, needed_models(compiled)))
    environment = {**variables(), **front.environment, POLICY: str(policy.absolute())}
    return EmbeddedTriton(
        repository,
        [*models, ROUTER],
        port=port,
        front=replace(front, environment=environment),
    )


async def serve_triton(compiled: Compiled, policy: Path, port: int | None, front: Front) -> None:
    """Until SIGTERM or SIGINT. Raises ServerStartError."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    server = triton_of(compiled, policy, port, front)
    starting = asyncio.ensure_future(server.start())
    stopping = asyncio.ensure_future(stopped.wait())
    try:
        await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            await starting
            logger.info("%s answers at %s (gRPC)", ROUTER, server.url)
            await stopping
    finally:
        stopping.cancel()
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        await server.stop()
