"""The two policies of a comparison, side by side, on one model server where they can be."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from orchestrator.app.assembly import build_policies
from orchestrator.app.expectations import expected_labels
from orchestrator.app.model_plane import model_plane
from orchestrator.app.names import names_of
from orchestrator.app.policies import Compiled, needed_models
from orchestrator.app.running import LONGEST_S, poll_of
from orchestrator.changes.routing import Side
from orchestrator.choosing.catalogue import catalogue, qualities
from orchestrator.config.schema import Strategy, strategy
from orchestrator.evaluation import ignore
from orchestrator.inference import Inference
from orchestrator.inference.offline import Offline
from orchestrator.pipeline import Pipeline
from orchestrator.standing import Standing
from orchestrator.telemetry import Telemetry
from orchestrator.upstream.linked_pictures import linked_pictures
from orchestrator.upstream.nowhere import Nowhere


def models_of(compiled: Sequence[Compiled]) -> tuple[str, ...]:
    """Triton models that any of the policies asks."""
    return tuple(sorted({model for one in compiled for model in needed_models(one)}))


@asynccontextmanager
async def both(
    old: Compiled, new: Compiled, triton_urls: Sequence[str] = (), offline: bool = False
) -> AsyncIterator[tuple[Side, Side]]:
    """Ready to be asked. Policies with the same settings of Triton share one, so that the same
    question of both travels once. `offline`: no model is asked, what needs one is unknown.
    """
    async with AsyncExitStack() as stack:
        if offline:
            groups: list[tuple[Inference, tuple[Compiled, ...]]] = [(Offline(), (old, new))]
        else:
            groups = [
                (await _inference(stack, group, triton_urls), group) for group in _shared(old, new)
            ]
        sides = [
            await _side(stack, one, inference, prepare=not offline)
            for inference, group in groups
            for one in group
        ]
        yield sides[0], sides[1]


def _shared(old: Compiled, new: Compiled) -> list[tuple[Compiled, ...]]:
    same = old.config.global_.services.triton == new.config.global_.services.triton
    return [(old, new)] if same else [(old,), (new,)]


async def _inference(
    stack: AsyncExitStack, group: Sequence[Compiled], urls: Sequence[str]
) -> Inference:
    labels: dict[str, frozenset[str]] = {}
    for compiled in group:
        for task, expected in expected_labels(compiled).items():
            labels[task] = labels.get(task, frozenset()) | expected
    settings = group[0].config.global_.services.triton
    plane = await stack.enter_async_context(
        model_plane(settings, models_of(group), urls, Telemetry(), labels)
    )
    await _in_time(plane.looked())
    return plane.inference


async def _side(
    stack: AsyncExitStack, compiled: Compiled, inference: Inference, prepare: bool
) -> Side:
    config = compiled.config
    linked = await stack.enter_async_context(linked_pictures(config.global_.images.fetch))
    fetch = linked.fetch if linked else None
    policies = build_policies(compiled, inference, ignore, fetch=fetch)
    for policy in policies.values() if prepare else ():
        await _in_time(policy.evaluation.prepare())
    poll = poll_of(config, policies, inference, Standing(qualities(catalogue(config))), Nowhere())
    if prepare:
        await _in_time(poll.prepare())
    pipeline = Pipeline(names_of(config), policies, Nowhere(), Telemetry(), poll)
    strategies: Mapping[str, Strategy] = {
        one.profile.name: strategy(config, one.profile.routing) for one in compiled.blueprints
    }
    return Side(pipeline, strategies)


async def _in_time(waiting: Coroutine[Any, Any, None]) -> None:
    """A model server that hangs costs the signals that need it, not the command."""
    with suppress(TimeoutError):
        await asyncio.wait_for(waiting, LONGEST_S)
