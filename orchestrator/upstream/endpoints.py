"""Where a model can be reached and how it is spoken to, from `providers` (spec/config.md 1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from yarl import URL

from orchestrator.config.load import backend_key, reveal
from orchestrator.config.schema import BackendRef, ProviderModel
from orchestrator.errors import ConfigError
from orchestrator.protocols.reasoning import Dialect

Environ = Mapping[str, str] | None  # where secrets are looked up; None: the process's own

CHAT_PATH = "/v1/chat/completions"
DEFAULT_TYPE = "vllm"
PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Provider:
    """The habits of a kind of provider."""

    header: str = "authorization"
    prefix: str = "Bearer"
    suffix: str = "/chat/completions"
    dialect: Dialect = "generic"
    chat: bool = True  # False: it does not speak Chat Completions


PROVIDERS: Final[Mapping[str, Provider]] = {
    "openai": Provider(dialect="openai"),
    "anthropic": Provider("x-api-key", "", "/v1/messages", chat=False),
    # Azure refuses fields that it does not know, chat_template_kwargs among them.
    "azure-openai": Provider("api-key", "", dialect="openai"),
    "bedrock": Provider(dialect="openai"),
    "gemini": Provider(dialect="openai"),
    "vertex-ai": Provider(dialect="openai"),
    "minimax": Provider(suffix=CHAT_PATH, dialect="openai"),
}

# Vendors' own servers, which take reasoning fields that vLLM does not, and the other way round.
DIALECTS: Final[Mapping[str, Dialect]] = {
    "api.openai.com": "openai",
    "api.deepseek.com": "deepseek",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server of one model. `headers` hold secrets: never log them."""

    name: str
    url: URL  # of chat completions
    model_id: str  # what this server calls the model
    weight: int = 1
    kind: str = DEFAULT_TYPE  # backend type; chooses the entry of external_model_ids
    dialect: Dialect = "generic"
    headers: Mapping[str, str] | None = None  # lower-case names: credentials and extras
    keyed: bool = False  # a credential is configured: the client's own is not passed on
    unset: bool = False  # one is configured and has no value: it gets no request
    chat: bool = True


def endpoints(model: ProviderModel, environ: Environ) -> tuple[Endpoint, ...]:
    """The servers of `model`. Raises ConfigError for a provider type nobody knows."""
    return tuple(
        _endpoint(model, ref, position, environ) for position, ref in enumerate(model.backend_refs)
    )


def refusal(ref: BackendRef) -> str | None:
    """Why no server can be reached by `ref`; None where one may be."""
    name = ref.provider or "openai"
    if name not in PROVIDERS:
        return f"unknown provider {name!r}; known: {', '.join(PROVIDERS)}"
    try:
        host = _url(ref, PROVIDERS[name]).host
    except ValueError as error:
        return str(error)
    if not host or not host.isprintable() or " " in host:
        return f"{ref.base_url or ref.endpoint!r} names no host"
    return None


def assumed_port(ref: BackendRef) -> int | None:
    """The port of a plain host that is given without one; None where a port or a URL is given."""
    bare = ref.endpoint is not None and ref.base_url is None and "://" not in ref.endpoint
    if not bare or ref.protocol == "https":
        return None
    port = URL(f"//{(ref.endpoint or '').partition('/')[0]}").explicit_port
    return None if port else PORTS["http"]


def _endpoint(model: ProviderModel, ref: BackendRef, position: int, environ: Environ) -> Endpoint:
    refused = refusal(ref)
    if refused is not None:
        raise ConfigError(f"providers.models[{model.name}].backend_refs[{position}]: {refused}")
    provider = PROVIDERS[ref.provider or "openai"]
    url = _url(ref, provider)
    kind = ref.type or ref.provider or DEFAULT_TYPE
    try:
        headers = {
            name.lower(): reveal(value, environ) for name, value in ref.extra_headers.items()
        }
        key, unset = backend_key(ref, environ), False
    except ConfigError:  # the operator is told once, at start
        headers, key, unset = {}, None, True
    if key:
        prefix = provider.prefix if ref.auth_prefix is None else ref.auth_prefix.strip()
        headers[(ref.auth_header or provider.header).lower()] = f"{prefix} {key}".strip()
    return Endpoint(
        name=f"{model.name}_{ref.name or ('primary' if position == 0 else f'backend-{position}')}",
        url=url,
        model_id=model.external_model_ids.get(kind) or model.provider_model_id or model.name,
        weight=ref.weight,
        kind=kind,
        dialect=_dialect(ref, provider, url.host or ""),
        headers=headers,
        keyed=bool(key) or "authorization" in headers,
        unset=unset,
        chat=provider.chat and model.api_format == "openai",
    )


def _dialect(ref: BackendRef, provider: Provider, host: str) -> Dialect:
    """A provider's own, unless the ref says that a vLLM stands there."""
    if ref.provider is None or ref.type == DEFAULT_TYPE:
        return DIALECTS.get(host, "generic")
    return DIALECTS.get(host, provider.dialect)


def _url(ref: BackendRef, provider: Provider) -> URL:
    """`chat_path` as it is, or else the provider's path below that of `base_url`.

    A bare host has no path to build upon, so it gets the version that all such servers have.
    """
    base = URL(ref.base_url) if ref.base_url else _bare(ref)
    if ref.chat_path:
        url = base.join(URL("/" + ref.chat_path.lstrip("/")))
    else:
        path = base.path.rstrip("/") if ref.base_url else "/v1"
        url = base.with_path(path + provider.suffix.removeprefix("/v1" if path == "/v1" else ""))
    if ref.provider == "azure-openai" and ref.api_version:
        url = url.update_query({"api-version": ref.api_version})
    return url


def _bare(ref: BackendRef) -> URL:
    """`host[:port]`; a scheme counts where `protocol` is not set, a path never does."""
    scheme, found, rest = (ref.endpoint or "").rpartition("://")
    protocol = ref.protocol or (scheme if found and scheme in PORTS else "http")
    url = URL(f"{protocol}://{rest.partition('/')[0]}")
    return url if url.explicit_port else url.with_port(PORTS[protocol])
