from random import Random

import pytest
from pydantic import SecretStr

from orchestrator.app.secrets import without_unset
from orchestrator.config.schema import Config
from orchestrator.upstream.backends import backends
from tests.app.planes import planes
from tests.upstream.scripted import answering, backend, plain

SET = {"KEY": "sk-1", "TEAM": "red"}
OTHER = {"name": "other", "provider_model_id": "x"}


def config(fail_open=False, **ref):
    model = {"name": "small", "backend_refs": [{"endpoint": "x:1"} | ref]}
    services = {"authz": {"fail_open": fail_open}}
    return Config.model_validate(
        {"providers": {"models": [OTHER, model]}, "global": {"services": services}}
    )


def secret(text):
    return SecretStr(text)


@pytest.mark.parametrize(
    "ref",
    [
        pytest.param({}, id="no key"),
        pytest.param({"api_key_env": "KEY"}, id="a variable"),
        pytest.param({"api_key": "plain"}, id="a key in the file"),
        pytest.param({"api_key": "${KEY}"}, id="a reference"),
        pytest.param({"api_key": "${NONE:-other}"}, id="a reference with a default"),
        pytest.param({"extra_headers": {"x-team": "${TEAM}"}}, id="a header"),
    ],
)
def test_secrets_that_are_set_stay(ref):
    before = config(**ref)

    assert without_unset(before, SET) == (before, ())


UNSET = [
    pytest.param({"api_key_env": "NONE"}, id="a variable"),
    pytest.param({"api_key": "${NONE}"}, id="a reference"),
    pytest.param({"extra_headers": {"X-Api-Key": "${NONE}"}}, id="a credential's header"),
]


@pytest.mark.parametrize("ref", UNSET)
def test_a_backend_whose_key_is_not_set_is_kept_from_requests(ref):
    before = config(**ref)
    usable, (warning,) = without_unset(before, SET)

    assert usable == before
    assert "variable NONE is not set" in warning
    assert warning.endswith("requests to this backend are answered with 401")
    (endpoint,) = backends(usable, Random(), SET)["small"].pool.endpoints
    assert endpoint.unset
    assert not endpoint.headers


@pytest.mark.parametrize("ref", UNSET)
def test_with_fail_open_it_has_none(ref):
    usable, (warning,) = without_unset(config(True, **ref), SET)

    assert usable == config(True)
    assert warning.startswith("providers.models[small].backend_refs[0]")
    assert "variable NONE is not set" in warning
    assert "own Authorization is passed on" in warning


def test_a_header_whose_value_is_not_set_is_not_sent():
    before = config(extra_headers={"x-team": "${TEAM}", "x-org": "${ORG}"}, api_key_env="KEY")

    usable, (warning,) = without_unset(before, SET)

    (ref,) = usable.providers.models[1].backend_refs
    assert list(ref.extra_headers) == ["x-team"]
    assert ref.api_key_env == "KEY"
    assert "extra_headers.x-org: environment variable ORG is not set" in warning


POLICY = """
version: v0.3
providers:
  defaults: {{default_model: small}}
  models:
    - name: small
      backend_refs: [{{endpoint: "{up}", api_key_env: TSR_TEST_UNSET_KEY}}]
    - name: both
      backend_refs: [{{endpoint: "{up}", api_key_env: TSR_TEST_UNSET_KEY}}, {{endpoint: "{up}"}}]
    - name: plain
      backend_refs: [{{endpoint: "{up}"}}]
routing:
  modelCards: [{{name: small}}, {{name: both}}, {{name: plain}}]
global: {{services: {{authz: {{fail_open: {fail_open}}}}}}}
"""


@pytest.mark.parametrize(
    ("model", "fail_open", "status"),
    [
        pytest.param("small", "false", 401, id="the key is not set"),
        pytest.param("both", "false", 200, id="another backend needs none"),
        pytest.param("plain", "false", 200, id="no key is configured"),
        pytest.param("small", "true", 200, id="fail open"),
    ],
)
async def test_the_clients_own_key_goes_where_it_may(model, fail_open, status, caplog):
    async with backend(answering(plain(b"{}"), plain(b"{}"))) as up:
        policy = POLICY.format(up=up.endpoint, fail_open=fail_open)
        async with planes(policy) as router:
            own = {"authorization": "Bearer mine"}
            async with router.chat("hi", model, headers=own) as answer:
                assert answer.status == status
                said = await answer.json()

    sent = [exchange.headers["authorization"] for exchange in up.exchanges]
    assert sent == ([] if status == 401 else ["Bearer mine"])
    assert "environment variable TSR_TEST_UNSET_KEY is not set" in caplog.text
    if status == 401:
        error = said["error"]
        assert (error["type"], error["code"]) == (
            "authentication_error",
            "missing_provider_credential",
        )
        assert "TSR_TEST" not in error["message"]
