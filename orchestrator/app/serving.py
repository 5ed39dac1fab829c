"""The two planes on their ports, until a signal ends them."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version

from aiohttp import web

from orchestrator import demo
from orchestrator.app.collector import quiet
from orchestrator.app.model_plane import before, loaded
from orchestrator.app.names import names_of
from orchestrator.app.options import (
    Address,
    Options,
    demo_addresses,
    identity_headers,
    listeners,
    management_address,
    management_url,
)
from orchestrator.app.policies import Compiled, needed_models
from orchestrator.app.running import Running, running, telemetry_of
from orchestrator.app.sockets import bind, cannot_listen
from orchestrator.config.load import resolve_secret
from orchestrator.errors import NotStarted, RouterError
from orchestrator.pipeline import Pipeline
from orchestrator.server import management, routes
from orchestrator.server.classify import Classify
from orchestrator.server.embeddings import Embeds
from orchestrator.server.evaluate import Evaluate
from orchestrator.server.keys import DataPlane
from orchestrator.server.management import Auth, auth_of
from orchestrator.server.openapi import document
from orchestrator.server.operate import Operate, ReadyStatus
from orchestrator.server.unavailable import Served
from orchestrator.telemetry import Telemetry

logger = logging.getLogger("tsr")

BACKLOG = 1024  # connections of a burst that wait to be accepted
DISTRIBUTION = "triton-semantic-router"
DEMO_TAKEN = (
    "--with-demo-upstream listens where the policy's backends are: leave the flag out where "
    "one runs there, or change the endpoint"
)
INVITATION = """
{state} The backend is a stand-in that says which model was asked for. Try, in another terminal:

  curl -si http://{host}:{port}/v1/chat/completions -H 'content-type: application/json' \\
    -d '{{"model":"auto","messages":[{{"role":"user","content":"Why does my python fail?"}}]}}'

`x-vsr-selected-decision` names the decision that won; other texts win others. With a file of
probes (configs/*.probes.yaml) all are tried: .venv/bin/tsr probe FILE --url {management}
Ctrl-C ends it.
"""


@dataclass(slots=True)
class Life:
    """Of the process: `router` is None until it is made; `stopping` from the first SIGTERM or
    SIGINT on.
    """

    router: Running | None = None
    stopping: bool = False

    def pipeline(self) -> Pipeline:
        if self.router is None:
            raise NotStarted("the router is starting")
        return self.router.pipeline

    def served(self, models: Sequence[str]) -> Served:
        """`models` are those that the policy asks."""
        if self.router is None:
            raise NotStarted("the router is starting")
        deadline = self.router.compiled.config.global_.services.triton.deadline
        return Served(self.router.plane.inference, models, deadline)

    def status(self, models: Sequence[str]) -> ReadyStatus:
        """`models` are those that the policy needs."""
        found = before(models) if self.router is None else self.router.plane.status()
        return replace(found, status="stopping") if self.stopping else found


async def serve(compiled: Compiled, options: Options) -> None:
    """Run until SIGTERM or SIGINT; then stop accepting, let answers end, stop the model plane.

    A signal during the start ends it, one during the end cuts the answers in progress. Raises
    RouterError for a port that is taken or a token that is not set, before anything starts.
    """
    life, task = Life(), asyncio.current_task()
    if task is None:
        raise AssertionError("a coroutine runs in a task")

    def stop() -> None:
        if not life.stopping:
            logger.info("stopping: no new requests, answers in progress may end")
        life.stopping = True
        task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    try:
        async with AsyncExitStack() as stack:
            await _start(stack, compiled, options, life)
            await asyncio.Event().wait()
    except asyncio.CancelledError:
        if not life.stopping:
            raise
        while task.uncancel():
            pass


async def _start(stack: AsyncExitStack, compiled: Compiled, options: Options, life: Life) -> None:
    config = compiled.config
    auth = auth_of(config.global_.services.management_api.auth, resolve_secret)
    demo_ports = _bind(stack, demo_addresses(config), DEMO_TAKEN) if options.demo_upstream else []
    data_ports = _bind(stack, listeners(config, options), "choose another with --port")
    management_ports = _bind(
        stack, [management_address(config, options)], "choose another with --management-port"
    )
    for warning in compiled.warnings:
        logger.warning("%s", warning)
    if options.demo_upstream:
        await _listen(stack, web.AppRunner(demo.application(), access_log=None), demo_ports)
    # The stack unwinds backwards: the management plane answers from the first moment to the last.
    telemetry = telemetry_of(config)
    await _listen(stack, _management(compiled, telemetry, auth, life), management_ports)
    logger.info("management plane on %s", management_url(config, options))
    made = running(compiled, options.triton_urls, forwards=True, telemetry=telemetry)
    life.router = await stack.enter_async_context(made)
    stack.enter_context(quiet())
    await _listen(stack, _data_plane(life.router), data_ports)
    _announce(life.router, options)


def _data_plane(router: Running) -> web.AppRunner:
    config = router.compiled.config
    plane = DataPlane(
        pipeline=lambda: router.pipeline,
        telemetry=router.telemetry,
        identity_headers=identity_headers(config),
        created=int(time.time()),
    )
    return routes.runner(routes.data_plane(plane, config.global_.router.max_body_bytes))


def _management(compiled: Compiled, telemetry: Telemetry, auth: Auth, life: Life) -> web.AppRunner:
    config = compiled.config
    asked = needed_models(compiled)
    needed = loaded(config.global_.services.triton, asked)
    names, release = names_of(config), version(DISTRIBUTION)
    telemetry.configured({*names.models, *names.recipes}, release, compiled.digest)
    telemetry.watch_process()
    evaluate = Evaluate(life.pipeline, identity_headers(config))
    serve = partial(life.served, asked)
    classify = Classify(serve, life.pipeline, config, identity_headers(config))
    operate = Operate(telemetry, lambda: life.status(needed), document(release))
    embeds = Embeds(serve, config.global_.images)
    parts = (evaluate, classify, embeds, operate)
    application = management.build([e for part in parts for e in part.endpoints()], auth)
    return routes.runner(application, shutdown_timeout=1.0)


def _bind(stack: AsyncExitStack, addresses: Sequence[Address], advice: str) -> list[socket.socket]:
    """Raises RouterError with `advice` where one cannot be had."""
    bound = []
    for host, port in addresses:
        try:
            found = bind(host, port)
        except RouterError as error:
            raise RouterError(f"{error}; {advice}") from None
        for one in found:
            stack.callback(one.close)
        bound += found
    return bound


async def _listen(
    stack: AsyncExitStack, runner: web.AppRunner, ports: Sequence[socket.socket]
) -> None:
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    for port in ports:
        try:
            await web.SockSite(runner, port, backlog=BACKLOG).start()
        except OSError as error:  # another process was quicker between `bind` and now
            host, number, *_ = port.getsockname()
            raise cannot_listen(host, number, error) from None


def _announce(router: Running, options: Options) -> None:
    config, status = router.compiled.config, router.plane.status()
    logger.info("%s %s", status.status, status.message)
    for host, port in listeners(config, options):
        logger.info("data plane on http://%s:%d/v1", host, port)
    if options.demo_upstream:
        host, port = listeners(config, options)[0]
        url = management_url(config, options)
        state = "Ready." if status.ready else f"Not ready, see {url}/ready."
        print(INVITATION.format(state=state, host=host, port=port, management=url), flush=True)
