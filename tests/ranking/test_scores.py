import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.ranking.scores import best, elo_shares, normalised, raised, softmax

finite = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("values", "lower", "scaled"),
    [
        pytest.param([1, 3, 2], False, [0, 1, 0.5], id="higher is better"),
        pytest.param([1, 3, 2], True, [1, 0, 0.5], id="lower is better"),
        pytest.param([2, 2], True, [0.5, 0.5], id="equal"),
        pytest.param([None, 4], False, [0, 0.5], id="one known"),
        pytest.param([None, 4, 5], True, [0, 1, 0], id="not known is worst"),
        pytest.param([None, None], False, [0, 0], id="none known"),
    ],
)
def test_normalised(values, lower, scaled):
    assert normalised(values, lower_is_better=lower) == scaled


def test_softmax():
    assert softmax([0.0, 0.1], 0.1) == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e)])


@given(st.lists(finite, min_size=1, max_size=9), st.floats(0.01, 9))
def test_shares_sum_to_one_and_keep_the_order(values, temperature):
    shares = softmax(values, temperature)

    assert sum(shares) == pytest.approx(1)
    assert shares[values.index(max(values))] == max(shares)


def test_elo_shares():
    assert elo_shares([1900, 1500]) == pytest.approx([10 / 11, 1 / 11])


@pytest.mark.parametrize(
    ("scores", "position"),
    [([1, 2, 2], 1), ([0.1 + 0.2, 0.3], 0), ([0.3, 0.1 + 0.2], 0), ([-1.0], 0)],
    ids=str,
)
def test_best_is_the_first_among_equals(scores, position):
    assert best(scores) == position


@given(finite, st.floats(1, 9))
def test_raised_is_never_worse(score, factor):
    assert raised(score, factor) >= score
    assert raised(score, 1 / factor) <= score
