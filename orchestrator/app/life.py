"""How far the process has come: what runs in it, and what handlers are told of that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from orchestrator.app.model_plane import before
from orchestrator.app.running import Running
from orchestrator.errors import NotStarted
from orchestrator.pipeline import Pipeline
from orchestrator.server.operate import ReadyStatus
from orchestrator.server.unavailable import Served


@dataclass(slots=True)
class Life:
    """Of the process: `router` is None until it is made; `stopping` from the first SIGTERM or
    SIGINT on. `hangup` is set by a SIGHUP. `config` reports what is in force.
    """

    router: Running | None = None
    stopping: bool = False
    hangup: asyncio.Event = field(default_factory=asyncio.Event)
    config: Callable[[], Mapping[str, Any]] = dict

    def pipeline(self) -> Pipeline:
        if self.router is None:
            raise NotStarted("the router is starting")
        return self.router.pipeline

    def served(self, models: Sequence[str]) -> Served:
        """`models` are those that the policy asks."""
        if self.router is None:
            raise NotStarted("the router is starting")
        deadline = self.router.compiled.config.global_.services.triton.deadline
        plane = self.router.plane
        return Served(plane.inference, models, deadline, plane.stand_ins)

    def status(self, models: Sequence[str]) -> ReadyStatus:
        """`models` are those that the policy needs."""
        found = before(models) if self.router is None else self.router.plane.status()
        found = replace(found, config=self.config())
        return replace(found, status="stopping") if self.stopping else found
