import pytest

from orchestrator.app.options import Options
from orchestrator.app.restarts import restarts
from orchestrator.config.read import read
from orchestrator.config.schema import Config
from orchestrator.errors import ConfigError

TOKENS = {"mode": "bearer", "tokens": [{"env": "T", "role": "admin"}]}
WIDE = {"bind_address": "0.0.0.0", "remote_exposure": True, "auth": TOKENS}


def config(listeners=(), endpoint="127.0.0.1:1", router=None, **management):
    models = [{"name": "m", "backend_refs": [{"endpoint": endpoint}]}]
    return Config.model_validate(
        {
            "listeners": listeners,
            "providers": {"models": models},
            "global": {"router": router or {}, "services": {"management_api": management}},
        }
    )


SOURCE = read(
    "listeners: []\n\nglobal:\n  services:\n    management_api:\n      port: 1\n", "router.yaml", {}
)[0]

API = "global.services.management_api"
LINES = {  # of what is not written, that of what it would stand in
    "listeners": 1,
    f"{API}.port": 6,
    f"{API}.bind_address": 5,
    "global.router.max_body_bytes": 3,
    "providers.models": 1,
}
TWO = [{"port": 1}, {"port": 2}]


@pytest.mark.parametrize(
    ("wanted", "options", "paths"),
    [
        pytest.param(config(), Options(), [], id="nothing"),
        pytest.param(config(endpoint="127.0.0.1:2"), Options(), [], id="another backend"),
        pytest.param(config(auth=TOKENS), Options(), [], id="tokens"),
        pytest.param(config([{"port": 1}]), Options(), ["listeners"], id="a port"),
        pytest.param(
            config([{"address": "127.0.0.1", "port": 1}]),
            Options(port=7),
            [],
            id="a port that a flag decides",
        ),
        pytest.param(config(TWO), Options(port=7), ["listeners"], id="one more listener"),
        pytest.param(config(port=9), Options(), [f"{API}.port"], id="the management port"),
        pytest.param(config(port=9), Options(management_port=5), [], id="decided by a flag"),
        pytest.param(config(**WIDE), Options(), [f"{API}.bind_address"], id="the address"),
        pytest.param(
            config(router={"max_body_bytes": 9}),
            Options(),
            ["global.router.max_body_bytes"],
            id="the size of bodies",
        ),
        pytest.param(
            config(endpoint="127.0.0.1:2"),
            Options(demo_upstream=True),
            ["providers.models"],
            id="a backend that the demo upstream does not stand for",
        ),
        pytest.param(
            config(endpoint="far.example:2"), Options(demo_upstream=True), [], id="a real backend"
        ),
    ],
)
def test_what_waits_for_a_restart(wanted, options, paths):
    found = restarts(config(), wanted, options, SOURCE)

    assert [one.path for one in found] == paths
    assert {one.severity for one in found} <= {"warning"}
    assert [(one.file, one.line) for one in found] == [("router.yaml", LINES[p]) for p in paths]


@pytest.mark.parametrize(
    "wanted", [config(), config(bind_address="127.0.0.2")], ids=["loopback", "an address"]
)
def test_an_open_port_keeps_its_tokens(wanted):
    with pytest.raises(ConfigError) as failure:
        restarts(config(**WIDE), wanted, Options(), SOURCE)

    assert [one.path for one in failure.value.problems] == [f"{API}.auth.mode"]


def test_it_may_change_them():
    other = {"mode": "bearer", "tokens": [{"env": "U", "role": "admin"}]}

    assert restarts(config(**WIDE), config(**(WIDE | {"auth": other})), Options(), SOURCE) == ()
