"""A compiled policy, running: signals connected to models, no HTTP port yet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from random import Random

from aiohttp import ClientSession

from orchestrator.app.assembly import build_policies
from orchestrator.app.expectations import expected_labels
from orchestrator.app.lending import Lending
from orchestrator.app.model_plane import ModelPlane, model_plane
from orchestrator.app.names import names_of
from orchestrator.app.policies import Compiled, needed_models
from orchestrator.app.secrets import without_unset
from orchestrator.app.servers import servers_of
from orchestrator.choosing.catalogue import catalogue, qualities
from orchestrator.choosing.polling import Poll
from orchestrator.config.schema import Config
from orchestrator.config.services import Triton
from orchestrator.inference import Inference
from orchestrator.inference.background import Background
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.model_server import Connect
from orchestrator.inference.pictures import Fetch
from orchestrator.pipeline import Pipeline, Policy
from orchestrator.protocols.session import IDENTITY
from orchestrator.standing import Standing
from orchestrator.telemetry import Telemetry
from orchestrator.upstream import Upstream
from orchestrator.upstream.backends import Backend, backends
from orchestrator.upstream.client import HttpUpstream, session
from orchestrator.upstream.linked_pictures import linked_pictures

REMOTE_S = 5.0  # that a remote Triton may hold up the data plane
THREADS = 2  # that read long texts; more would only wait for the interpreter's lock
LONGEST_S = 120.0  # that our own may, or any before a command that asks once and ends

# What a model plane is started for: settings, models, and the labels that signals know of tasks.
Asked = tuple[Triton, tuple[str, ...], Mapping[str, frozenset[str]]]

logger = logging.getLogger("tsr")


@dataclass(frozen=True, slots=True)
class Running:
    compiled: Compiled
    pipeline: Pipeline
    telemetry: Telemetry
    plane: ModelPlane
    standing: Standing
    poll: Poll
    fetch: Fetch | None = None  # of pictures that requests link to

    async def prepare(self) -> None:
        """Await the first look at the models, then embed the rules' candidates; where that fails,
        requests try again.
        """
        await self.plane.looked()
        for policy in self.pipeline.policies.values():
            await policy.evaluation.prepare()
        await self.poll.prepare()

    def came_into_force(self) -> None:
        """Until then the standing knows nothing of this policy, which may yet be refused."""
        self.standing.know(qualities(catalogue(self.compiled.config)))


def _backends(config: Config) -> Mapping[str, Backend]:
    usable, warnings = without_unset(config)
    for warning in warnings:
        logger.warning("%s", warning)
    return backends(usable, Random())


@dataclass(frozen=True, slots=True)
class Shared:
    """What outlives a policy."""

    telemetry: Telemetry
    connections: ClientSession
    planes: Lending[Asked, ModelPlane]
    standing: Standing


@asynccontextmanager
async def sharing(
    telemetry: Telemetry,
    triton_urls: Sequence[str] = (),
    standing: Standing | None = None,
    connect: Connect = Endpoint,
) -> AsyncIterator[Shared]:
    """Nothing is connected to yet. `triton_urls` win over those of any policy. Without `standing`
    nothing is known of the models yet. `connect`: see TritonInference.
    """
    servers = servers_of(telemetry)

    def plane(asked: Asked) -> AbstractAsyncContextManager[ModelPlane]:
        settings, models, expects = asked
        return model_plane(settings, models, triton_urls, telemetry, expects, servers, connect)

    async with session() as connections:
        yield Shared(telemetry, connections, Lending(plane), standing or Standing())


@asynccontextmanager
async def running(
    compiled: Compiled,
    triton_urls: Sequence[str] = (),
    forwards: bool = False,
    telemetry: Telemetry | None = None,
    standing: Standing | None = None,
) -> AsyncIterator[Running]:
    """`assembled`, with everything that it needs."""
    async with (
        sharing(telemetry or telemetry_of(compiled.config), triton_urls, standing) as shared,
        assembled(compiled, shared, forwards) as router,
    ):
        router.came_into_force()
        yield router


@asynccontextmanager
async def assembled(
    compiled: Compiled, shared: Shared, forwards: bool = False, patient: bool = False
) -> AsyncIterator[Running]:
    """Everything behind the ports. Unless it `forwards`, no backend (nor its key) is looked up.

    Waits until the models are trusted and the candidates embedded, within limits: a Triton that
    hangs or is away costs the signals that need it, not the router. `patient`: nobody is served
    later for the longer limit.
    """
    config = compiled.config
    names = names_of(config)
    telemetry = shared.telemetry
    asked = config.global_.services.triton, needed_models(compiled), expected_labels(compiled)
    table = _backends(config) if forwards else {}
    background = Background()
    async with (
        shared.planes.lend(asked) as plane,
        linked_pictures(config.global_.images.fetch) as linked,
    ):
        threads = ThreadPoolExecutor(THREADS, "signals")
        fetch = linked.fetch if linked else None
        try:
            # In a thread: it takes seconds for a large policy, and another one serves meanwhile.
            policies: Mapping[str, Policy] = await asyncio.to_thread(
                build_policies,
                compiled,
                plane.inference,
                telemetry.signal,
                threads,
                fetch,
            )
            upstream = HttpUpstream(table, shared.connections, telemetry, observer=shared.standing)
            poll = poll_of(config, policies, plane.inference, shared.standing, upstream)
            pipeline = Pipeline(names, policies, upstream, telemetry, poll)
            router = Running(compiled, pipeline, telemetry, plane, shared.standing, poll, fetch)
            remote = plane.log_path is None
            preparing = background.start("prepare the signals", router.prepare)
            limit = REMOTE_S if forwards and remote and not patient else LONGEST_S
            _, late = await asyncio.wait({preparing}, timeout=limit)
            if late:
                logger.warning("the models are not ready after %g s; going on without", limit)
            yield router
        finally:
            await background.stop()
            threads.shutdown(wait=False, cancel_futures=True)


def poll_of(
    config: Config,
    policies: Mapping[str, Policy],
    inference: Inference,
    standing: Standing,
    upstream: Upstream,
) -> Poll:
    """What gathers for the selectors of `policies`."""
    texts = [
        text
        for policy in policies.values()
        for selector in policy.selectors
        for text in selector.needs.texts
    ]
    router = config.global_.router
    headers = router.learning.protection.identity.headers
    session, conversation = IDENTITY
    identity = (
        (headers.session or session).lower(),
        (headers.conversation or conversation).lower(),
    )
    return Poll(inference, standing, upstream, texts, router.signal_deadline, identity)


def telemetry_of(config: Config) -> Telemetry:
    names = names_of(config)
    return Telemetry({*names.models, *names.recipes})
