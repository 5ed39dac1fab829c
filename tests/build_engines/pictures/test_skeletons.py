import string
from random import Random

import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures import skeletons


def test_every_letter_and_figure_has_strokes():
    known = skeletons.letters()
    assert set(string.ascii_letters + string.digits) <= set(known)
    assert all(len(stroke) >= 2 for strokes in known.values() for stroke in strokes)


@pytest.mark.parametrize(
    ("letters", "low", "high"),
    [
        pytest.param("acemnorsuvwxz", 0, 6, id="small letters stand between the lines"),
        pytest.param("bdhkl", 0, 11, id="some rise above"),
        pytest.param("gpqy", -5, 6, id="some hang below"),
        pytest.param("ABCDEFGHIJKLMNOPRSTUVWXYZ", 0, 11, id="capitals"),
        pytest.param("0123456789", 0, 10, id="figures"),
    ],
)
def test_a_letter_keeps_to_its_lines(letters, low, high):
    for letter in letters:
        heights = [y for stroke in skeletons.letters()[letter] for _, y in stroke]
        assert low <= min(heights) and max(heights) <= high, letter


@pytest.mark.parametrize(
    ("points", "count"),
    [
        pytest.param([(0.0, 0.0), (1.0, 1.0)], 2, id="two points stay a line"),
        pytest.param([(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)], 9, id="three become a curve"),
    ],
)
def test_a_curve_goes_through_its_points(points, count):
    curve = skeletons.smooth(points)
    assert len(curve) == count
    assert set(points) <= set(curve)


@pytest.mark.parametrize("word", [skeletons.joined_word, skeletons.looped_word])
def test_a_longer_word_is_wider(word):
    assert word(Random(1), 9)[1] > word(Random(1), 2)[1]


def test_a_character_stands_in_its_square():
    for seed in range(20):
        for stroke in skeletons.character(Random(seed)):
            assert all(-1 <= x <= 11 and 0 <= y <= 11 for x, y in stroke)
