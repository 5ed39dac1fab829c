"""What both ports show of a policy, exchanged as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from aiohttp import web

from orchestrator.app.life import Life
from orchestrator.app.options import identity_headers
from orchestrator.app.policies import Compiled, encoder_of, needed_models
from orchestrator.app.running import Running
from orchestrator.config.load import resolve_secret
from orchestrator.server.classify import Classify
from orchestrator.server.embeddings import Embeds
from orchestrator.server.evaluate import Evaluate
from orchestrator.server.keys import DataPlane
from orchestrator.server.management import Auth, Endpoint, Handler, auth_of
from orchestrator.server.unavailable import Served

Route = tuple[str, str]  # method, path


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
