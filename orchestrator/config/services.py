"""`global.services` (spec/config.md 1.6): the router's own interfaces and what watches them."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from orchestrator.config.fields import (
    NOT_RUN,
    NOT_RUN_IF_ON,
    Count,
    Duration,
    Header,
    Name,
    Opaque,
    Port,
    Secrets,
    Strict,
    Variable,
)
from orchestrator.config.observability import Observability


class BatchClassification(Strict):
    max_batch_size: Count | None = None
    """Texts in one request."""
    concurrency_threshold: Count | None = None
    """Texts from which on they are read at once."""
    max_concurrency: Count | None = None
    """Texts read at a time."""
    metrics: Opaque = {}
    """Of batches."""


class Api(Strict):
    batch_classification: Annotated[BatchClassification, NOT_RUN] = BatchClassification()
    """POST /api/v1/classify/batch."""


class ResponseApi(Strict):
    enabled: bool = True
    """Serves /v1/responses."""
    store_backend: Name = "redis"
    """Where answers are kept."""
    ttl_seconds: Count = 86_400
    """For how long."""
    max_responses: Count = 1000
    """How many."""
    redis: Opaque = {}
    """Its server."""


class IdentityHeaders(Strict):
    """Request headers in which the authentication layer in front of us names the caller."""

    user_id_header: Header = "x-authz-user-id"
    """The user."""
    user_groups_header: Header = "x-authz-user-groups"
    """Groups of the user, separated by commas."""


class AuthzProvider(Strict):
    type: Name
    """Who knows the user's keys."""
    headers: Secrets = {}
    """That carry them."""


class Authz(Strict):
    fail_open: bool = False
    """A request without a user has no roles; or else it is refused."""
    identity: IdentityHeaders = IdentityHeaders()
    """Headers in which the layer before the router names the caller."""
    providers: Annotated[tuple[AuthzProvider, ...], NOT_RUN] = ()
    """Keys of users for backends."""


class RateMatch(Strict):
    user: Name | None = None
    """By name."""
    group: Name | None = None
    """By name."""
    model: Name | None = None
    """By name."""


class RateRule(Strict):
    name: Name
    """In logs."""
    match: RateMatch = RateMatch()
    """Whom it concerns."""
    requests_per_unit: Count | None = None
    """At most."""
    tokens_per_unit: Count | None = None
    """At most."""
    unit: Literal["second", "minute", "hour", "day"]
    """Of time."""


class RateProvider(Strict):
    type: Literal["envoy-ratelimit", "local-limiter"]
    """Who counts."""
    address: Name | None = None
    """Of Envoy's service."""
    domain: Name | None = None
    """There."""
    rules: tuple[RateRule, ...] = ()
    """The limits."""


class RateLimit(Strict):
    fail_open: bool = False
    """A request passes where nobody can count."""
    providers: tuple[RateProvider, ...] = ()
    """Who counts."""


class ManagementToken(Strict):
    env: Variable
    """Holds the token."""
    role: Name
    """Of `roles`, or a role of the format."""


class ManagementAuth(Strict):
    mode: Literal["disabled", "bearer"] = "disabled"
    """Whether callers need a token."""
    tokens: tuple[ManagementToken, ...] = ()
    """That are accepted."""
    roles: dict[str, tuple[Name, ...]] = {}
    """What each role may do; not given: viewer, operator and admin."""


class ManagementApi(Strict):
    """The management plane; `check.references` says when it may leave the machine."""

    bind_address: Name = "127.0.0.1"
    """An IP address, or localhost."""
    port: Port = 8080
    """Of /api, /health, /ready and /metrics."""
    remote_exposure: bool = False
    """Allows addresses that others reach; needs tokens."""
    auth: ManagementAuth = ManagementAuth()
    """Who may ask."""

    @field_validator("bind_address")
    @classmethod
    def _address(cls, value: str) -> str:
        if value != "localhost":
            try:
                ipaddress.ip_address(value)
            except ValueError:
                raise ValueError("bind_address is an IP address or localhost") from None
        return value

    @model_validator(mode="after")
    def _exposed_with_tokens(self) -> Self:
        if self.remote_exposure and not (self.auth.mode == "bearer" and self.auth.tokens):
            raise ValueError("remote_exposure needs auth.mode bearer and at least one token")
        return self


class RouterReplay(Strict):
    enabled: bool = False
    """Records requests with their decisions."""
    store_backend: Name = "memory"
    """Where."""
    ttl_seconds: Count = 2_592_000
    """For how long."""
    async_writes: bool = False
    """After the answer."""
    redis: Opaque = {}
    """Its server."""
    postgres: Opaque = {}
    """Its server."""
    milvus: Opaque = {}
    """Its server."""
    qdrant: Opaque = {}
    """Its server."""


class StartupStatus(Strict):
    store_backend: Name = "file"
    """Where it is written."""
    file: Opaque = {}
    """Its path."""
    redis: Opaque = {}
    """Its server."""


_ADDRESS = re.compile(r"(dns|ipv4|ipv6|unix):\S+|(\[[0-9a-fA-F:.]+\]|[\w.-]+):(?P<port>\d{1,5})")


def grpc_address(url: str) -> str:
    """`url`, which is host:port or one of gRPC's own names. Raises ValueError where it is not:
    gRPC would look for a host called `http`, for ever.
    """
    match = _ADDRESS.fullmatch(url)
    if match is None or (match["port"] and not 0 < int(match["port"]) < 65_536):
        raise ValueError(f"{url!r} is not host:port of a Triton's gRPC service")
    return url


class Triton(Strict):
    """The model server. No URL: a tritonserver is started beside the router."""

    urls: tuple[Name, ...] = ()
    """host:port of gRPC endpoints; none: a Triton is started beside the router."""
    model_repository: Name | None = None
    """Folder of the models and their goldens; not given: the package's own."""
    deadline: Duration = Field(default=2.0, gt=0)
    """Of one inference; as much again for each 8 KiB of text in it."""
    recheck_interval: Duration = Field(default=60.0, gt=0)
    """Between comparisons of the models with their goldens."""
    models: dict[Name, Name] = {}
    """A model that is asked (text_embedding, text_signals): the one that answers in its place."""
    dimension: Count = 0
    """Numbers of a text's embedding, of an encoder that may be cut; 0: all."""

    @field_validator("urls")
    @classmethod
    def _reachable(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(grpc_address(url) for url in urls)


class Services(Strict):
    api: Api = Api()
    """Of the classify endpoints."""
    response_api: Annotated[ResponseApi, NOT_RUN_IF_ON] = ResponseApi()
    """OpenAI's Responses."""
    observability: Observability = Observability()
    """What can be seen from outside."""
    authz: Authz = Authz()
    """Who is asking, for the signal authz."""
    ratelimit: Annotated[RateLimit, NOT_RUN] = RateLimit()
    """How much each may ask."""
    management_api: ManagementApi = ManagementApi()
    """The management port."""
    router_replay: Annotated[RouterReplay, NOT_RUN_IF_ON] = RouterReplay()
    """A record of what was decided."""
    startup_status: Annotated[StartupStatus, NOT_RUN] = StartupStatus()
    """How far the start has come."""
    triton: Triton = Triton()
    """The model server."""
