import pytest

from orchestrator.protocols.window import LIMIT, MARKER, window


@pytest.mark.parametrize("size", [0, 1, LIMIT], ids=["empty", "one", "at the limit"])
def test_short_text_is_read_whole(size):
    text = "x" * size

    assert window(text) is text


@pytest.mark.parametrize("size", [LIMIT + 1, 10_000], ids=["one too many", "long"])
def test_long_text_is_sampled(size):
    text = "".join(chr(0x4E00 + position % 5000) for position in range(size))

    head, middle, tail = window(text).split(MARKER)

    assert len(head) + len(middle) + len(tail) == LIMIT
    assert text.startswith(head) and text.endswith(tail)
    assert text.index(middle) == (size - len(middle)) // 2
