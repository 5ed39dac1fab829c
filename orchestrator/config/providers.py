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
    parameter: Name

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
    default_reasoning_effort: Name | None = None
    reasoning_families: dict[str, ReasoningFamily] = {}


class Pricing(Strict):
    """Prices per million tokens. Selectors weigh the one of prompts; the others are for people."""

    currency: Name | None = None
    prompt_per_1m: float = Field(default=0, ge=0)
    completion_per_1m: float = Field(default=0, ge=0)
    cached_input_per_1m: float = Field(default=0, ge=0)
    cache_write_per_1m: float | None = Field(default=None, ge=0)


class Reliability(Strict):
    lb_policy: Annotated[Literal["round_robin", "least_request"] | None, NOT_RUN] = None
    retry_count: Annotated[Count, Field(le=5), NOT_RUN] = 0
    retry_on: Annotated[str | None, NOT_RUN] = None
    consecutive_5xx: Count | None = None  # failures in a row that eject a backend
    base_ejection_time: Duration | None = None
    max_ejection_percent: Annotated[Percent | None, NOT_RUN] = None
    health_check_path: Annotated[Name | None, NOT_RUN] = None
    health_check_interval: Annotated[Duration | None, NOT_RUN] = None
    health_check_timeout: Annotated[Duration | None, NOT_RUN] = None

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
    endpoint: Name | None = None  # host[:port], or a URL of which host and port count
    protocol: Literal["http", "https"] | None = None
    weight: Count = 1
    type: Name | None = None
    base_url: Name | None = None
    provider: Name | None = None
    auth_header: HeaderName | None = None
    auth_prefix: Annotated[str, AfterValidator(header_value)] | None = None
    extra_headers: Secrets = {}
    api_version: str | None = None
    chat_path: Name | None = None
    api_key: SecretStr | None = None
    api_key_env: Variable | None = None

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
    reasoning_family: Name | None = None
    provider_model_id: Name | None = None
    api_format: Annotated[Literal["openai", "anthropic"], NotRun(_openai)] = "openai"
    external_model_ids: dict[str, Name] = {}
    pricing: Pricing | None = None
    reliability: Reliability = Reliability()
    backend_refs: tuple[BackendRef, ...] = ()

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
    models: tuple[ProviderModel, ...] = ()
