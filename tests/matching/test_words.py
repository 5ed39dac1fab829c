import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.matching.words import fold, is_segmented, is_unspaced, normal, units, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("ılık", "ilik", id="dotless i is a letter of its own"),
        pytest.param("cafe", "café", id="an accent makes another letter"),
        pytest.param("か", "が", id="so does a voicing mark"),
    ],
)
def test_fold_keeps_apart(one, other):
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("URGENT", "urgent", id="ascii"),
        pytest.param("STRASSE", "straße", id="sharp s"),
        pytest.param("İSTANBUL", "istanbul", id="dotted capital i"),
        pytest.param("I\u0307stanbul", "istanbul", id="dotted capital i, decomposed"),
        pytest.param("ΟΔΟΣ", "οδος", id="final sigma"),
        pytest.param("cafe\u0301", "CAFÉ", id="combining accent"),
        pytest.param("\u212aelvin", "kelvin", id="kelvin sign"),
        pytest.param("ПРИВЕТ", "привет", id="cyrillic"),
    ],
)
def test_fold_unites(one, other):
    assert fold(one) == fold(other)


@given(st.text())
@settings(deadline=None)
def test_fold_and_normal_settle_after_one_round(text):
    assert normal(normal(text)) == normal(text)
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("character", "expected"),
    [
        pytest.param("-", False, id="hyphen"),
        pytest.param("+", False, id="plus"),
        pytest.param("用", False, id="han"),
        pytest.param("ー", False, id="kana length sign"),
        pytest.param("한", False, id="hangul"),
        pytest.param("ก", False, id="thai"),
        pytest.param("\ufe0f", False, id="emoji selector"),
        pytest.param("🔥", False, id="emoji"),
        pytest.param("a", True, id="ascii letter"),
        pytest.param("7", True, id="digit"),
        pytest.param("_", True, id="underscore"),
        pytest.param("é", True, id="accented"),
        pytest.param("ж", True, id="cyrillic"),
        pytest.param("ि", True, id="hindi vowel sign"),
        pytest.param("ع", True, id="arabic"),
    ],
)
def test_is_segmented(character, expected):
    assert is_segmented(character) is expected


def test_unspaced_scripts():
    assert not is_unspaced("привет")
    assert is_unspaced("機械learning")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("?!… 🔥", 0, id="no letters"),
        pytest.param("at least 3 items", 4, id="words and numbers"),
        pytest.param("snake_case", 2, id="an underscore separates"),
        pytest.param("至少三个", 4, id="each han character"),
        pytest.param("用python写", 3, id="mixed"),
        pytest.param("हिन्दी में", 2, id="combining marks do not separate"),
        pytest.param("프로그램", 4, id="each hangul syllable"),
    ],
)
def test_units(text, expected):
    assert units(text) == expected


def test_words_are_letters_marks_and_digits():
    assert words("api-key, हिन्दी x2!") == ["api", "key", "हिन्दी", "x2"]
