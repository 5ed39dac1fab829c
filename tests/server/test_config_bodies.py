import pytest

from orchestrator.server.config_bodies import agrees


@pytest.mark.parametrize(
    ("header", "agreed"),
    [
        pytest.param("", False, id="empty"),
        pytest.param('"b"', False, id="another"),
        pytest.param('W/"a"', False, id="weak"),
        pytest.param('"aa"', False, id="longer"),
        pytest.param("a", False, id="without quotes"),
        pytest.param('"a"', True, id="it"),
        pytest.param('"b", "a"', True, id="one of several"),
        pytest.param(" * ", True, id="any"),
    ],
)
def test_which_documents_a_caller_has_seen(header, agreed):
    assert agrees(header, "a") is agreed
