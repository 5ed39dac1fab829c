"""A Triton with the router in it, for callers that speak to Triton alone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from dataclasses import replace
from functools import partial
from pathlib import Path

from orchestrator.app.expectations import expected_labels
from orchestrator.app.model_plane import loaded, model_plane, repository_of, there
from orchestrator.app.policies import Compiled, needed_models
from orchestrator.config.load import POLICY, variables
from orchestrator.errors import InferenceError
from orchestrator.inference.background import Background
from orchestrator.inference.checkup import INTERVAL_S
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.launch import Front
from orchestrator.inference.model_server import Fault
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.telemetry import Telemetry

logger = logging.getLogger("tsr")

ROUTER = "semantic_router"  # its folder in the model repository
ANSWER_S = 90.0  # it answers late while it starts


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
    serving = asyncio.ensure_future(_serve(server, compiled))
    stopping = asyncio.ensure_future(stopped.wait())
    try:
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            await serving
    finally:
        for task in (serving, stopping):
            task.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await server.stop()


async def _serve(server: EmbeddedTriton, compiled: Compiled) -> None:
    """Until cancelled. What dies in Triton is loaded anew from here, since a router inside of it
    cannot do that.
    """
    await server.start()
    settings = compiled.config.global_.services.triton
    watching = model_plane(
        settings, needed_models(compiled), [server.url], Telemetry(), expected_labels(compiled)
    )
    endpoint, background = Endpoint(server.url), Background()
    async with watching:
        logger.info("%s answers at %s (gRPC)", ROUTER, server.url)
        background.start(f"watch {ROUTER}", partial(revive, endpoint))
        try:
            await asyncio.Event().wait()
        finally:
            await background.stop()
            await endpoint.close()


async def revive(endpoint: Endpoint, interval_s: float = INTERVAL_S) -> None:
    """For ever: load the router again where its process has died."""
    while True:
        await asyncio.sleep(interval_s)
        endpoint.forget(ROUTER)
        try:
            await endpoint.infer(ROUTER, {"REQUEST": [b"{}"]}, [], ANSWER_S)
        except InferenceError as error:  # an empty request is refused by one that lives
            if endpoint.faults.get(ROUTER) in (Fault.DEAD_INSTANCE, Fault.NOT_LOADED):
                logger.warning("%s; loading it again", error)
                with contextlib.suppress(InferenceError):
                    await endpoint.reload(ROUTER)
