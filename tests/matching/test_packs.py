import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.matching.packs import BETWEEN, Place, packed
from orchestrator.matching.personal import Personal


@pytest.mark.parametrize(
    ("texts", "most"),
    [
        pytest.param([], 4, id="none"),
        pytest.param(["a", "b", "c", "d"], 4, id="as many as may be"),
        pytest.param(["a", "b", "a", "b"], 2, id="the same again"),
    ],
)
def test_few_texts_stand_alone(texts, most):
    assert packed(texts, most) == {text: Place(text) for text in texts}


def test_neighbours_stand_together_and_a_long_one_alone():
    long = "x" * 400

    places = packed(["one", "two", long, "three", "four"], 4)

    assert places == {
        "one": Place("one\n\ntwo", 0, shared=True),
        "two": Place("one\n\ntwo", 5, shared=True),
        long: Place(long),
        "three": Place("three\n\nfour", 0, shared=True),
        "four": Place("three\n\nfour", 7, shared=True),
    }


@given(st.lists(st.text(min_size=1, max_size=40), max_size=60), st.integers(1, 20))
def test_every_text_is_in_one_of_few(texts, most):
    places = packed(texts, most)

    assert places.keys() == set(texts)
    for text, place in places.items():
        assert place.text[place.start : place.start + len(text)] == text
        assert place.shared == (place.text != text)
    assert len({place.text for place in places.values()}) <= most + 2


def test_no_number_goes_across_two_texts():
    card = "4111 1111 1111 1111"

    assert [one.label for one in Personal().find(card)] == ["CREDIT_CARD"]
    assert Personal().find(card[:14] + BETWEEN + card[15:]) == []
