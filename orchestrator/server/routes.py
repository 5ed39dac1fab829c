"""Every route of the data plane on one page."""

from __future__ import annotations

from aiohttp import web

from orchestrator.server.chat import chat_completions
from orchestrator.server.keys import DATA_PLANE, DataPlane
from orchestrator.server.middleware import boundary
from orchestrator.server.models import list_models, retrieve_model

BODY_LIMIT = 32 << 20  # bytes; aiohttp's own 1 MiB refuses most pictures


def data_plane(plane: DataPlane, body_limit: int = BODY_LIMIT) -> web.Application:
    """The application behind `listeners`. Any other path is a JSON 404, any other method 405."""
    application = web.Application(middlewares=[boundary], client_max_size=body_limit)
    application[DATA_PLANE] = plane
    application.router.add_post("/v1/chat/completions", chat_completions)
    application.router.add_get("/v1/models", list_models)
    application.router.add_get("/v1/models/{id:.+}", retrieve_model)
    return application


def runner(application: web.Application, shutdown_timeout: float = 60.0) -> web.AppRunner:
    """Cancels a handler as soon as its client leaves, which aiohttp does only when told to."""
    return web.AppRunner(
        application,
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=shutdown_timeout,
    )
