import pytest

from orchestrator.config.schema import BackendRef, ProviderModel
from orchestrator.errors import ConfigError
from orchestrator.upstream.endpoints import endpoints

ENVIRON = {"KEY": "sk-1"}


def build(*refs, **model):
    rows = [BackendRef.model_validate(ref) for ref in refs]
    return endpoints(
        ProviderModel.model_validate({"name": "m", "backend_refs": rows, **model}), ENVIRON
    )


@pytest.mark.parametrize(
    "ref, url",
    [
        ({"endpoint": "vllm"}, "http://vllm/v1/chat/completions"),
        ({"endpoint": "vllm:8000"}, "http://vllm:8000/v1/chat/completions"),
        ({"endpoint": "[::1]:8000"}, "http://[::1]:8000/v1/chat/completions"),
        ({"endpoint": "vllm", "protocol": "https"}, "https://vllm/v1/chat/completions"),
        ({"endpoint": "https://vllm"}, "https://vllm/v1/chat/completions"),
        ({"endpoint": "https://vllm/api", "protocol": "http"}, "http://vllm/v1/chat/completions"),
        ({"endpoint": "vllm:8000", "provider": "openai"}, "http://vllm:8000/v1/chat/completions"),
        ({"endpoint": "vllm:8000", "chat_path": "/go"}, "http://vllm:8000/go"),
        ({"base_url": "http://vllm:8000/v1"}, "http://vllm:8000/v1/chat/completions"),
        ({"base_url": "http://vllm:8000/v1/"}, "http://vllm:8000/v1/chat/completions"),
        ({"base_url": "http://vllm:8000"}, "http://vllm:8000/chat/completions"),
        ({"base_url": "https://x.test/a/v1", "chat_path": "b/c"}, "https://x.test/b/c"),
        (
            {"base_url": "https://x.test", "provider": "minimax"},
            "https://x.test/v1/chat/completions",
        ),
        (
            {"base_url": "https://x.test/v1", "provider": "minimax"},
            "https://x.test/v1/chat/completions",
        ),
        ({"base_url": "https://x.test", "provider": "anthropic"}, "https://x.test/v1/messages"),
        (
            {
                "base_url": "https://x.test/openai/deployments/d",
                "provider": "azure-openai",
                "api_version": "2025-03-01",
            },
            "https://x.test/openai/deployments/d/chat/completions?api-version=2025-03-01",
        ),
        (
            {"base_url": "https://x.test/v1", "provider": "openai", "api_version": "1"},
            "https://x.test/v1/chat/completions",
        ),
    ],
    ids=lambda value: str(value)[:70],
)
def test_url(ref, url):
    assert str(build(ref)[0].url) == url


@pytest.mark.parametrize(
    "ref, headers, keyed",
    [
        ({}, {}, False),
        ({"extra_headers": {"X-Tenant": "t-${KEY}"}}, {"x-tenant": "t-sk-1"}, False),
        ({"extra_headers": {"Authorization": "Basic x"}}, {"authorization": "Basic x"}, True),
        ({"api_key": "sk-2"}, {"authorization": "Bearer sk-2"}, True),
        ({"api_key": "${KEY}"}, {"authorization": "Bearer sk-1"}, True),
        ({"api_key_env": "KEY"}, {"authorization": "Bearer sk-1"}, True),
        ({"api_key": "k", "auth_prefix": ""}, {"authorization": "k"}, True),
        ({"api_key": "k", "auth_prefix": "Token "}, {"authorization": "Token k"}, True),
        ({"api_key": "k", "auth_header": "X-Key"}, {"x-key": "Bearer k"}, True),
        ({"api_key": "k", "provider": "azure-openai"}, {"api-key": "k"}, True),
        ({"api_key": "k", "provider": "anthropic"}, {"x-api-key": "k"}, True),
    ],
    ids=str,
)
def test_credentials(ref, headers, keyed):
    (endpoint,) = build({"endpoint": "vllm", **ref})

    assert (endpoint.headers, endpoint.keyed) == (headers, keyed)


