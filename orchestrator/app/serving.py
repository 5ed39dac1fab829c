"""The two planes on their ports, until a signal ends them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import signal
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version

from aiohttp import web

from orchestrator import demo
from orchestrator.app.policies import Compiled
from orchestrator.app.running import Running, running
from orchestrator.config.load import resolve_secret
from orchestrator.config.schema import Config
from orchestrator.errors import RouterError
from orchestrator.server import management, routes
from orchestrator.server.evaluate import Evaluate
from orchestrator.server.keys import DataPlane
from orchestrator.server.management import auth_of
from orchestrator.server.openapi import document
from orchestrator.server.operate import Operate

logger = logging.getLogger("tsr")

DEFAULT_LISTENER = ("127.0.0.1", 8899)
DEMO_PORT = 8001
DISTRIBUTION = "triton-semantic-router"
INVITATION = """
Ready. The backend is a stand-in that says which model was asked for. Try, in another terminal:

  curl -si http://{host}:{port}/v1/chat/completions -H 'content-type: application/json' \\
    -d '{{"model":"auto","messages":[{{"role":"user","content":"Why does my python fail?"}}]}}'

Expect `x-vsr-selected-decision: code`; write in another language, or of a lost password, and it
changes. Probe the whole policy: tsr probe configs/demo.probes.yaml --url http://127.0.0.1:8080
Ctrl-C ends it.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says; None and empty leave it to the file."""

    host: str | None = None
    port: int | None = None
    management_port: int | None = None
    triton_urls: Sequence[str] = ()
    demo_upstream: bool = False


def listeners(config: Config, options: Options) -> list[tuple[str, int]]:
    """Addresses of the data plane; `--port` moves the first listener."""
    found = [(one.address, one.port) for one in config.listeners] or [DEFAULT_LISTENER]
    host, port = found[0]
    return [(options.host or host, options.port or port), *found[1:]]


def identity_headers(config: Config) -> tuple[str, str]:
    """Where the authentication layer writes the user and the groups; lower-case."""
    headers = config.global_.services.authz.identity
    return headers.user_id_header, headers.user_groups_header


async def serve(compiled: Compiled, options: Options) -> None:
    """Run until SIGTERM or SIGINT; then stop accepting, let answers end, stop the model plane."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    for warning in compiled.warnings:
        logger.warning("%s", warning)
    async with AsyncExitStack() as stack:
        if options.demo_upstream:
            await _listen(stack, web.AppRunner(demo.application()), "127.0.0.1", DEMO_PORT)
        router = await stack.enter_async_context(
            running(compiled, options.triton_urls, forwards=True)
        )
        await _data_plane(stack, router, options)
        await _management(stack, router, options)
        _announce(router, options)
        await stop.wait()
        logger.info("stopping: no new requests, answers in progress may end")


async def _data_plane(stack: AsyncExitStack, router: Running, options: Options) -> None:
    config = router.compiled.config
    plane = DataPlane(
        pipeline=lambda: router.pipeline,
        telemetry=router.telemetry,
        identity_headers=identity_headers(config),
        created=int(time.time()),
    )
    application = routes.data_plane(plane, config.global_.router.max_body_bytes)
    for host, port in listeners(config, options):
        await _listen(stack, routes.runner(application), host, port)


async def _management(stack: AsyncExitStack, router: Running, options: Options) -> None:
    service = router.compiled.config.global_.services.management_api
    digest = hashlib.sha256(repr(router.compiled.config).encode()).hexdigest()
    names, release = router.pipeline.names, version(DISTRIBUTION)
    router.telemetry.configured({*names.models, *names.recipes}, release, digest)
    router.telemetry.watch_process()
    evaluate = Evaluate(lambda: router.pipeline, identity_headers(router.compiled.config))
    operate = Operate(router.telemetry, router.plane.status, document(release))
    application = management.build(
        [*evaluate.endpoints(), *operate.endpoints()], auth_of(service.auth, resolve_secret)
    )
    port = options.management_port or service.port
    await _listen(stack, web.AppRunner(application, access_log=None), service.bind_address, port)


async def _listen(stack: AsyncExitStack, runner: web.AppRunner, host: str, port: int) -> None:
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise RouterError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None


def _announce(router: Running, options: Options) -> None:
    status = router.plane.status()
    host, port = listeners(router.compiled.config, options)[0]
    logger.info("%s %s", status.status, status.message)
    logger.info("data plane on http://%s:%d/v1", host, port)
    if options.demo_upstream:
        print(INVITATION.format(host=host, port=port), flush=True)
