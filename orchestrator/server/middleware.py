"""Around every request: its id, one log line (at DEBUG), errors as bodies OpenAI clients read."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Mapping
from random import getrandbits

from aiohttp import web
from aiohttp.typedefs import Handler

from orchestrator.errors import RouterError, quoted
from orchestrator.protocols.chat_completions import error_body, status_body
from orchestrator.server import headers
from orchestrator.server.keys import ENDPOINT, REQUEST_ID, ROUTED, STARTED
from orchestrator.types import EMPTY

LOG = logging.getLogger(__name__)
ID_LENGTH = 128  # a longer id is not an id


@web.middleware
async def boundary(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Nothing but an answer leaves: every error becomes a JSON body with the right status."""
    request[REQUEST_ID] = _request_id(request.headers.get(headers.REQUEST_ID, ""))
    started = time.perf_counter()
    status = 499  # the client left; nobody sees it but the log
    try:
        try:
            response = await handler(request)
        except Exception as error:  # noqa: BLE001 - a boundary: a bug of ours is a 500, not a hang-up
            response = _refusal(request, error)
        status = response.status
        if not response.prepared:  # a stream has sent its headers, this one among them
            response.headers[headers.REQUEST_ID] = request[REQUEST_ID]
        return response
    finally:
        if LOG.isEnabledFor(logging.DEBUG):
            spent = (time.perf_counter() - started) * 1000
            line = (request.method, request.path, status, spent, request[REQUEST_ID])
            LOG.debug("%s %s %d %.1f ms %s %s", *line, request.get(ENDPOINT, "-"))


def log_bug(what: str, error: Exception) -> None:
    """The exception's text may quote a prompt; its type and its place may not."""
    place = "".join(traceback.format_tb(error.__traceback__))
    LOG.error("%s: %s\n%s", what, type(error).__qualname__, place)


def _refusal(http: web.Request, error: Exception) -> web.Response:
    match error:
        case RouterError():
            if error.status >= 500:
                line = (http[REQUEST_ID], http.get(ENDPOINT, "-"), error.code, error)
                LOG.warning("request %s: %s: %s: %s", *line)
            return _error(error.status, error_body(error), http.get(ROUTED, EMPTY))
        case web.HTTPException():
            return _http_error(http, error)
    log_bug(f"request {http[REQUEST_ID]}", error)
    if http.get(STARTED) and http.transport is not None:
        http.transport.abort()  # half an answer is out: cutting it is the only honest end
    body = status_body(500, "internal error", RouterError.code)
    return _error(500, body, http.get(ROUTED, EMPTY))


def _http_error(http: web.Request, error: web.HTTPException) -> web.Response:
    """404, 405 and 413 come from aiohttp itself."""
    message, code = {
        404: (f"unknown URL: {http.method} {quoted(http.path)}", "unknown_url"),
        405: (f"{http.method} is not allowed on {quoted(http.path)}", "method_not_allowed"),
        413: ("the body is too large", "request_too_large"),
    }.get(error.status, (error.reason, "http_error"))
    response = _error(error.status, status_body(error.status, message, code))
    if allow := error.headers.get("Allow"):
        response.headers["Allow"] = allow
    return response


def _error(status: int, body: bytes, routed: Mapping[str, str] = EMPTY) -> web.Response:
    """`routed`: what was decided before the request failed."""
    told = {**headers.always("error"), **routed}
    return web.Response(status=status, body=body, content_type="application/json", headers=told)


def _request_id(given: str) -> str:
    """The client's own id where it is short printable ASCII, or else a new one."""
    if 0 < len(given) <= ID_LENGTH and given.isascii() and given.isprintable():
        return given
    return f"{getrandbits(128):032x}"  # unique, not secret: no system call
