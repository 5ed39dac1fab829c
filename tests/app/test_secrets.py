import pytest
from pydantic import SecretStr

from orchestrator.app.secrets import without_unset
from orchestrator.config.schema import Config
from tests.app.planes import planes
from tests.upstream.scripted import answering, backend, plain

SET = {"KEY": "sk-1", "TEAM": "red"}
OTHER = {"name": "other", "provider_model_id": "x"}


def config(**ref):
    model = {"name": "small", "backend_refs": [{"endpoint": "x:1"} | ref]}
    return Config.model_validate({"providers": {"models": [OTHER, model]}})


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


@pytest.mark.parametrize(
    "ref",
    [
        pytest.param({"api_key_env": "NONE"}, id="a variable"),
        pytest.param({"api_key": "${NONE}"}, id="a reference"),
    ],
)
def test_a_backend_whose_key_is_not_set_has_none(ref):
    usable, (warning,) = without_unset(config(**ref), SET)

    assert usable == config(api_key=None, api_key_env=None)
    assert warning.startswith("providers.models[small].backend_refs[0]: ")
    assert "variable NONE is not set" in warning
    assert "Authorization" in warning


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
  defaults: {default_model: small}
  models:
    - {name: small, backend_refs: [{endpoint: "%s", api_key_env: TSR_TEST_UNSET_KEY}]}
routing:
  modelCards: [{name: small}]
"""


async def test_a_router_without_the_key_starts_and_passes_the_clients_own(caplog):
    async with backend(answering(plain(b"{}"))) as up, planes(POLICY % up.endpoint) as router:
        async with router.chat("hi", headers={"authorization": "Bearer mine"}) as answer:
            assert answer.status == 200

    assert up.exchanges[0].headers["authorization"] == "Bearer mine"
    assert "environment variable TSR_TEST_UNSET_KEY is not set" in caplog.text
