"""The management plane's frame: endpoints, bearer tokens, error bodies (spec/http.md 7.2).

Knows no endpoint; `build` mounts those it is given.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import orjson
from aiohttp import web

from orchestrator.config.services import ManagementAuth
from orchestrator.errors import (
    BodyTooLarge,
    Forbidden,
    ModelNotFound,
    RequestError,
    RouterError,
    Unavailable,
    UnreadableImage,
    UnreadableInput,
    quoted,
)
from orchestrator.server import body as bodies
from orchestrator.server.encodings import UnsupportedEncoding, UnsupportedType
from orchestrator.server.middleware import log_bug

MAX_BODY_BYTES = 10 * 1024 * 1024
OPEN = "health.read"  # needs no token, whatever the mode
EVERYTHING = "*"  # the permission that stands for all
READ = frozenset({OPEN, "ready.read", "docs.read", "metrics.read", "classify.invoke"})
SEE_CONFIG = frozenset({"config.read"})  # without its secrets
DEFAULT_ROLES = {
    "viewer": READ | SEE_CONFIG,
    "operator": READ | SEE_CONFIG,
    "admin": frozenset({EVERYTHING}),
}

# Most specific first. The reference router answers 400 to an unknown model name here.
REQUEST_CODES: tuple[tuple[type[RequestError], int, str], ...] = (
    (ModelNotFound, 400, "INVALID_ROUTING_MODEL"),
    (BodyTooLarge, 413, "REQUEST_BODY_TOO_LARGE"),
    (UnsupportedEncoding, 415, "UNSUPPORTED_CONTENT_ENCODING"),
    (UnsupportedType, 415, "UNSUPPORTED_MEDIA_TYPE"),
    (Forbidden, 403, "FORBIDDEN"),
    (UnreadableImage, 400, "INVALID_IMAGE"),
    (UnreadableInput, 422, "UNREADABLE_TEXT"),
    (RequestError, 400, "INVALID_INPUT"),
)
HTTP_CODES = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "REQUEST_BODY_TOO_LARGE"}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    method: str
    path: str
    permission: str  # of spec/http.md 7.2: "metrics.read"
    summary: str
    handler: Handler


@dataclass(frozen=True, slots=True)
class Auth:
    """Who may call what: `tokens` maps a bearer token to a role, `roles` a role to permissions."""

    mode: Literal["disabled", "bearer"] = "disabled"
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    roles: Mapping[str, frozenset[str]] = field(default_factory=lambda: DEFAULT_ROLES)

    def grants(self, authorization: str, permission: str) -> bool:
        """Whether who sends this `Authorization` may do what needs `permission`."""
        if self.mode == "disabled":
            return True
        role = self.role_of(_bearer(authorization))
        granted = frozenset[str]() if role is None else self.roles.get(role, frozenset())
        return permission in granted or EVERYTHING in granted

    def role_of(self, token: str) -> str | None:
        """Compares against every token, so that time tells nothing about any of them."""
        given, role = token.encode("utf-8", "surrogateescape"), None
        for known, its_role in self.tokens.items():
            if hmac.compare_digest(known.encode(), given):
                role = its_role
        return role


def auth_of(settings: ManagementAuth, secret: Callable[[str], str]) -> Auth:
    """What `management_api.auth` says; `secret` gives the value of an environment variable and
    is not asked unless the mode is `bearer`. Roles in the file replace the default ones by name.
    """
    if settings.mode != "bearer":
        return Auth()
    tokens = {secret(token.env): token.role for token in settings.tokens}
    return Auth(settings.mode, tokens, roles_of(settings))


def roles_of(settings: ManagementAuth) -> dict[str, frozenset[str]]:
    """Role -> its permissions."""
    roles = {role: frozenset(granted) for role, granted in settings.roles.items()}
    return DEFAULT_ROLES | roles


def build(endpoints: Iterable[Endpoint], auth: Auth | Callable[[], Auth]) -> web.Application:
    """The management application, with `GET /api/v1` as the index of `endpoints`.

    `auth` may change with the policy: then it is asked at each request.
    """
    mounted = [*endpoints]
    in_force = auth if callable(auth) else lambda: auth

    async def index(request: web.Request) -> web.Response:
        return _listed(mounted)

    mounted.append(Endpoint("GET", "/api/v1", "docs.read", "This list", index))
    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[_errors])
    for endpoint in mounted:
        app.router.add_route(endpoint.method, endpoint.path, _guarded(endpoint, in_force))
    return app


def json_response(body: object, status: int = 200) -> web.Response:
    return web.Response(
        body=orjson.dumps(body), status=status, content_type="application/json", charset="utf-8"
    )


async def read_json(request: web.Request) -> dict[str, Any]:
    """The body as an object. RequestError where it is none."""
    body, _ = await bodies.read_json(request)
    if not isinstance(body, dict):
        raise RequestError("the body must be a JSON object")
    return body


def _listed(endpoints: Iterable[Endpoint]) -> web.Response:
    listed = [{"method": e.method, "path": e.path, "description": e.summary} for e in endpoints]
    return json_response({"service": "triton-semantic-router", "endpoints": listed})


def _guarded(endpoint: Endpoint, auth: Callable[[], Auth]) -> Handler:
    if endpoint.permission == OPEN:
        return endpoint.handler

    async def guarded(request: web.Request) -> web.StreamResponse:
        refusal = _refusal(request, endpoint.permission, auth())
        return refusal or await endpoint.handler(request)

    return guarded


def _bearer(authorization: str) -> str:
    """The token, or nothing."""
    scheme, _, token = authorization.strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _refusal(request: web.Request, permission: str, auth: Auth) -> web.Response | None:
    given = request.headers.get("Authorization", "")
    if auth.grants(given, permission):
        return None
    if not auth.tokens:
        message = "management_api.auth.mode is bearer but no token is set"
        return error_response(401, "MANAGEMENT_AUTH_NOT_CONFIGURED", message)
    role = auth.role_of(_bearer(given))
    if role is None:
        response = error_response(401, "UNAUTHORIZED", "a valid bearer token is required")
        response.headers["WWW-Authenticate"] = "Bearer"
        return response
    return error_response(403, "FORBIDDEN", f"role {role!r} lacks the permission {permission}")


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Every failure as `{"error": {"code", "message", "timestamp"}}`."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        code = HTTP_CODES.get(error.status, "HTTP_ERROR")
        asked = f"{request.method} {quoted(request.path)}"
        response = error_response(error.status, code, f"{error.reason}: {asked}")
        if "Allow" in error.headers:
            response.headers["Allow"] = error.headers["Allow"]
        return response
    except RequestError as error:
        status, code = next((s, c) for kind, s, c in REQUEST_CODES if isinstance(error, kind))
        return error_response(status, code, str(error))
    except Unavailable as error:
        response = error_response(error.status, error.reason, str(error))
        if error.retry_after is not None:
            response.headers["Retry-After"] = str(error.retry_after)
        return response
    except RouterError as error:
        return error_response(error.status, error.code.upper(), str(error))
    except Exception as error:  # noqa: BLE001 - the boundary: the caller gets JSON, whatever it was
        log_bug(f"{request.method} {request.path}", error)
        return error_response(500, "INTERNAL_ERROR", "internal error; the log has the details")


def error_response(status: int, code: str, message: str, **more: object) -> web.Response:
    """`more`: further fields of the error."""
    readable = message.encode("utf-8", "replace").decode()  # may quote halves of surrogate pairs
    timestamp = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    error = {"code": code, "message": readable, "timestamp": timestamp, **more}
    return json_response({"error": error}, status)
