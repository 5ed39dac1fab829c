import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.quality.calibration import binned_error, calibration_error

ANSWERS = [
    pytest.param([1.0, 1.0], [True, True], 0.0, id="sure and right"),
    pytest.param([1.0, 1.0], [False, False], 1.0, id="sure and wrong"),
    pytest.param([0.5, 0.5], [True, False], 0.0, id="half, and right half of the time"),
    pytest.param([0.9, 0.9, 0.9, 0.9], [True, True, True, False], 0.15, id="too sure by 0.15"),
    # Two bins: 0.25 * |0.3 - 1| + 0.75 * |0.8 - 1/3|.
    pytest.param([0.3, 0.8, 0.8, 0.8], [True, True, False, False], 0.525, id="two bins"),
]


@pytest.mark.parametrize(("confidence", "right", "error"), ANSWERS)
def test_binned_error_by_hand(confidence, right, error):
    assert binned_error(np.array(confidence), np.array(right)) == pytest.approx(error)


def test_the_top_label_counts():
    probabilities = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])

    assert calibration_error(probabilities, np.array([0, 1])) == pytest.approx(0.2)


def test_nothing_has_no_error():
    assert math.isnan(binned_error(np.zeros(0), np.zeros(0, dtype=bool)))
    assert math.isnan(calibration_error(np.zeros((0, 2)), np.zeros(0, dtype=np.int64)))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
def test_it_is_between_the_mean_gap_and_one(pairs):
    confidence, right = map(np.array, zip(*pairs, strict=True))

    error = binned_error(confidence, right)

    assert abs(confidence.mean() - right.mean()) - 1e-9 <= error <= 1 + 1e-9
