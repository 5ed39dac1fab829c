import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.matching.personal_text import project, touches


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain 1-2", b"plain 1-2", id="ASCII"),
        pytest.param("é中😀\ud800", b"\x80\x81\x81\x81", id="one byte each"),
        pytest.param("٣４", b"34", id="digits of other scripts"),
        pytest.param("\u2013\u00a0\u200b＠", b"-  @", id="dash, spaces, full width"),
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
        pytest.param("<>_", True, id="underscore after"),
        pytest.param("<>-7", True, id="number goes on"),
        pytest.param("1.<>", True, id="number began before"),
        pytest.param("<>", False, id="alone"),
        pytest.param("(<>).", False, id="punctuation"),
        pytest.param("中<>中", False, id="script without spaces"),
    ],
)
def test_touches(text, expected):
    start = text.index("<")
    data = project(text.replace("<>", "55"))

    assert touches(data, start, start + 2) is expected
