import pytest

from orchestrator.config.decisions import Predicate
from orchestrator.matching.bounds import certainty, satisfies, scaled


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


@pytest.mark.parametrize(
    ("score", "threshold", "expected"),
    [
        pytest.param(-0.5, 0.1, 0.0, id="below 0"),
        pytest.param(0.35, 0.7, 0.25, id="half of the threshold"),
        pytest.param(0.7, 0.7, 0.5, id="the threshold"),
        pytest.param(0.85, 0.7, 0.75, id="half of what is above"),
        pytest.param(1.5, 0.7, 1.0, id="above 1"),
        pytest.param(0.0, 0.0, 0.5, id="a threshold of 0"),
        pytest.param(0.99, 1.0, 0.495, id="below a threshold of 1"),
        pytest.param(1.0, 1.0, 1.0, id="a threshold of 1"),
    ],
)
def test_scaled(score, threshold, expected):
    assert scaled(score, threshold) == pytest.approx(expected)
