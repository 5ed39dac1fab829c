import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.matching.personal_text import Thin, project, spaced, touches


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain 1-2", b"plain 1-2", id="ASCII"),
        pytest.param("é中😀\ud800", b"\x80\x83\x81\x81", id="one byte each"),
        pytest.param("яא가ก", b"\x82\x82\x83\x83", id="letters with blanks between words, or not"),
        pytest.param("कॉ", b"\x82\x82", id="a mark is of its script"),
        pytest.param("1\ufe0f\u20e3\u3164", b"1\x84\x84\x84", id="unseen"),
        pytest.param("\u2028", b"\n", id="line end"),
        pytest.param("٣４", b"34", id="digits of other scripts"),
        pytest.param("\u2013\u00a0\u200b＠", b"- \x84@", id="dash, spaces, full width"),
        pytest.param("€5", b"$5", id="currency"),
        pytest.param("e\u0301", b"e\x80", id="combining mark continues a word"),
    ],
)
def test_project(text, expected):
    assert project(text) == expected


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=())))
def test_every_character_is_one_byte(text):
    assert len(project(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a<>", True, id="letter before"),
        pytest.param("<>_x", True, id="word after"),
        pytest.param("<>-7", True, id="number goes on"),
        pytest.param("1.<>", True, id="number began before"),
        pytest.param("<>", False, id="alone"),
        pytest.param("a_<>", True, id="underscore in a word"),
        pytest.param("(<>).", False, id="punctuation"),
        pytest.param("__<>__", False, id="emphasis"),
        pytest.param("中<>中", False, id="script without spaces"),
    ],
)
def test_touches(text, expected):
    start = text.index("<")
    data = project(text.replace("<>", "55"))

    assert touches(data, start, start + 2) is expected


def test_what_is_not_seen_divides_words_or_is_left_out():
    text = "a\u200bb\u2060c"
    data = project(text)
    thin = Thin.of(text, data)

    assert spaced(data) == b"a b c"
    assert (thin.text, thin.data) == ("abc", b"abc")
    assert (thin.whole(0, 1), thin.whole(0, 2), thin.whole(1, 3)) == (None, (0, 3), (2, 5))
