"""What operators and their machines ask: alive, ready, metrics, the API's own description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from orchestrator.server.management import OPEN, Endpoint, json_response
from orchestrator.telemetry import CONTENT_TYPE, Telemetry


@dataclass(frozen=True, slots=True)
class TritonStatus:
    url: str
    ready: bool


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One signal model that the policy needs."""

    name: str
    version: str = ""
    device: str = ""  # "cpu", "gpu:0"
    trusted: bool = False  # warm, and its answers agree with the reference
    reason: str = ""  # why it is not trusted
    parity: Mapping[str, float] = field(default_factory=dict)  # measure -> value


@dataclass(frozen=True, slots=True)
class ReadyStatus:
    """`status`: ready takes traffic; degraded takes it too, because the policy allows to run
    without some model; starting, stopping and failed do not.
    """

    status: Literal["ready", "degraded", "starting", "stopping", "failed"]
    triton: tuple[TritonStatus, ...] = ()
    models: tuple[ModelStatus, ...] = ()
    message: str = ""

    @property
    def serves(self) -> bool:
        return self.status in ("ready", "degraded")


class Operate:
    """`status` is asked at each call; `document` is what /openapi.json returns."""

    def __init__(
        self,
        telemetry: Telemetry,
        status: Callable[[], ReadyStatus],
        document: Mapping[str, Any],
    ) -> None:
        self._telemetry = telemetry
        self._status = status
        self._document = document

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint("GET", "/health", OPEN, "The process is alive", self.health),
            Endpoint("GET", "/ready", "ready.read", "It takes traffic; 503 if not", self.ready),
            Endpoint(
                "GET", "/startup-status", "ready.read", "How far start-up is", self.startup_status
            ),
            Endpoint("GET", "/metrics", "metrics.read", "Prometheus metrics", self.metrics),
            Endpoint("GET", "/openapi.json", "docs.read", "This API, described", self.openapi),
        ]

    async def health(self, request: web.Request) -> web.Response:
        return json_response({"status": "healthy", "service": "classification-api"})

    async def ready(self, request: web.Request) -> web.Response:
        now = self._status()
        body: dict[str, Any] = {
            "status": now.status,
            "triton": [{"url": server.url, "ready": server.ready} for server in now.triton],
            "models": [_model(model) for model in now.models],
        }
        if now.message:
            body["message"] = now.message
        return json_response(body, 200 if now.serves else 503)

    async def startup_status(self, request: web.Request) -> web.Response:
        now = self._status()
        pending = [model.name for model in now.models if not model.trusted]
        return json_response(
            {
                "phase": now.status,
                "ready": now.serves,
                "message": now.message,
                "pending_models": pending,
                "ready_models": len(now.models) - len(pending),
                "total_models": len(now.models),
            }
        )

    async def metrics(self, request: web.Request) -> web.Response:
        return web.Response(body=self._telemetry.render(), headers={"Content-Type": CONTENT_TYPE})

    async def openapi(self, request: web.Request) -> web.Response:
        return json_response(self._document)


def _model(model: ModelStatus) -> dict[str, Any]:
    return {
        "name": model.name,
        "version": model.version,
        "device": model.device,
        "trusted": model.trusted,
        "reason": model.reason,
        "parity": dict(model.parity),
    }