@pytest.mark.parametrize(
    "ref, message",
    [
        ({"provider": "acme"}, "unknown provider 'acme'"),
        ({"endpoint": "vllm:port"}, r"providers.models\[m\]"),
    ],
    ids=["provider", "port"],
)
def test_what_cannot_be_used_is_refused_at_start(ref, message):
    with pytest.raises(ConfigError, match=message):
        build({"endpoint": "vllm", **ref})


@pytest.mark.parametrize(
    "ref, model, kind, model_id",
    [
        ({}, {}, "vllm", "m"),
        ({}, {"provider_model_id": "org/m"}, "vllm", "org/m"),
        ({"type": "chat"}, {"external_model_ids": {"openai": "x"}}, "chat", "m"),
        ({"provider": "openai"}, {"external_model_ids": {"openai": "x"}}, "openai", "x"),
        (
            {"type": "chat", "provider": "openai"},
            {"external_model_ids": {"chat": "y", "openai": "x"}, "provider_model_id": "org/m"},
            "chat",
            "y",
        ),
    ],
    ids=["name", "provider id", "other type", "type is the provider", "type before provider"],
)
def test_what_the_server_calls_the_model(ref, model, kind, model_id):
    (endpoint,) = build({"endpoint": "vllm", **ref}, **model)

    assert (endpoint.kind, endpoint.model_id) == (kind, model_id)


@pytest.mark.parametrize(
    "ref, dialect",
    [
        ({"endpoint": "vllm"}, "generic"),
        ({"endpoint": "vllm", "type": "chat"}, "generic"),
        ({"base_url": "http://vllm/v1", "provider": "openai", "type": "vllm"}, "generic"),
        ({"base_url": "https://proxy.test/v1", "provider": "openai"}, "openai"),
        ({"base_url": "https://proxy.test/v1", "provider": "openai", "type": "chat"}, "openai"),
        ({"base_url": "https://api.openai.com/v1"}, "openai"),
        ({"base_url": "https://api.openai.com/v1", "provider": "openai"}, "openai"),
        ({"base_url": "https://api.deepseek.com", "provider": "openai"}, "deepseek"),
        ({"base_url": "https://api.deepseek.com", "provider": "openai", "type": "x"}, "deepseek"),
        ({"base_url": "https://x.test", "provider": "azure-openai"}, "openai"),
        ({"base_url": "https://x.test", "provider": "gemini"}, "openai"),
        ({"base_url": "https://x.test", "provider": "vertex-ai"}, "openai"),
        ({"base_url": "https://x.test", "provider": "minimax"}, "openai"),
        ({"base_url": "https://x.test", "provider": "bedrock"}, "openai"),
    ],
    ids=str,
)
def test_dialect_follows_the_profile(ref, dialect):
    assert build(ref)[0].dialect == dialect


def test_names_and_weights():
    found = build({"endpoint": "a"}, {"endpoint": "b", "weight": 0}, {"endpoint": "c", "name": "x"})

    assert [(one.name, one.weight) for one in found] == [
        ("m_primary", 1),
        ("m_backend-1", 1),
        ("m_x", 1),
    ]


@pytest.mark.parametrize(
    "ref, unset",
    [
        ({}, False),
        ({"api_key_env": "KEY"}, False),
        ({"api_key_env": "UNSET"}, True),
        ({"extra_headers": {"Authorization": "${UNSET}", "x-a": "b"}}, True),
    ],
    ids=["none", "set", "unset key", "unset header"],
)
def test_a_server_whose_secret_is_not_set_says_so_and_tells_nothing(ref, unset):
    (endpoint,) = build({"endpoint": "vllm", **ref})

    assert endpoint.unset is unset
    assert unset is False or not endpoint.headers
