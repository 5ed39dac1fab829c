import pytest
from pydantic import ValidationError

from orchestrator.selection import SELECTORS, Values
from orchestrator.standing import Percentiles, Record
from orchestrator.types import Candidate
from tests.selection.made import contender, selector

ROWS = [contender("a"), contender("b"), contender("c")]
BOTH = {"tpot_percentile": 90, "ttft_percentile": 95}


def choose(records, block=BOTH):
    standing = dict(zip("abc", records, strict=True))
    return selector("latency_aware", ROWS, block).choose(Values(standing=standing))


def test_mean_of_the_multiples_of_the_lowest():
    plan = choose([Record(0.4, 0.02), Record(0.2, 0.03), Record(0.6, 0.01)])

    assert plan.scores == pytest.approx((2.0, 2.0, 2.0))
    assert plan.chosen == Candidate("a")  # a tie
    assert plan.confidence == pytest.approx(0.0)


def test_the_lowest_wins():
    plan = choose([Record(0.4, 0.02), Record(0.2, 0.02), Record(0.6, 0.02)])

    assert plan.scores == pytest.approx((1.5, 1.0, 2.0))
    assert (plan.chosen, plan.status) == (Candidate("b"), "selected")
    assert plan.confidence == pytest.approx(0.5 / 1.5)


def test_a_model_without_data_is_left_out():
    plan = choose([Record(), Record(0.9, 0.9), Record(0.1, None)])

    assert plan.scores == (None, 1.0, None) or plan.scores[0] is None
    assert (plan.chosen, plan.confidence) == (Candidate("b"), 1.0)
    assert "2 without data left out" in plan.reason


def test_a_metric_that_nobody_has_counts_for_none():
    plan = choose([Record(None, 0.03), Record(None, 0.02), Record(None, 0.05)])

    assert plan.chosen == Candidate("b")


@pytest.mark.parametrize(
    "records",
    [[Record()] * 3, [Record(0.1), Record(None, 0.1), Record()]],
    ids=["no data", "no two of a kind"],
)
def test_without_data_the_first(records):
    plan = choose(records)

    assert (plan.chosen, plan.status) == (Candidate("a"), "fallback")
    assert plan.reason == "no latencies yet; the first candidate answers"


def test_no_time_at_all():
    assert choose([Record(0.1, 0.0), Record(0.1, 0.0), Record(0.1, 0.1)]).chosen == Candidate("a")


def test_what_it_asks_for():
    chooser = selector("latency_aware", ROWS, {"tpot_percentile": 90})

    assert chooser.needs.standing == Percentiles(ttft=None, tpot=90)


@pytest.mark.parametrize(
    "block",
    [{}, {"tpot_percentile": 0}, {"ttft_percentile": 101}, {"tpot": 50}],
    ids=str,
)
def test_settings_out_of_range(block):
    with pytest.raises(ValidationError):
        SELECTORS["latency_aware"].Settings.model_validate(block)
