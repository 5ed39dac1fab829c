"""Numbers by hand: value = quality - price/10 * tradeoff, then / (1 + price * cost weight)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.selection import Values
from orchestrator.standing import Record
from orchestrator.types import Candidate
from tests.selection.made import contender, selector

CHEAP = contender("cheap", quality=0.6, price=0.2)
DEAR = contender("dear", quality=0.9, price=2.0)


@pytest.mark.parametrize(
    ("block", "chosen", "scores"),
    [
        # 1.1 * (0.6 - 0.02 * 0.3) / (1 + 0.2 * 0.5); 1.1 * (0.9 - 0.2 * 0.3) / (1 + 2 * 0.5)
        pytest.param({}, "cheap", (0.594, 0.462), id="defaults"),
        # the trade-off weighs the price as well where it is given
        pytest.param(
            {"cost_quality_tradeoff": 0.0}, "dear", (0.66, 0.99), id="price counts for nothing"
        ),
        pytest.param(
            {"verification_threshold": 0.8}, "cheap", (0.54, 0.42), id="answers do not verify"
        ),
        pytest.param({"cost_aware_routing": False}, "dear", (0.6, 0.9), id="quality alone"),
    ],
)
def test_value(block, chosen, scores):
    plan = selector("automix", [CHEAP, DEAR], block).choose(Values())

    assert plan.chosen == Candidate(chosen)
    assert plan.scores == pytest.approx(scores)
    assert plan.confidence == 0.7
    assert plan.status == "selected"


def test_outcomes_change_the_choice():
    standing = {"cheap": Record(quality=0.2, verified=0.3), "dear": Record(quality=0.9)}

    plan = selector("automix", [CHEAP, DEAR]).choose(Values(standing=standing))

    assert plan.chosen == Candidate("dear")


def test_among_equals_the_cheaper_one_and_then_the_first():
    free = [contender("a", price=3.0), contender("b"), contender("c", price=0.0)]

    assert selector("automix", free, {"cost_quality_tradeoff": 0}).choose(Values()).chosen == (
        Candidate("b")
    )


@given(st.floats(0, 1), st.floats(0, 100), st.floats(0, 100), st.floats(0.01, 1))
def test_a_cheaper_equal_never_loses(quality, price, more, tradeoff):
    """Also where the price eats up all the quality, and the value is below zero."""
    rows = [
        contender("dear", quality=quality, price=price + more),
        contender("cheap", quality=quality, price=price),
    ]

    plan = selector("automix", rows, {"cost_quality_tradeoff": tradeoff}).choose(Values())

    assert plan.scores[1] >= plan.scores[0]
    if more > 1e-6 and quality > 0.01:
        assert plan.chosen == Candidate("cheap")


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 50))
def test_a_better_equal_never_loses(quality, better, price):
    rows = [
        contender("worse", quality=min(quality, better), price=price),
        contender("better", quality=max(quality, better), price=price),
    ]

    scores = selector("automix", rows).choose(Values()).scores

    assert scores[1] >= scores[0]
