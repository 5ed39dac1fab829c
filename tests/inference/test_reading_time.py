import pytest

from orchestrator.inference.reading_time import USUAL, of_pieces, of_sample, times_more

PROSE = "The committee met on Tuesday to discuss how the new library is paid for. "  # 16 tokens
TABLE = "17,5021.34,2024-03-18,OK,839201\n"


def prose(size):
    return (PROSE * (size // len(PROSE) + 1))[:size]


@pytest.mark.parametrize(
    ("count", "more"),
    [(0, 0), (USUAL, 0), (2 * USUAL, 1), (3.5 * USUAL, 2.5)],
    ids=["nothing", "the usual", "twice", "more"],
)
def test_times_more(count, more):
    assert times_more(count) == more


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        pytest.param("", 0, 0, id="nothing"),
        pytest.param("?" * USUAL, 0, 0, id="short, whatever it is"),
        pytest.param(prose(8_000), 0, 0.2, id="8 KB of prose"),
        pytest.param(prose(10**6), 0, 0.2, id="a sample of much prose"),
        pytest.param((TABLE * 250)[:8_000], 1, 2.5, id="8 KB of a table"),
        pytest.param("?" * 10**6, 2.9, 3, id="a sample of punctuation"),
        pytest.param("用" * 2_700, 0.2, 0.5, id="8 KB of Chinese"),
    ],
)
def test_of_a_sample(text, least, most):
    assert least <= of_sample(text) <= most


@pytest.mark.parametrize(
    ("texts", "least", "most"),
    [
        pytest.param([""], 0, 0, id="nothing"),
        pytest.param(["x" * 400], 0, 0, id="short"),
        pytest.param([prose(7_000)], 0, 0, id="one piece"),
        pytest.param([prose(80_000)], 7, 10, id="a long text"),
        pytest.param([prose(10**7)], 12, 16, id="no more than is read"),
        pytest.param([prose(10**6)] * 9, 24, 32, id="of the history as much"),
        pytest.param(["", *["go on, please"] * 1_000], 1.9, 3, id="many turns"),
        pytest.param([(TABLE * 250)[:8_000]], 2.5, 4.5, id="dense: read again in smaller pieces"),
    ],
)
def test_of_pieces(texts, least, most):
    assert least <= of_pieces(texts) <= most
