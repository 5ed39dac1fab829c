import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import ImageRefused, InferenceError, InvalidScore
from orchestrator.inference import Seen
from orchestrator.inference.sights import check_size, decode_pixels, decode_seen, joined

FLOAT = np.float32


def tensors(vectors, known):
    vectors, known = np.array(vectors, FLOAT), np.array(known, FLOAT)
    return {
        "EMBEDDING": (vectors.shape, vectors.tobytes()),
        "KNOWN": (known.shape, known.tobytes()),
    }


def test_a_picture_that_is_too_large_is_refused_in_the_words_of_the_preprocessor():
    check_size(b"1234", 4)
    with pytest.raises(ImageRefused, match=r"^longer than 4 bytes$"):
        check_size(b"12345", 4)


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        pytest.param({}, InferenceError, "EMBEDDING has shape", id="nothing"),
        pytest.param(
            tensors([[1, 0]], [[1]]), InferenceError, r"shape \(1, 2\), expected \(2", id="a row"
        ),
        pytest.param(
            tensors([[1, 0], [0, np.nan]], [[1], [1]]), InferenceError, "not finite", id="NaN"
        ),
        pytest.param(
            tensors([[1, 0], [0, 1]], [[1]]), InferenceError, "KNOWN has 4 bytes", id="one known"
        ),
        pytest.param(tensors([[1, 0], [0, 1]], [[1], [1.01]]), InvalidScore, "KNOWN", id="above 1"),
        pytest.param(tensors([[1, 0], [0, 1]], [[-0.1], [1]]), InvalidScore, "KNOWN", id="below 0"),
        pytest.param(
            tensors([[1, 0], [0, 1]], [[np.nan], [1]]), InvalidScore, "KNOWN", id="known NaN"
        ),
    ],
)
def test_what_is_no_answer_is_refused(answer, kind, message):
    with pytest.raises(kind, match=message) as caught:
        decode_seen("m", answer, 2, 0.5)
    assert type(caught.value) is kind


def test_an_answer_is_decoded_and_rounding_forgiven():
    seen = decode_seen("m", tensors([[1, 0], [0, 1]], [[1.00001], [-0.00001]]), 2, 0.25)

    assert seen.embeddings.tolist() == [[1, 0], [0, 1]]
    assert (seen.known.tolist(), seen.known.dtype, seen.floor) == ([1, 0], FLOAT, 0.25)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"PIXELS": ((3, 2, 2), b"x" * 48)}, id="no row"),
        pytest.param({"PIXELS": ((2, 3, 2, 2), b"x" * 96)}, id="two rows"),
        pytest.param({"PIXELS": ((1, 1, 2, 2), b"x" * 16)}, id="grey"),
        pytest.param({"PIXELS": ((1, 3, 2, 2), b"x" * 47)}, id="a byte less"),
    ],
)
def test_what_are_no_pixels_is_refused(answer):
    with pytest.raises(InferenceError, match="PIXELS has shape"):
        decode_pixels(answer)


def test_pixels_are_their_bytes():
    assert decode_pixels({"PIXELS": ((1, 3, 2, 2), b"x" * 48)}) == b"x" * 48


def test_answers_of_different_lengths_are_not_joined():
    parts = [Seen(np.ones((1, d), FLOAT), np.ones(1, FLOAT), 0.5) for d in (2, 3)]

    with pytest.raises(InferenceError, match="m: its embeddings differ in length"):
        joined("m", parts)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_answers_are_joined_in_order(sizes):
    parts, row = [], 0
    for size in sizes:
        numbers = np.arange(row, row + size, dtype=FLOAT)
        parts.append(Seen(numbers[:, None].repeat(3, 1), numbers, 0.5))
        row += size

    seen = joined("m", parts)

    assert seen.known.tolist() == list(range(row)) == seen.embeddings[:, 2].tolist()
    assert seen.embeddings.shape == (row, 3)
