import math

import numpy as np
import pytest

from orchestrator.quality.classes import Score, accuracy, confusion, macro_f1, score, scores

# Three of class 0 (one taken for 1), two of class 1 (one taken for 2), one of class 2.
WANTED = np.array([0, 0, 0, 1, 1, 2])
FOUND = np.array([0, 0, 1, 1, 2, 2])


def test_a_confusion_table_has_a_row_for_each_truth():
    table = confusion(FOUND, WANTED, 4)

    assert table.tolist() == [[2, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]]


def test_scores_by_hand():
    first, second, third, absent = scores(confusion(FOUND, WANTED, 4))

    assert first == Score(1.0, 2 / 3, 0.8, 3)
    assert second == Score(0.5, 0.5, 0.5, 2)
    assert third == Score(0.5, 1.0, pytest.approx(2 / 3), 1)
    assert absent == Score(0.0, 0.0, 0.0, 0)


def test_a_class_that_does_not_occur_does_not_count():
    """But what is taken for it is missing elsewhere."""
    assert macro_f1(FOUND, WANTED, 4) == pytest.approx((0.8 + 0.5 + 2 / 3) / 3)
    assert macro_f1(np.array([3, 3]), np.array([0, 0]), 4) == 0.0


def test_accuracy_by_hand():
    assert accuracy(FOUND, WANTED) == pytest.approx(4 / 6)


def test_nothing_has_no_figures():
    nothing = np.zeros(0, dtype=np.int64)

    assert math.isnan(accuracy(nothing, nothing))
    assert math.isnan(macro_f1(nothing, nothing, 3))
    assert score(0, 0, 0) == Score(0.0, 0.0, 0.0, 0)
