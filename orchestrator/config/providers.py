"""`providers` (spec/config.md 1.2): which servers carry which model, and how to talk to them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, field_validator, model_validator

from orchestrator.config.fields import (
    NOT_RUN,
    Count,
    Duration,
    HeaderName,
    Name,
    NotRun,
    Percent,
    Secrets,
    Strict,
    Variable,
    header_name,
    header_value,
)


class ReasoningFamily(Strict):
    """How a family of models is told to think (spec/decisions.md 3.6)."""

    type: Literal["chat_template_kwargs", "reasoning_effort", "top_level_reasoning_effort"]
    """Where the parameter goes in the body."""
    parameter: Name
    """Its name, such as enable_thinking."""

    @model_validator(mode="after")
    def _top_level_has_one_name(self) -> Self:
        if self.type == "top_level_reasoning_effort" and self.parameter != "reasoning_effort":
            raise ValueError(
                "the parameter of top_level_reasoning_effort must be reasoning_effort,"
                f" found {self.parameter!r}"
            )
        return self


class ProviderDefaults(Strict):
    default_model: Name | None = None
    """Answers where no decision matches; none: such requests are errors."""
    default_reasoning_effort: Name | None = None
    """Where a modelRef says none; none: medium."""
    reasoning_families: dict[str, ReasoningFamily] = {}
    """By name, how models are told to think."""


class Pricing(Strict):
    """Prices per million tokens. Selectors weigh the one of prompts; the others are for people."""

    currency: Name | None = None
    """Of all prices here."""
    prompt_per_1m: float = Field(default=0, ge=0)
    """For a million prompt tokens; selectors weigh it."""
    completion_per_1m: float = Field(default=0, ge=0)
    """For a million tokens of answers."""
    cached_input_per_1m: float = Field(default=0, ge=0)
    """For a million prompt tokens out of a cache."""
    cache_write_per_1m: float | None = Field(default=None, ge=0)
    """For a million prompt tokens written to a cache."""


class Reliability(Strict):
    lb_policy: Annotated[Literal["round_robin", "least_request"] | None, NOT_RUN] = None
    """How backends take turns."""
    retry_count: Annotated[Count, Field(le=5), NOT_RUN] = 0
    """How often a request is tried again."""
    retry_on: Annotated[str | None, NOT_RUN] = None
    """What is tried again."""
    consecutive_5xx: Count | None = None
    """Failures in a row that eject a backend."""
    base_ejection_time: Duration | None = None
    """How long a backend is left out."""
    max_ejection_percent: Annotated[Percent | None, NOT_RUN] = None
    """Of the backends, left out at a time."""
    health_check_path: Annotated[Name | None, NOT_RUN] = None
    """Asked of each backend."""
    health_check_interval: Annotated[Duration | None, NOT_RUN] = None
    """Between two checks."""
    health_check_timeout: Annotated[Duration | None, NOT_RUN] = None
    """Of one check."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.retry_count and not self.retry_on:
            raise ValueError("retry_count needs retry_on")
        if self.health_check_path and not self.health_check_path.startswith("/"):
            raise ValueError(f"health_check_path starts with /, found {self.health_check_path!r}")
        return self


class BackendRef(Strict):
    """One server of a model. Secrets may hold `${VAR}`: `load.reveal` resolves them at use."""

    name: Name | None = None
    """For logs and headers."""
    endpoint: Name | None = None
    """host[:port], or a URL of which host and port count."""
    protocol: Literal["http", "https"] | None = None
    """Of the endpoint."""
    weight: Count = 1
    """Share of the requests among the model's backends; 0: 1."""
    type: Name | None = None
    """What runs there; a key of external_model_ids."""
    base_url: Name | None = None
    """In place of endpoint, with a path."""
    provider: Name | None = None
    """Whose API it is, which says where the key goes."""
    auth_header: HeaderName | None = None
    """That carries the key, in place of the provider's own."""
    auth_prefix: Annotated[str, AfterValidator(header_value)] | None = None
    """Before the key, in place of the provider's own."""
    extra_headers: Secrets = {}
    """Sent with each request."""
    api_version: str | None = None
    """Appended to the URL where the provider wants it."""
    chat_path: Name | None = None
    """In place of the provider's own."""
    api_key: SecretStr | None = None
    """May be `${VAR}`."""
    api_key_env: Variable | None = None
    """Holds the key."""

    @field_validator("weight")
    @classmethod
    def _unset_weight(cls, value: int) -> int:
        return value or 1

    @field_validator("extra_headers")
    @classmethod
    def _sendable(cls, value: Secrets) -> Secrets:
        for name, secret in value.items():
            header_name(name)
            header_value(secret.get_secret_value())
        return value

    @field_validator("api_key")
    @classmethod
    def _sendable_key(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            header_value(value.get_secret_value())
        return value

    @field_validator("base_url")
    @classmethod
    def _absolute(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("base_url starts with http:// or https://")
        return value

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if self.endpoint is None and self.base_url is None:
            raise ValueError("a backend needs endpoint or base_url")
        return self


def _openai(value: object) -> bool:
    return bool(value == "openai")


class ProviderModel(Strict):
    name: Name
    """As modelRefs call the model."""
    reasoning_family: Name | None = None
    """Of providers.defaults.reasoning_families; none: never told to think."""
    provider_model_id: Name | None = None
    """What its backends call the model."""
    api_format: Annotated[Literal["openai", "anthropic"], NotRun(_openai)] = "openai"
    """That its backends speak."""
    external_model_ids: dict[str, Name] = {}
    """What backends of a type call the model."""
    pricing: Pricing | None = None
    """What it costs."""
    reliability: Reliability = Reliability()
    """When a backend is left out, and for how long."""
    backend_refs: tuple[BackendRef, ...] = ()
    """The servers that carry the model."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        metadata = {"reasoning_family", "provider_model_id", "api_format", "external_model_ids"}
        if not self.backend_refs and not self.model_fields_set & (metadata | {"pricing"}):
            raise ValueError(
                "needs backend_refs, or one of reasoning_family, pricing, api_format,"
                " external_model_ids, provider_model_id"
            )
        return self


class Providers(Strict):
    defaults: ProviderDefaults = ProviderDefaults()
    """For all models."""
    models: tuple[ProviderModel, ...] = ()
    """Who carries which model."""
