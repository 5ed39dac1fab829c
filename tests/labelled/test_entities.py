import math

import pytest

from orchestrator.inference import Entity
from orchestrator.labelled.asking import Said
from orchestrator.labelled.entities import judge, spans
from orchestrator.quality.classes import Score
from tests.labelled.rows import row

ANN = Entity(0, 3, "PERSON", 0.8)
BOB = Entity(5, 8, "PERSON", 0.4)
MAIL = Entity(9, 20, "EMAIL_ADDRESS", 0.99)
ROWS = [
    row(spans=[(0, 3, "PERSON"), (9, 20, "EMAIL_ADDRESS")]),
    row(),
]
SAID = [Said(alone=(ANN,), united=(ANN, MAIL)), Said(alone=(BOB,), united=(BOB,))]


def test_spans_below_a_threshold_are_left_out():
    assert spans([ANN, BOB], 0.8) == ((0, 3, "PERSON"),)


def test_figures_by_hand():
    found = judge(ROWS, SAID, 0.5)

    assert found.alone.overall == Score(0.5, 0.5, 0.5, 2)
    assert found.united.overall == Score(pytest.approx(2 / 3), 1.0, 0.8, 2)
    assert found.served.overall == Score(1.0, 1.0, 1.0, 2)
    assert found.alone.labels["EMAIL_ADDRESS"] == Score(0.0, 0.0, 0.0, 1)
    assert found.united.labels["PERSON"] == Score(0.5, 1.0, pytest.approx(2 / 3), 1)
    # Two bins of one span each: half of 0.2 and half of 0.4.
    assert found.calibration_error == pytest.approx(0.3)
    assert (found.text_recall, found.text_rate) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("found", "error"),
    [
        pytest.param((0, 3, "PERSON"), 0.2, id="to the letter"),
        pytest.param((2, 6, "PERSON"), 0.2, id="with the wrong ends"),
        pytest.param((3, 6, "PERSON"), 0.8, id="beside"),
        pytest.param((0, 3, "GPE"), 0.8, id="of another type"),
    ],
)
def test_a_score_is_right_where_it_touches_one_of_its_type(found, error):
    said = Said(alone=(Entity(*found, 0.8),), united=())

    assert judge(ROWS[:1], [said], 0.5).calibration_error == pytest.approx(error)


def test_a_lower_threshold_flags_the_other_text():
    assert judge(ROWS, SAID, 0.3).text_rate == 1.0


def test_nothing_found_and_nothing_served():
    found = judge(ROWS[:1], [Said()], None)

    assert found.alone.overall == Score(0.0, 0.0, 0.0, 2)
    assert math.isnan(found.calibration_error)
    assert found.served is found.text_recall is found.text_rate is None
    assert math.isnan(judge(ROWS[:1], [Said()], 0.5).text_rate)


def test_a_router_tells_what_is_united_only():
    found = judge(ROWS, [Said(alone=None, united=(ANN, MAIL)), Said(alone=None)], 0.5)

    assert found.alone is found.calibration_error is None
    assert found.united.overall == Score(1.0, 1.0, 1.0, 2)
