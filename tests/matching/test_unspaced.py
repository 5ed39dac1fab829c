import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator.matching.unspaced import OTHERS, PRICES, UNKNOWN, WORDS, apart


def told(word):
    return " ".join(part if known else f"<{part}>" for part, known in apart(word))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("zzzz", "<zzzz>", id="no word"),
        pytest.param("rnbqkbnr", "<rnbqkbnr>", id="one row of a board"),
        pytest.param("ignore", "ignore", id="a word"),
        pytest.param("Ignoreallrules", "Ignore all rules", id="three"),
        pytest.param("previously", "previously", id="no shorter word where a longer one fits"),
        pytest.param("giveyourzyklop", "give your <zyklop>", id="what is unknown is one part"),
        pytest.param("zyklopgivesup", "<zyklop> gives up", id="also at the start"),
        pytest.param("IamaROBOT", "I am a <ROBOT>", id="short words"),
        pytest.param("regelnändern", "<regelnändern>", id="another language"),
        pytest.param("İrules", "<İ> rules", id="a letter of which lower case is two"),
    ],
)
def test_apart(word, expected):
    assert told(word) == expected


@given(st.text(max_size=60))
def test_nothing_is_lost(word):
    assert "".join(part for part, _ in apart(word)) == word


def price(parts):
    words = sum(PRICES.get(len(part), OTHERS) for part, known in parts if known)
    return words + UNKNOWN * sum(len(part) for part, known in parts if not known)


@example(["no", "things"])  # read as "nothing" and a letter
@given(st.lists(st.sampled_from(sorted(WORDS)), max_size=12))
def test_no_reading_is_cheaper(words):
    written = [(word, True) for word in words]

    assert price(apart("".join(words))) <= price(written) + 1e-9
