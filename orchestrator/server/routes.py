"""Every route of the data plane on one page."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any

from aiohttp import web

from orchestrator.server.body import BODY_SECONDS, UPLOADS, Uploads
from orchestrator.server.chat import chat_completions
from orchestrator.server.keys import DATA_PLANE, DataPlane
from orchestrator.server.middleware import boundary
from orchestrator.server.models import list_models, retrieve_model

BODY_LIMIT = 32 << 20  # bytes; aiohttp's own 1 MiB refuses most pictures
HEADER_LIMIT = 32 << 10  # bytes; tokens of identity providers outgrow aiohttp's 8 190


def data_plane(
    plane: DataPlane, body_limit: int = BODY_LIMIT, body_seconds: float = BODY_SECONDS
) -> web.Application:
    """The application behind `listeners`. Any other path is a JSON 404, any other method 405."""
    application = web.Application(middlewares=[boundary], client_max_size=body_limit)
    application[DATA_PLANE] = plane
    application[UPLOADS] = uploads = Uploads(body_seconds)
    application.on_shutdown.append(uploads.close)
    application.router.add_post("/v1/chat/completions", chat_completions)
    application.router.add_get("/v1/models", list_models)
    application.router.add_get("/v1/models/{id:.+}", retrieve_model)
    return application


class WithoutTraceback(logging.LoggerAdapter[logging.Logger]):
    """aiohttp's tracebacks quote what came over the wire: keys, prompts."""

    def process(
        self, msg: object, kwargs: MutableMapping[str, Any]
    ) -> tuple[object, MutableMapping[str, Any]]:
        return msg, {**kwargs, "exc_info": None}


def runner(application: web.Application, shutdown_timeout: float = 60.0) -> web.AppRunner:
    """Cancels a handler as soon as its client leaves, which aiohttp does only when told to."""
    return web.AppRunner(
        application,
        handler_cancellation=True,
        auto_decompress=False,  # see encodings.py
        access_log=None,
        logger=WithoutTraceback(logging.getLogger(__name__)),
        max_field_size=HEADER_LIMIT,
        shutdown_timeout=shutdown_timeout,
    )
