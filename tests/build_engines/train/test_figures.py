import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines.data import Span
from build_engines.train import figures


@pytest.mark.parametrize("heat", [0.5, 1.0, 2.5])
def test_the_temperature_of_synthetic_logits_is_found(heat):
    """Targets are drawn from the softmax; the logits are then too sharp by `heat`."""
    draw = np.random.default_rng(3)
    true = draw.normal(0, 1.5, (40_000, 4))
    targets = (true + draw.gumbel(size=true.shape)).argmax(1)

    found = figures.temperature((true * heat).astype(np.float32), targets)

    assert found == pytest.approx(heat, rel=0.04)


def test_the_calibration_error_is_the_gap_between_confidence_and_truth():
    sure = np.tile(np.array([[0.9, 0.1]], np.float32), (10, 1))

    assert figures.calibration_error(sure, np.array([0] * 9 + [1])) == pytest.approx(0, abs=1e-6)
    assert figures.calibration_error(sure, np.array([0] * 5 + [1] * 5)) == pytest.approx(0.4)


def test_macro_f1_counts_rare_classes_as_much_as_frequent_ones():
    wanted = np.array([0] * 8 + [1] * 2)

    assert figures.macro_f1(wanted, wanted, 3) == 1
    assert figures.macro_f1(np.zeros(10, int), wanted, 3) == pytest.approx((16 / 18 + 0) / 2)


@pytest.mark.parametrize(
    ("rate", "recall", "threshold"),
    [
        pytest.param(0.0, 0.5, 0.8, id="no false alarm"),
        pytest.param(0.25, 1.0, 0.3, id="one in four"),
    ],
)
def test_recall_at_a_rate_of_false_alarms(rate, recall, threshold):
    risk = np.array([0.1, 0.2, 0.3, 0.8, 0.9, 0.5])
    positive = np.array([False] * 4 + [True] * 2)

    found = figures.recall_at(risk, positive, rate)

    assert found == (recall, pytest.approx(threshold))


def test_spans_count_where_place_and_label_agree():
    wanted = [[Span(0, 2, "X"), Span(5, 6, "Y")], [Span(1, 3, "X")]]
    found = [[Span(0, 2, "X"), Span(5, 6, "X")], []]

    precision, recall, f1 = figures.span_f1(found, wanted)

    assert (precision, recall, f1) == pytest.approx((1 / 2, 1 / 3, 0.4))
