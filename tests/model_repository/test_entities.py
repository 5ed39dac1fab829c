"""Token probabilities into pieces of a text, over the published tokenizer."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CLASSES = {"O": 0, "B-X": 1, "I-X": 2, "B-Y": 3, "I-Y": 4}


def rows_of(marks, share=0.95):
    """Each token mostly of its mark."""
    rows = np.full((len(marks), len(CLASSES)), (1 - share) / 4, np.float32)
    for at, mark in enumerate(marks):
        rows[at, CLASSES[mark]] = share
    return rows


@pytest.fixture
def read(signals_code, tokenizer):
    """The pieces that marks of words (by their first token) make of a text."""

    def pieces(text, marks):
        encoding = tokenizer.encode(text, add_special_tokens=False)
        words = marks.split()
        by_token = [words[word] for word in encoding.word_ids]
        found = signals_code["entities"].entities(
            rows_of(by_token), encoding.offsets, encoding.word_ids, text
        )
        return [(text[one.start : one.stop], "XY"[one.label]) for one in found]

    return pieces


@pytest.mark.parametrize(
    ("text", "marks", "expected"),
    [
        pytest.param("", "", [], id="empty text"),
        pytest.param("  \n ", "", [], id="blank text"),
        pytest.param("he is here", "O O O", [], id="nothing"),
        pytest.param("Anna is here", "B-X O O", [("Anna", "X")], id="at the start"),
        pytest.param("here is Anna", "O O B-X", [("Anna", "X")], id="at the end"),
        pytest.param("Anna Weber left", "B-X I-X O", [("Anna Weber", "X")], id="two words"),
        pytest.param("Anna Weber left", "I-X I-X O", [("Anna Weber", "X")], id="without a begin"),
        pytest.param("Anna Bob", "B-X B-X", [("Anna", "X"), ("Bob", "X")], id="a begin splits"),
        pytest.param("Anna Rome", "B-X I-Y", [("Anna", "X"), ("Rome", "Y")], id="another label"),
        pytest.param(
            "unbelievably antidisestablishmentarianism",
            "O B-X",
            [("antidisestablishmentarianism", "X")],
            id="a word of many pieces",
        ),
        pytest.param(
            "mail a.b@c.de!",
            "O B-X I-X I-X I-X I-X I-X I-X O",
            [("a.b@c.de", "X")],
            id="an address",
        ),
        pytest.param("Anna's cat", "B-X O O O", [("Anna", "X")], id="before an apostrophe"),
        pytest.param(
            "(a.b@c.de),",
            "O B-X O I-X I-X I-X I-X I-X O O",
            [("a.b@c.de", "X")],
            id="a run decides together",
        ),
        pytest.param("我在東京工作", "O O B-X I-X O O", [("東京", "X")], id="CJK"),
        pytest.param("🦊 Anna 🦊", "O B-X O", [("Anna", "X")], id="between emoji"),
        pytest.param("hi 👩‍👩‍👧 x", "O B-X O", [("👩‍👩‍👧", "X")], id="an emoji of several"),
        pytest.param("a ❤️ b", "O B-X O", [("❤️", "X")], id="an emoji with a selector"),
        pytest.param("José García", "B-X I-X", [("José García", "X")], id="accents"),
        pytest.param(
            "Jose\u0301 left", "B-X O", [("Jose\u0301", "X")], id="a combining mark at its end"
        ),
        pytest.param(
            "Jose\u0301\u0302, x", "B-X O O", [("Jose\u0301\u0302", "X")], id="two of them"
        ),
        pytest.param("he\u200b is", "B-X O", [("he\u200b", "X")], id="a joiner at its end"),
        pytest.param("Anna\n", "B-X", [("Anna", "X")], id="not the line's end"),
    ],
)
def test_pieces_are_string_indices(read, text, marks, expected):
    assert read(text, marks) == expected


def test_a_dropped_mark_is_not_taken_from_the_next_piece(signals_code):
    """As an older tokenizer would have it: the mark is a token of its own."""
    text = "a\u0301"

    found = signals_code["entities"].entities(
        rows_of(["B-X", "B-Y"]), [(0, 1), (1, 2)], [0, 1], text
    )

    assert [(one.start, one.stop) for one in found] == [(0, 1), (1, 2)]


def test_the_score_is_the_mean_over_words(signals_code):
    """Begin and inside count together; later pieces of a word do not, outside ASCII."""
    rows = np.array(
        [[0.1, 0.6, 0.2, 0.1, 0], [1, 0, 0, 0, 0], [0.3, 0.1, 0.4, 0.1, 0.1]], np.float32
    )

    (found,) = signals_code["entities"].entities(
        rows, [(0, 2), (2, 4), (5, 7)], [0, 0, 1], "hëheh he"
    )

    assert (found.start, found.stop, found.label) == (0, 7, 0)
    assert found.score == pytest.approx((0.8 + 0.5) / 2)


TEXTS = st.text(
    st.characters(codec="utf-8") | st.sampled_from("ab e\u0301\u0302\u200d,.東京🦊é\u0903\u200b\n"),
    max_size=40,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(TEXTS, st.integers(0, 2**32 - 1))
def test_pieces_are_inside_the_text_in_order_and_do_not_overlap(
    signals_code, tokenizer, text, seed
):
    encoding = tokenizer.encode(text, add_special_tokens=False)
    rows = np.random.default_rng(seed).dirichlet([0.3] * 5, len(encoding.ids))

    found = signals_code["entities"].entities(
        rows.reshape(-1, 5).astype(np.float32), encoding.offsets, encoding.word_ids, text
    )

    places = [place for one in found for place in (one.start, one.stop)]
    assert places == sorted(places)
    assert all(0 <= one.start < one.stop <= len(text) for one in found)
    assert all(0 <= one.label < 2 and 0 < one.score <= 1.00001 for one in found)


def parts(windows):
    """Each window's rows say which window and which token they are of."""
    return [
        np.array([[at, token] for token in range(start, stop)], np.float32).reshape(-1, 2)
        for at, (start, stop) in enumerate(windows)
    ]


