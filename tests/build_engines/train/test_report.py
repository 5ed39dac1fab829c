import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines.data import Example, Span
from build_engines.train.report import slices, token_spans


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        pytest.param("", [], id="no tokens"),
        pytest.param("O O", [], id="nothing"),
        pytest.param("B-X I-X O", [(0, 2, "X")], id="one"),
        pytest.param("O B-X", [(1, 2, "X")], id="up to the end"),
        pytest.param("B-X B-X", [(0, 1, "X"), (1, 2, "X")], id="neighbours"),
        pytest.param("B-X I-Y", [(0, 1, "X"), (1, 2, "Y")], id="another label"),
        pytest.param("I-X I-X", [(0, 2, "X")], id="without a begin"),
    ],
)
def test_spans_from_marks(marks, expected):
    assert list(token_spans(marks.split())) == [Span(*one) for one in expected]


def test_slices_are_reported_where_there_are_enough_texts():
    few = [Example("x", "a", "s", "g", "de", "rare")] * 19
    many = [Example("x", "a", "t", "g", "en")] * 20

    found = dict(slices([*few, *many]))

    assert found == {"en": list(range(19, 39)), "source t": list(range(19, 39))}
