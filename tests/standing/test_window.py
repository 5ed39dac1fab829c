import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.standing.window import Window


def filled(values, most=1000):
    window = Window(most)
    for value in values:
        window.add(value)
    return window


@pytest.mark.parametrize("values", [[], [1], [1, 2], [-1, math.nan, math.inf, 1, 2]], ids=str)
def test_too_few_say_nothing(values):
    assert filled(values).percentile(50) is None


@pytest.mark.parametrize(
    ("percent", "value"), [(1, 1), (20, 1), (21, 2), (50, 3), (95, 5), (100, 5)]
)
def test_nearest_rank(percent, value):
    assert filled([5, 1, 4, 2, 3]).percentile(percent) == value


@given(
    st.lists(st.floats(0, 1e6), min_size=3, max_size=60),
    st.integers(3, 20),
    st.floats(1, 100),
)
def test_only_the_last_ones_count(values, most, percent):
    kept = sorted(values[-most:])
    rank = max(math.ceil(percent / 100 * len(kept)), 1)

    assert filled(values, most).percentile(percent) == kept[rank - 1]
