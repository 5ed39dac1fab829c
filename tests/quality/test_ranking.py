import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.quality.ranking import (
    auc,
    best_f1,
    between,
    f1_from,
    recall_at,
    share_above,
    share_from,
)

# Few distinct scores, so that many are equal.
PAIRS = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9, 1.0]), st.booleans()))


def arrays(pairs):
    risk = np.array([risk for risk, _ in pairs], dtype=float)
    return risk, np.array([positive for _, positive in pairs], dtype=bool)


RANKINGS = [
    pytest.param([0.1, 0.9], [True, False], 0.0, id="upside down"),
    pytest.param([0.5, 0.5, 0.5], [True, False, False], 0.5, id="all equal"),
    pytest.param([0.9, 0.8, 0.1], [True, True, False], 1.0, id="apart"),
    pytest.param([0.9, 0.4, 0.5, 0.1], [True, True, False, False], 0.75, id="one pair of four"),
]


@pytest.mark.parametrize(("risk", "positive", "wanted"), RANKINGS)
def test_auc_by_hand(risk, positive, wanted):
    assert auc(np.array(risk), np.array(positive)) == wanted


@given(PAIRS)
def test_auc_is_the_chance_that_a_pair_is_in_order(pairs):
    risk, positive = arrays(pairs)
    wins = [(p > n) + (p == n) / 2 for p in risk[positive] for n in risk[~positive]]

    found = auc(risk, positive)

    assert found == pytest.approx(np.mean(wins)) if wins else math.isnan(found)


def test_recall_at_a_rate_by_hand():
    negatives = np.arange(100) / 100  # 0.98 is exceeded by one of a hundred
    risk = np.concatenate([negatives, [0.985, 0.98, 0.5, 0.99]])
    positive = np.arange(104) >= 100

    assert recall_at(risk, positive, 0.01) == (0.5, 0.98)
    assert recall_at(risk, positive, 0.0) == (0.0, 0.99)
    assert recall_at(risk, positive, 1.0) == (1.0, 0.0)


@given(PAIRS.filter(lambda pairs: any(not positive for _, positive in pairs)), st.floats(0, 0.99))
def test_no_more_negatives_are_flagged_than_the_rate_allows(pairs, rate):
    risk, positive = arrays(pairs)

    recall, threshold = recall_at(risk, positive, rate)

    assert share_above(risk[~positive], threshold) <= rate + 1e-12
    assert math.isnan(recall) or recall == (risk[positive] > threshold).mean()


def test_a_rate_needs_negatives():
    with pytest.raises(ValueError, match="negatives"):
        recall_at(np.array([0.5]), np.array([True]), 0.01)


def test_shares_differ_on_the_threshold_itself():
    risk = np.array([0.2, 0.7, 0.9])

    assert share_above(risk, 0.7) == pytest.approx(1 / 3)
    assert share_from(risk, 0.7) == pytest.approx(2 / 3)
    assert math.isnan(share_above(risk[:0], 0.7))
    assert math.isnan(share_from(risk[:0], 0.7))


@given(PAIRS.filter(bool), st.integers(0, 3))
def test_the_best_f1_is_the_best_of_every_threshold(pairs, missed):
    risk, positive = arrays(pairs)

    f1, threshold = best_f1(risk, positive, missed)

    assert f1 == pytest.approx(max(f1_from(risk, positive, at, missed) for at in set(risk)))
    assert f1_from(risk, positive, threshold, missed) == pytest.approx(f1)


def test_the_best_f1_by_hand():
    risk = np.array([0.9, 0.8, 0.7, 0.1])

    assert best_f1(risk, np.array([True, False, True, False])) == (pytest.approx(0.8), 0.7)
    with pytest.raises(ValueError, match="no scores"):
        best_f1(risk[:0], np.zeros(0, dtype=bool))
    assert f1_from(risk, np.zeros(4, dtype=bool), 1.0) == 0.0


CUTS = [
    pytest.param(0.31, 0.78, 0.78, id="two decimals where there is room"),
    pytest.param(0.781, 0.789, 0.789, id="three where there is less"),
    pytest.param(0.99991, 1.0, 1.0, id="up to one"),
    pytest.param(0.0, 0.004, 0.004, id="near zero"),
]


@pytest.mark.parametrize(("low", "high", "cut"), CUTS)
def test_a_cut_has_few_decimals(low, high, cut):
    assert between(low, high) == cut


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_cut_is_above_the_one_and_not_above_the_other(low, high):
    if low < high:
        assert low < between(low, high) <= high
    else:
        with pytest.raises(ValueError, match="nothing lies between"):
            between(low, high)
