import pytest

from orchestrator.app.options import (
    Options,
    demo_addresses,
    identity_headers,
    listeners,
    management_address,
)
from orchestrator.config.schema import Config
from orchestrator.errors import RouterError

TWO = [{"address": "0.0.0.0", "port": 1}, {"address": "127.0.0.2", "port": 2}]


def config(rows=(), **services):
    return Config.model_validate({"listeners": rows, "global": {"services": services}})


@pytest.mark.parametrize(
    ("rows", "options", "addresses"),
    [
        pytest.param([], Options(), [("127.0.0.1", 8899)], id="neither"),
        pytest.param([], Options(port=5), [("127.0.0.1", 5)], id="a port"),
        pytest.param(TWO, Options(), [("0.0.0.0", 1), ("127.0.0.2", 2)], id="the file"),
        pytest.param(
            TWO,
            Options(host="::1", port=5),
            [("::1", 5), ("127.0.0.2", 2)],
            id="flags move the first listener",
        ),
    ],
)
def test_listeners(rows, options, addresses):
    assert listeners(config(rows), options) == addresses


def test_the_management_port_of_the_command_line_wins():
    own = config(management_api={"port": 9})

    assert management_address(own, Options()) == ("127.0.0.1", 9)
    assert management_address(own, Options(management_port=5)) == ("127.0.0.1", 5)


def test_identity_headers_are_lower_case():
    own = config(authz={"identity": {"user_id_header": "X-User", "user_groups_header": "X-Teams"}})

    assert identity_headers(config()) == ("x-authz-user-id", "x-authz-user-groups")
    assert identity_headers(own) == ("x-user", "x-teams")


def policy_with(*models):
    rows = [{"name": str(i), "backend_refs": refs} for i, refs in enumerate(models)]
    return Config.model_validate({"providers": {"models": rows}})


@pytest.mark.parametrize(
    ("models", "addresses"),
    [
        pytest.param([[{"endpoint": "127.0.0.1:8001"}]], [("127.0.0.1", 8001)], id="one"),
        pytest.param(
            [[{"endpoint": "gpu:1"}, {"endpoint": "localhost:2"}], [{"endpoint": "[::1]:3"}]],
            [("localhost", 2), ("::1", 3)],
            id="those of this machine",
        ),
        pytest.param(
            [[{"base_url": "http://127.0.0.1:9/v1"}], [{"endpoint": "127.0.0.1:9"}]],
            [("127.0.0.1", 9)],
            id="each once",
        ),
        pytest.param(
            [[{"endpoint": "127.0.0.1:1", "api_key_env": "TSR_TEST_UNSET_KEY"}]],
            [("127.0.0.1", 1)],
            id="keys play no part",
        ),
    ],
)
def test_the_demo_upstream_listens_where_the_backends_are(models, addresses):
    assert demo_addresses(policy_with(*models)) == addresses


@pytest.mark.parametrize("models", [[], [[{"endpoint": "gpu:8001"}]]])
def test_a_policy_without_a_backend_here_has_no_use_for_the_demo_upstream(models):
    with pytest.raises(RouterError, match="--with-demo-upstream: the policy has no backend on"):
        demo_addresses(policy_with(*models))
