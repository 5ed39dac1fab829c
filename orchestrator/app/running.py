"""A compiled policy, running: signals connected to models, no HTTP port yet."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random

from orchestrator.app.model_plane import ModelPlane, model_plane
from orchestrator.app.names import names_of
from orchestrator.app.policies import Compiled, build_policies, needed_models
from orchestrator.app.secrets import without_unset
from orchestrator.config.schema import Config
from orchestrator.pipeline import Pipeline, Policy
from orchestrator.telemetry import Telemetry
from orchestrator.upstream.backends import Backend, backends
from orchestrator.upstream.client import HttpUpstream, session

logger = logging.getLogger("tsr")


@dataclass(frozen=True, slots=True)
class Running:
    compiled: Compiled
    pipeline: Pipeline
    telemetry: Telemetry
    plane: ModelPlane

    async def prepare(self) -> None:
        """Embed the rules' candidates; where that fails, requests try again."""
        for policy in self.pipeline.policies.values():
            await policy.evaluation.prepare()


def _backends(config: Config) -> Mapping[str, Backend]:
    usable, warnings = without_unset(config)
    for warning in warnings:
        logger.warning("%s", warning)
    return backends(usable, Random())


@asynccontextmanager
async def running(
    compiled: Compiled, triton_urls: Sequence[str] = (), forwards: bool = False
) -> AsyncIterator[Running]:
    """Everything behind the ports. Unless it `forwards`, no backend (nor its key) is looked up."""
    config = compiled.config
    names = names_of(config)
    telemetry = Telemetry({*names.models, *names.recipes})
    settings = config.global_.services.triton
    table = _backends(config) if forwards else {}
    async with (
        model_plane(settings, needed_models(compiled), triton_urls, telemetry) as plane,
        session() as connections,
    ):
        policies: Mapping[str, Policy] = build_policies(compiled, plane.inference, telemetry.signal)
        upstream = HttpUpstream(table, connections, telemetry)
        router = Running(compiled, Pipeline(names, policies, upstream, telemetry), telemetry, plane)
        await router.prepare()
        yield router
