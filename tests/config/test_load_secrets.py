"""No key is shown, and none is used that no header can carry."""

import pytest

from orchestrator.config.load import (
    backend_key,
    parse,
    resolve_secret,
    reveal,
)
from orchestrator.config.schema import BackendRef
from orchestrator.errors import ConfigError
from tests.config.documents import loaded

SECRETS = """\
providers:
  models:
    - name: m
      backend_refs:
        - base_url: https://example.com/v1
          api_key: literal-key-1
          extra_headers: {X-Tenant-Key: literal-key-2}
routing:
  decisions:
    - name: a
      plugins:
        - type: rag
          configuration: {backend_config: {api_key: literal-key-3}}
global:
  services:
    router_replay: {postgres: {password: literal-key-4, user: 12345678}}
  model_catalog:
    modules: {classifier: {mcp: {env: {TOKEN: literal-key-5}}}}
    external:
      - name: e
        model_role: scoring
        access_key: literal-key-6
        llm_endpoint: {address: a, port: 1}
"""


class TestSecrets:
    def test_no_secret_in_any_text(self):
        result = loaded(SECRETS)
        texts = [
            repr(result),
            str(result.config),
            str(result.config.model_dump()),
            result.config.model_dump_json(by_alias=True),
            repr(result.data),
            repr(result.source),
            repr(result.config.providers.models[0].backend_refs[0]),
        ]

        assert not [text for text in texts if "literal-key" in text]
        assert all("****" in text for text in texts)

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("providers: {models: [{name: m, api_key: literal-key}]}", id="unknown"),
            pytest.param(
                "providers: {models: [{name: m, backend_refs: [{endpoint: e, api_key:"
                " [literal-key]}]}]}",
                id="list",
            ),
            pytest.param(
                "providers: {models: [{name: m, backend_refs: [{endpoint: e, extra_headers:"
                " literal-key, api_key: {value: literal-key}}]}]}",
                id="mapping, or none",
            ),
            pytest.param(
                "global: {services: {management_api: {auth: {tokens: [literal-key]}}}}",
                id="token for a mapping",
            ),
            pytest.param(
                "global: {model_catalog: {external: [{name: e, token: literal-key}]}}", id="global"
            ),
        ],
    )
    def test_no_secret_in_problems(self, text):
        with pytest.raises(ConfigError) as caught:
            loaded(text + "\nrouting: {}\n")

        assert "literal-key" not in str(caught.value)
        assert "literal-key" not in repr(caught.value.problems)
        assert caught.value.__cause__ is None and caught.value.__context__ is None

    def test_numbers_keep_their_digits(self):
        config = loaded(
            "routing: {}\nproviders: {models: [{name: m, backend_refs: [{endpoint: e,"
            " api_key: 0123}]}]}\n"
        ).config

        key = config.providers.models[0].backend_refs[0].api_key
        assert key is not None and key.get_secret_value() == "0123"

    def test_unset_variables_of_secrets_do_not_matter_before_use(self):
        result = loaded(
            "routing: {}\nproviders: {models: [{name: m, backend_refs: [{endpoint: e,"
            " api_key: '${KEY}'}]}]}\n"
        )
        backend = result.config.providers.models[0].backend_refs[0]

        assert backend_key(backend, {"KEY": "k"}) == "k"
        with pytest.raises(ConfigError, match="environment variable KEY is not set"):
            backend_key(backend, {})

    @pytest.mark.parametrize(
        ("fields", "key"),
        [
            pytest.param({}, None, id="none"),
            pytest.param({"api_key": ""}, None, id="empty"),
            pytest.param({"api_key": "a$$b"}, "a$b", id="literal with a dollar"),
            pytest.param({"api_key_env": "KEY"}, "k", id="variable"),
            pytest.param({"api_key": "own", "api_key_env": "KEY"}, "own", id="both"),
        ],
    )
    def test_key_of_a_backend(self, fields, key):
        assert backend_key(BackendRef(endpoint="e", **fields), {"KEY": "k"}) == key

    def test_half_a_password_is_not_shown(self):
        backend = BackendRef(endpoint="e", api_key="half$otherhalf")

        with pytest.raises(ConfigError) as caught:
            reveal(backend.api_key, {})

        assert "otherhalf" not in str(caught.value)

    @pytest.mark.parametrize("environ", [{}, {"KEY": ""}], ids=["unset", "empty"])
    def test_resolve_secret(self, environ):
        assert resolve_secret("KEY", {"KEY": "k"}) == "k"
        with pytest.raises(ConfigError, match="environment variable KEY is not set"):
            resolve_secret("KEY", environ)


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("api_key_env: sk-hunter2secret", id="key for the name of a variable"),
        pytest.param("auth_header: 'Bearer hunter2secret'", id="key for the name of a header"),
        pytest.param('auth_prefix: "hunter2secret\\r\\nx: y"', id="line break in a prefix"),
        pytest.param('api_key: "hunter2secret\\nx: y"', id="line break in a key"),
        pytest.param('extra_headers: {x-a: "hunter2secret\\0"}', id="NUL in a header"),
        pytest.param('extra_headers: {"x hunter2secret": a}', id="blank in a header's name"),
    ],
)
def test_what_no_header_can_carry_is_refused_and_not_shown(field):
    text = (
        "routing: {}\nproviders:\n  models:\n    - name: m\n      backend_refs:\n"
        f"        - endpoint: e:1\n          {field}\n"
    )
    with pytest.raises(ConfigError) as caught:
        parse(text)

    (problem,) = caught.value.problems
    assert problem.line == 7
    assert "hunter2secret" not in str(problem)


def test_a_token_for_the_name_of_its_variable_is_not_shown():
    with pytest.raises(ConfigError) as caught:
        parse(
            "global:\n  services:\n    management_api:\n      auth:\n        tokens:\n"
            "          - {env: sk-hunter2secret, role: admin}\n"
        )

    (problem,) = caught.value.problems
    assert problem.message.endswith("not the key itself")
    assert "hunter2secret" not in str(problem)


def test_a_key_of_two_lines_in_the_environment_is_refused():
    backend = BackendRef(endpoint="e", api_key_env="KEY")

    assert backend_key(backend, {"KEY": "hunter2\n"}) == "hunter2"
    with pytest.raises(ConfigError, match="^environment variable KEY has control characters"):
        backend_key(backend, {"KEY": "hunter2\nx: y"})
