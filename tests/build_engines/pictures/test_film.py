from random import Random

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures.film import Film


def film():
    return Film(Random(1), (80, 60), 0.2)


def test_an_ellipse_changes_its_inside_alone():
    one = film()
    one.ellipse((0.5, 0.5), (0.2, 0.2), 0.5)
    assert one.levels[30, 40] == pytest.approx(0.7)
    assert one.levels[2, 2] == pytest.approx(0.2)


def test_what_is_filled_loses_what_was_below():
    one = film()
    one.ellipse((0.5, 0.5), (0.4, 0.4), 0.5)
    one.fill((0.5, 0.5), (0.1, 0.1), 0.05)
    assert one.levels[30, 40] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("turn", "wide"),
    [pytest.param(0, True, id="lying"), pytest.param(90, False, id="turned upright")],
)
def test_an_ellipse_turns(turn, wide):
    mask = film().inside((0.5, 0.5), (0.4, 0.1), turn)
    assert (mask.any(axis=0).sum() / 80 > mask.any(axis=1).sum() / 60) is np.bool_(wide)


def test_a_cloud_stays_in_its_mask():
    one = film()
    mask = one.inside((0.25, 0.5), (0.2, 0.4))
    one.cloud(9, 0.3, mask)
    assert np.ptp(one.levels[:, 60:]) == 0
    assert np.ptp(one.levels[:, 10:30]) > 0.05


def test_levels_beyond_black_and_white_are_cut():
    one = film()
    one.line([(0, 0.25), (1, 0.25)], 0.1, 5)
    one.line([(0, 0.75), (1, 0.75)], 0.1, -5)
    levels = np.asarray(one.image(grain=0))
    assert (levels.min(), levels.max()) == (0, 255)
    assert levels.shape == (60, 80, 3)
