"""What operators and their machines ask: alive, ready, metrics, the API's own description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from orchestrator.inference.checkup import Trust
from orchestrator.inference.goldens import Parity
from orchestrator.inference.trust import ServerState
from orchestrator.server.management import OPEN, Endpoint, json_response
from orchestrator.telemetry import CONTENT_TYPE, Telemetry


@dataclass(frozen=True, slots=True)
class ReadyStatus:
    """`status` of the whole router; only "ready" takes all traffic as the policy means it.

    starting: some model that the policy needs has not been trusted yet. degraded: all were, some
    is not now; requests are answered without its signals. stopping: no new requests.
    """

    status: Literal["starting", "ready", "degraded", "stopping"]
    triton: tuple[ServerState, ...] = ()
    models: tuple[Trust, ...] = ()  # that the policy needs
    message: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)  # in force, and the last attempt

    @property
    def ready(self) -> bool:
        return self.status == "ready"


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
            Endpoint(
                "GET", "/ready", "ready.read", "Every model is trusted; 503 if not", self.ready
            ),
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
        if now.config:
            body["config"] = now.config
        return json_response(body, 200 if now.ready else 503)

    async def startup_status(self, request: web.Request) -> web.Response:
        now = self._status()
        pending = [model.model for model in now.models if not model.trusted]
        return json_response(
            {
                "phase": now.status,
                "ready": now.ready,
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


def _model(model: Trust) -> dict[str, Any]:
    return {
        "name": model.model,
        "version": model.version,
        "device": model.device,
        "trusted": model.trusted,
        "reason": model.reason,
        "parity": {} if model.parity is None else _parity(model.parity),
    }


def _parity(parity: Parity) -> dict[str, float]:
    found = {
        "min_cosine": round(parity.min_cosine, 6),
        "mean_cosine": round(parity.mean_cosine, 6),
        "count": parity.count,
        "tolerance": parity.tolerance,
    }
    for name, difference in (
        ("max_probability_difference", parity.probability),
        ("max_span_score_difference", parity.span_score),
    ):
        if difference is not None:  # the model classifies
            found[name] = round(difference, 6)
    return found
