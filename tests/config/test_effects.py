import pytest

from orchestrator.config.effects import Retention


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        pytest.param({}, None, id="not said"),
        pytest.param({"drop": True}, None, id="dropped"),
        pytest.param({"ttl_turns": 0}, 0.0, id="an explicit zero"),
        pytest.param({"ttl_turns": 4}, 240.0, id="60 seconds a turn"),
    ],
)
def test_a_turn_is_a_minute(fields, seconds):
    assert Retention(**fields).ttl_seconds == seconds
