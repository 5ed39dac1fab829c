import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import InferenceError
from orchestrator.inference.rows import encode


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 9, id="characters of one byte"),
        pytest.param("\N{SNOWMAN}" * 3, id="characters of three"),
    ],
)
def test_a_text_of_more_bytes_is_refused(text):
    with pytest.raises(InferenceError, match="m: a text of 9 bytes exceeds the limit of 8"):
        encode("m", text, 8)
    assert len(encode("m", text[:-1], 8)) <= 8


@given(st.text(st.characters(), max_size=20))
def test_the_positions_of_characters_stay(text):
    decoded = encode("m", text).decode()

    assert len(decoded) == len(text)
    assert all(a == b or b == "?" for a, b in zip(text, decoded, strict=True))
