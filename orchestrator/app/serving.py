"""The two planes on their ports, until a signal ends them."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from importlib.metadata import version

from aiohttp import web

from orchestrator import demo
from orchestrator.app.attempts import Attempts
from orchestrator.app.collector import quiet, settle
from orchestrator.app.exchange import Faces, needed, tell
from orchestrator.app.faces import Shown, face_of, policy_endpoints
from orchestrator.app.following import followed
from orchestrator.app.life import Life
from orchestrator.app.options import (
    Address,
    Options,
    demo_addresses,
    listeners,
    management_address,
    management_url,
)
from orchestrator.app.policies import Compiled
from orchestrator.app.readers import Readers, counted
from orchestrator.app.reloading import Reloader
from orchestrator.app.running import Running, sharing, telemetry_of
from orchestrator.app.sockets import bind, cannot_listen
from orchestrator.errors import RouterError
from orchestrator.server import management, routes
from orchestrator.server.config_api import ConfigApi
from orchestrator.server.keys import DataPlane
from orchestrator.server.openapi import document
from orchestrator.server.operate import Operate

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


async def serve(compiled: Compiled, options: Options) -> None:
    """Run until SIGTERM or SIGINT; then stop accepting, let answers end, stop the model plane.
    At SIGHUP the policy file is read again.

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

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    loop.add_signal_handler(signal.SIGHUP, life.hangup.set)
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
    face = face_of(compiled)
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
    telemetry, release = telemetry_of(config), version(DISTRIBUTION)
    tell(telemetry, compiled, release)
    telemetry.watch_process()
    shared = await stack.enter_async_context(sharing(telemetry, options.triton_urls))
    plane = DataPlane(life.pipeline, telemetry, face.identity, int(time.time()))
    shown = Shown(face, plane, needed(compiled))
    readers, attempts = Readers(), Attempts(telemetry)
    life.config = attempts.report
    faces = Faces(shared, shown, life, compiled, options, release)
    reloader = Reloader(faces, readers, attempts, options.config)
    operate = Operate(telemetry, lambda: life.status(shown.needed), document(release))
    parts = (operate, ConfigApi(reloader, shown.auth))
    fixed = [endpoint for part in parts for endpoint in part.endpoints()]
    varying = [shown.mounted(endpoint) for endpoint in policy_endpoints(compiled, life)]
    application = management.build([*varying, *fixed], shown.auth)
    application.middlewares.append(counted(readers))
    served = routes.runner(application, shutdown_timeout=1.0)
    await _listen(stack, served, management_ports)
    logger.info("management plane on %s", management_url(config, options))
    stack.enter_context(quiet())
    stack.push_async_callback(reloader.close)
    await reloader.start(compiled)
    settle()
    application = routes.data_plane(plane, config.global_.router.max_body_bytes)
    application.middlewares.append(counted(readers))
    await _listen(stack, routes.runner(application), data_ports)
    following = followed(reloader, options.config, options.watch, life.hangup)
    await stack.enter_async_context(following)
    _announce(reloader.router, options)


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
