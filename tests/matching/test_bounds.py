import pytest

from orchestrator.config.decisions import Predicate
from orchestrator.matching.bounds import certainty, satisfies


@pytest.mark.parametrize(
    ("bounds", "value", "expected"),
    [
        pytest.param({"gt": 2}, 2, False, id="gt excludes the bound"),
        pytest.param({"gte": 2}, 2, True, id="gte includes it"),
        pytest.param({"lt": 2}, 2, False, id="lt excludes it"),
        pytest.param({"lte": 2}, 2, True, id="lte includes it"),
        pytest.param({"gt": 0, "lte": 3}, 4, False, id="both must hold"),
        pytest.param({"gt": 0, "lte": 3}, 3, True, id="both hold"),
    ],
)
def test_satisfies(bounds, value, expected):
    assert satisfies(value, Predicate(**bounds)) is expected


@pytest.mark.parametrize(
    ("bounds", "value", "expected"),
    [
        pytest.param({"gte": 4}, 4, 0.5, id="on the bound"),
        pytest.param({"gte": 4}, 5, 0.982, id="one away"),
        pytest.param({"lt": 1}, 0.75, 0.731, id="below an upper bound"),
        pytest.param({"gt": 0, "lt": 100}, 99, 1.0, id="the first bound that is given"),
    ],
)
def test_certainty(bounds, value, expected):
    assert certainty(value, Predicate(**bounds)) == pytest.approx(expected, abs=1e-3)
