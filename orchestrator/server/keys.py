"""What handlers find on the application and on a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

from orchestrator.pipeline import Names, Policy
from orchestrator.protocols.chat_completions import IDENTITY_HEADERS
from orchestrator.telemetry import Telemetry
from orchestrator.types import Request, Route
from orchestrator.upstream import Answer


class Serving(Protocol):
    """The part of the pipeline that the data plane uses."""

    names: Names
    policies: Mapping[str, Policy]

    async def route(self, request: Request) -> Route: ...

    def forward(self, request: Request, route: Route) -> AbstractAsyncContextManager[Answer]: ...


@dataclass(slots=True)
class DataPlane:
    """What the chat endpoints need. `pipeline` gives the one in force, which a reload replaces;
    `identity_headers` are of the same policy, and change at the same moment.
    """

    pipeline: Callable[[], Serving]
    telemetry: Telemetry
    identity_headers: tuple[str, str] = IDENTITY_HEADERS  # lower-case: user, groups
    created: int = 0  # Unix seconds; `created` of the models listed


DATA_PLANE = web.AppKey("data_plane", DataPlane)
REQUEST_ID = web.RequestKey("request_id", str)
ROUTED = web.RequestKey("routed", Mapping[str, str])  # headers that say what was decided
ENDPOINT = web.RequestKey("endpoint", str)  # the backend that answers
STARTED = web.RequestKey("started", bool)  # the answer's headers have been sent
