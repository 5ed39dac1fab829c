import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.selection import SELECTORS, Values
from orchestrator.standing import Percentiles, Record
from orchestrator.types import Candidate
from tests.selection.made import contender, selector

ROWS = [
    contender("a", quality=0.6, price=0.2),
    contender("b", quality=0.8, price=1.0),
    contender("c", quality=1.0, price=4.2),
]
STANDING = {
    "a": Record(tpot=0.03, inflight=4),
    "b": Record(tpot=0.01, inflight=0),
    "c": Record(ttft=0.05, inflight=8),  # no time per token: the one to the first stands for it
}


def choose(block=None, standing=STANDING, rows=ROWS):
    return selector("multi_factor", rows, block).choose(Values(standing=standing))


def test_scores_by_hand():
    plan = choose({"weights": {"quality": 4, "latency": 2, "cost": 2, "load": 2}})

    # quality 0, .5, 1; latency .5, 1, 0; price 1, .8, 0; load .5, 1, 0
    assert plan.scores == pytest.approx((0.4, 0.76, 0.4))
    assert (plan.chosen, plan.status) == (Candidate("b"), "selected")
    assert plan.confidence == pytest.approx(0.36 / 0.76 + 0.5)


@pytest.mark.parametrize(
    ("slo", "left"),
    [
        pytest.param({"max_tpot_ms": 20}, "bc", id="time per token, unknown passes"),
        pytest.param({"max_ttft_ms": 49}, "ab", id="time to the first token"),
        pytest.param({"max_cost_per_1m": 1.0}, "ab", id="price, the limit itself passes"),
        pytest.param({"max_inflight": 3}, "b", id="load"),
        pytest.param({"max_inflight": 0}, "abc", id="no limit"),
    ],
)
def test_limits(slo, left):
    scores = choose({"slo": slo}).scores

    assert [name for name, score in zip("abc", scores, strict=True) if score is not None] == list(
        left
    )


@pytest.mark.parametrize(
    ("given", "chosen", "status"),
    [("cheapest", "a", "selected"), ("first", "c", "selected"), ("fail", "c", "failed")],
)
def test_where_nobody_is_left(given, chosen, status):
    block = {"slo": {"max_inflight": 1}, "on_no_candidates": given}
    standing = {name: Record(inflight=2) for name in "abc"}

    plan = choose(block, standing, ROWS[::-1])

    assert (plan.chosen, plan.status) == (Candidate(chosen), status)
    assert plan.reason.startswith("every candidate breaks the slo")


def test_the_only_one_left_is_sure():
    assert choose({"slo": {"max_inflight": 3}}).confidence == 1.0


def test_what_is_not_known_scores_nothing():
    rows = [contender("a"), contender("b", quality=0.1)]
    plan = choose({"weights": {"quality": 1}}, {}, rows)

    assert plan.scores == (0.0, 0.5)


def test_what_it_asks_for():
    assert selector("multi_factor", ROWS).needs.standing == Percentiles(ttft=95, tpot=95)


@given(st.floats(0, 1), st.floats(0, 99), st.floats(0, 99), st.floats(0.01, 1), st.booleans())
def test_a_cheaper_equal_never_loses(quality, price, more, weight, turned):
    rows = [
        contender("dear", quality=quality, price=price + more),
        contender("cheap", quality=quality, price=price),
    ]
    block = {"weights": {"cost": weight, "quality": 1}}

    plan = choose(block, {}, rows[::-1] if turned else rows)

    if more > 1e-6 * (price + 1):
        assert plan.chosen == Candidate("cheap")


@pytest.mark.parametrize(
    "block",
    [
        {"weights": {"quality": -1}},
        {"weights": {"quality": 0}},
        {"slo": {"max_tpot": 1}},
        {"latency_percentile": 0},
        {"on_no_candidates": "any"},
    ],
    ids=str,
)
def test_settings_out_of_range(block):
    with pytest.raises(ValidationError):
        SELECTORS["multi_factor"].Settings.model_validate(block)
