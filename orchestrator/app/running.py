"""A compiled policy, running: signals connected to models, no HTTP port yet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random

from orchestrator.app.assembly import build_policies
from orchestrator.app.expectations import expected_labels
from orchestrator.app.model_plane import ModelPlane, model_plane
from orchestrator.app.names import names_of
from orchestrator.app.policies import Compiled, needed_models
from orchestrator.app.secrets import without_unset
from orchestrator.choosing.catalogue import catalogue, qualities
from orchestrator.choosing.polling import Poll
from orchestrator.config.schema import Config
from orchestrator.inference import Inference
from orchestrator.inference.background import Background
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

logger = logging.getLogger("tsr")


@dataclass(frozen=True, slots=True)
class Running:
    compiled: Compiled
    pipeline: Pipeline
    telemetry: Telemetry
    plane: ModelPlane
    standing: Standing
    poll: Poll

    async def prepare(self) -> None:
        """Await the first look at the models, then embed the rules' candidates; where that fails,
        requests try again.
        """
        await self.plane.looked()
        for policy in self.pipeline.policies.values():
            await policy.evaluation.prepare()
        await self.poll.prepare()


def _backends(config: Config) -> Mapping[str, Backend]:
    usable, warnings = without_unset(config)
    for warning in warnings:
        logger.warning("%s", warning)
    return backends(usable, Random())


@asynccontextmanager
async def running(
    compiled: Compiled,
    triton_urls: Sequence[str] = (),
    forwards: bool = False,
    telemetry: Telemetry | None = None,
    standing: Standing | None = None,
) -> AsyncIterator[Running]:
    """Everything behind the ports. Unless it `forwards`, no backend (nor its key) is looked up.
    `standing` outlives a change of policy; without it nothing is known of the models yet.

    Waits until the models are trusted and the candidates embedded, within limits: a Triton that
    hangs or is away costs the signals that need it, not the router.
    """
    config = compiled.config
    names = names_of(config)
    telemetry = telemetry or telemetry_of(config)
    settings = config.global_.services.triton
    table = _backends(config) if forwards else {}
    background = Background()
    async with (
        model_plane(
            settings, needed_models(compiled), triton_urls, telemetry, expected_labels(compiled)
        ) as plane,
        session() as connections,
        linked_pictures(config.global_.images.fetch) as linked,
    ):
        threads = ThreadPoolExecutor(THREADS, "signals")
        policies: Mapping[str, Policy] = build_policies(
            compiled, plane.inference, telemetry.signal, threads, linked.fetch if linked else None
        )
        standing = standing or Standing()
        standing.know(qualities(catalogue(config)))
        upstream = HttpUpstream(table, connections, telemetry, observer=standing)
        poll = poll_of(config, policies, plane.inference, standing, upstream)
        pipeline = Pipeline(names, policies, upstream, telemetry, poll)
        router = Running(compiled, pipeline, telemetry, plane, standing, poll)
        remote = plane.log_path is None
        preparing = background.start("prepare the signals", router.prepare)
        try:
            limit = REMOTE_S if forwards and remote else LONGEST_S
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