@pytest.mark.parametrize(
    ("windows", "owners"),
    [
        pytest.param([(0, 0)], [], id="no tokens"),
        pytest.param([(0, 3)], [0, 0, 0], id="one window"),
        pytest.param([(0, 6), (4, 8)], [0] * 5 + [1] * 3, id="two shared: one each"),
        pytest.param([(0, 6), (3, 9)], [0] * 4 + [1] * 5, id="three shared: the second has more"),
        pytest.param([(0, 6), (4, 10), (8, 11)], [0] * 5 + [1] * 4 + [2] * 2, id="three windows"),
        pytest.param([(0, 3), (3, 5)], [0, 0, 0, 1, 1], id="nothing shared"),
    ],
)
def test_each_window_decides_on_its_half(signals_code, windows, owners):
    found = signals_code["entities"].joined(parts(windows), windows)

    assert found[:, 0].tolist() == owners
    assert found[:, 1].tolist() == list(range(len(owners)))


@pytest.mark.parametrize(
    ("slope", "bias", "mean", "score"),
    [
        pytest.param(1.0, 0.0, 0.3, 0.3, id="as it is"),
        pytest.param(2.0, 0.0, 0.8, 16 / 17, id="surer"),
        pytest.param(1.0, -np.log(3.0), 0.9, 0.75, id="less often right"),
        pytest.param(1.0, 0.0, 1.0, 1.0, id="certain"),
        pytest.param(1.0, 0.0, 0.0, 0.0, id="impossible"),
    ],
)
def test_a_mean_probability_becomes_a_share_of_right_ones(signals_code, slope, bias, mean, score):
    surety = signals_code["entities"].Surety(slope, bias)

    assert surety(mean) == pytest.approx(score, abs=2e-6)


def test_a_score_is_what_is_made_of_its_words(signals_code, tokenizer):
    encoding = tokenizer.encode("Anna Weber left", add_special_tokens=False)
    marks = [["B-X", "I-X", "O"][word] for word in encoding.word_ids]
    entities, rows = signals_code["entities"], rows_of(marks, 0.9)
    mean = 0.9 + 0.025  # begin and inside of the label

    (found,) = entities.entities(
        rows, encoding.offsets, encoding.word_ids, "Anna Weber left", entities.Surety(1.5, -1.0)
    )

    assert found.score == pytest.approx(entities.Surety(1.5, -1.0)(mean))


def test_a_piece_across_windows_is_one(signals_code, tokenizer):
    text = " ".join(["he"] * 3 + ["river"] * 4 + ["he"] * 2)
    marks = ["O"] * 3 + ["B-X"] + ["I-X"] * 3 + ["O"] * 2
    windows = [(0, 6), (4, 9)]
    encoding = tokenizer.encode(text, add_special_tokens=False)

    rows = signals_code["entities"].joined(
        [rows_of(marks[start:stop]) for start, stop in windows], windows
    )
    (found,) = signals_code["entities"].entities(rows, encoding.offsets, encoding.word_ids, text)

    assert text[found.start : found.stop] == "river river river river"
