import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.matching.unspaced import WORDS, apart


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


@given(st.lists(st.sampled_from(sorted(WORDS)), max_size=12))
def test_of_known_words_all_is_known(words):
    assert all(known for _, known in apart("".join(words)))
