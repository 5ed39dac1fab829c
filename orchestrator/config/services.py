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
    NotRun,
    Opaque,
    Port,
    Secrets,
    Strict,
    Unit,
    Variable,
)


class BatchClassification(Strict):
    max_batch_size: Count | None = None
    concurrency_threshold: Count | None = None
    max_concurrency: Count | None = None
    metrics: Opaque = {}


class Api(Strict):
    batch_classification: Annotated[BatchClassification, NOT_RUN] = BatchClassification()


class ResponseApi(Strict):
    enabled: bool = True
    store_backend: Name = "redis"
    ttl_seconds: Count = 86_400
    max_responses: Count = 1000
    redis: Opaque = {}


class TraceExporter(Strict):
    type: Name = "otlp"
    endpoint: Name = "vllm-sr-jaeger:4317"
    insecure: bool = True


class TraceSampling(Strict):
    type: Literal["always_on", "always_off", "probabilistic"] = "always_on"
    rate: Unit = 1.0


class TraceResource(Strict):
    service_name: Name = "vllm-sr"
    service_version: Name | None = None
    deployment_environment: Name | None = None


class Tracing(Strict):
    enabled: bool = True
    provider: Name = "opentelemetry"
    exporter: TraceExporter = TraceExporter()
    sampling: TraceSampling = TraceSampling()
    resource: TraceResource = TraceResource()


class WindowedMetrics(Strict):
    enabled: bool = False
    time_windows: tuple[Duration, ...] = ()
    update_interval: Duration | None = None
    model_metrics: bool = False
    queue_depth_estimation: bool = False
    max_models: Count | None = None


def _on(value: object) -> bool:
    return bool(value)


class Metrics(Strict):
    enabled: Annotated[bool, NotRun(_on)] = True
    windowed_metrics: Annotated[WindowedMetrics, NOT_RUN_IF_ON] = WindowedMetrics()


class Observability(Strict):
    tracing: Annotated[Tracing, NOT_RUN_IF_ON] = Tracing()
    metrics: Metrics = Metrics()


class IdentityHeaders(Strict):
    """Request headers in which the authentication layer in front of us names the caller."""

    user_id_header: Header = "x-authz-user-id"
    user_groups_header: Header = "x-authz-user-groups"  # comma-separated


class AuthzProvider(Strict):
    type: Name
    headers: Secrets = {}


class Authz(Strict):
    fail_open: bool = False  # True: a request without a user has no roles; False: it is refused
    identity: IdentityHeaders = IdentityHeaders()
    providers: Annotated[tuple[AuthzProvider, ...], NOT_RUN] = ()


class RateMatch(Strict):
    user: Name | None = None
    group: Name | None = None
    model: Name | None = None


class RateRule(Strict):
    name: Name
    match: RateMatch = RateMatch()
    requests_per_unit: Count | None = None
    tokens_per_unit: Count | None = None
    unit: Literal["second", "minute", "hour", "day"]


class RateProvider(Strict):
    type: Literal["envoy-ratelimit", "local-limiter"]
    address: Name | None = None
    domain: Name | None = None
    rules: tuple[RateRule, ...] = ()


class RateLimit(Strict):
    fail_open: bool = False
    providers: tuple[RateProvider, ...] = ()


class ManagementToken(Strict):
    env: Variable  # holds the token
    role: Name


class ManagementAuth(Strict):
    mode: Literal["disabled", "bearer"] = "disabled"
    tokens: tuple[ManagementToken, ...] = ()
    roles: dict[str, tuple[Name, ...]] = {}


class ManagementApi(Strict):
    """The management plane; `check.references` says when it may leave the machine."""

    bind_address: Name = "127.0.0.1"
    port: Port = 8080
    remote_exposure: bool = False
    auth: ManagementAuth = ManagementAuth()

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
    store_backend: Name = "memory"
    ttl_seconds: Count = 2_592_000
    async_writes: bool = False
    redis: Opaque = {}
    postgres: Opaque = {}
    milvus: Opaque = {}
    qdrant: Opaque = {}


class StartupStatus(Strict):
    store_backend: Name = "file"
    file: Opaque = {}
    redis: Opaque = {}


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

    urls: tuple[Name, ...] = ()  # host:port of gRPC endpoints
    model_repository: Name | None = None  # folder; None: the one that the package carries
    deadline: Duration = Field(default=2.0, gt=0)  # of one inference
    recheck_interval: Duration = Field(default=60.0, gt=0)  # between comparisons with goldens
    models: dict[Name, Name] = {}  # a model that is asked -> the one that answers in its place
    dimension: Count = 0  # of text embeddings by an encoder that may be cut; 0: all numbers

    @field_validator("urls")
    @classmethod
    def _reachable(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(grpc_address(url) for url in urls)


class Services(Strict):
    api: Api = Api()
    response_api: Annotated[ResponseApi, NOT_RUN_IF_ON] = ResponseApi()
    observability: Observability = Observability()
    authz: Authz = Authz()
    ratelimit: Annotated[RateLimit, NOT_RUN] = RateLimit()
    management_api: ManagementApi = ManagementApi()
    router_replay: Annotated[RouterReplay, NOT_RUN_IF_ON] = RouterReplay()
    startup_status: Annotated[StartupStatus, NOT_RUN] = StartupStatus()
    triton: Triton = Triton()
