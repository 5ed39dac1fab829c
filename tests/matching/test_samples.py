import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.matching.samples import SEPARATOR, sample

LIMIT = 299  # three thirds of 99 bytes and two separators


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("x" * LIMIT, id="ASCII at the limit"),
        pytest.param("é" * (LIMIT // 2), id="two bytes each, below the limit"),
        pytest.param("\ud83d" * LIMIT, id="halves of emoji, one byte each"),
    ],
)
def test_short_text_is_whole(text):
    assert sample(text, LIMIT) == (text, False)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        pytest.param(
            "a" * 200 + "b" * 200 + "c" * 200, ("a" * 99, "b" * 99, "c" * 99), id="three subjects"
        ),
        pytest.param("é" * 150, ("é" * 49,) * 3, id="no half characters"),
        pytest.param("x" * (LIMIT + 1), ("x" * 99,) * 3, id="one too many"),
    ],
)
def test_long_text_is_head_middle_and_tail(text, pieces):
    assert sample(text, LIMIT) == (SEPARATOR.join(pieces), True)


@given(text=st.text(max_size=400), most=st.integers(20, 600))
def test_a_sample_fits_and_says_whether_it_is_one(text, most):
    part, cut = sample(text, most)

    assert len(part.encode("utf-8", "replace")) <= most
    assert cut == (len(text.encode("utf-8", "replace")) > most)
    assert cut or part is text
