"""What both ports show of the policy in force, exchanged as one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web

from orchestrator.app.collector import settle
from orchestrator.app.model_plane import before, loaded
from orchestrator.app.names import names_of
from orchestrator.app.options import Options, identity_headers
from orchestrator.app.policies import Compiled, encoder_of, needed_models
from orchestrator.app.restarts import restarts
from orchestrator.app.running import Running, Shared, assembled
from orchestrator.config.load import resolve_secret
from orchestrator.errors import NotStarted, Problem
from orchestrator.pipeline import Pipeline
from orchestrator.server.classify import Classify
from orchestrator.server.embeddings import Embeds
from orchestrator.server.evaluate import Evaluate
from orchestrator.server.keys import DataPlane
from orchestrator.server.management import Auth, Endpoint, Handler, auth_of
from orchestrator.server.operate import ReadyStatus
from orchestrator.server.unavailable import Served
from orchestrator.telemetry import Telemetry

Route = tuple[str, str]  # method, path


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
        return Served(self.router.plane.inference, models, deadline)

    def status(self, models: Sequence[str]) -> ReadyStatus:
        """`models` are those that the policy needs."""
        found = before(models) if self.router is None else self.router.plane.status()
        found = replace(found, config=self.config())
        return replace(found, status="stopping") if self.stopping else found


@dataclass(frozen=True, slots=True)
class Face:
    """Of one policy. `handlers` are those of the management plane that depend on it."""

    router: Running | None  # None: it is not made yet
    handlers: Mapping[Route, Handler]
    auth: Auth
    identity: tuple[str, str]


def face_of(compiled: Compiled, router: Running | None = None) -> Face:
    """Raises ConfigError where a token is not set."""
    endpoints = policy_endpoints(compiled, Life(router))
    return Face(
        router,
        {(one.method, one.path): one.handler for one in endpoints},
        auth_of(compiled.config.global_.services.management_api.auth, resolve_secret),
        identity_headers(compiled.config),
    )


def policy_endpoints(compiled: Compiled, life: Life) -> list[Endpoint]:
    """Those that depend on the policy, which is `life`'s."""
    config, asked = compiled.config, needed_models(compiled)

    def serve() -> Served:
        return life.served(asked)

    identity = identity_headers(config)
    parts = (
        Evaluate(life.pipeline, identity),
        Classify(serve, life.pipeline, config, identity),
        Embeds(serve, config.global_.images, encoder_of(config)),
    )
    return [endpoint for part in parts for endpoint in part.endpoints()]


@dataclass(slots=True)
class Shown:
    """The face that is shown. The ports, and what is mounted on them, stay."""

    face: Face
    data_plane: DataPlane
    needed: Sequence[str] = field(default=())  # models

    def auth(self) -> Auth:
        return self.face.auth

    def mounted(self, endpoint: Endpoint) -> Endpoint:
        """The same, answered by the face that is shown when a request comes."""

        async def handle(request: web.Request) -> web.StreamResponse:
            return await self.face.handlers[endpoint.method, endpoint.path](request)

        return replace(endpoint, handler=handle)


class Faces:
    """Makes and shows them: see `reloading.Surroundings`. `started`: with what the ports were
    opened.
    """

    def __init__(
        self,
        shared: Shared,
        shown: Shown,
        life: Life,
        started: Compiled,
        options: Options,
        release: str,
    ) -> None:
        self._shared = shared
        self._shown = shown
        self._life = life
        self._started = started.config
        self._options = options
        self._release = release

    def make(self, compiled: Compiled, patient: bool) -> AbstractAsyncContextManager[Running]:
        return assembled(compiled, self._shared, forwards=True, patient=patient)

    def face(self, router: Running) -> Face:
        return face_of(router.compiled, router)

    def install(self, face: Face) -> None:
        router = face.router
        if router is None:
            raise AssertionError("only what runs is installed")
        router.came_into_force()
        self._life.router = router
        self._shown.face = face
        self._shown.needed = needed(router.compiled)
        self._shown.data_plane.identity_headers = face.identity
        tell(self._shared.telemetry, router.compiled, self._release)

    def restarts(self, compiled: Compiled) -> tuple[Problem, ...]:
        return restarts(self._started, compiled.config, self._options)

    def retired(self, old: Compiled, in_force: Compiled) -> None:
        self._shared.telemetry.left({*needed(old)} - {*needed(in_force)})
        settle()


def needed(compiled: Compiled) -> tuple[str, ...]:
    """Models that have to be loaded."""
    return loaded(compiled.config.global_.services.triton, needed_models(compiled))


def tell(telemetry: Telemetry, compiled: Compiled, release: str) -> None:
    names = names_of(compiled.config)
    telemetry.configured({*names.models, *names.recipes}, release, compiled.digest)
