import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.matching.pieces import (
    MOST_BYTES,
    MOST_READ,
    OVERLAP,
    PART_BYTES,
    WORTH,
    Cut,
    Piece,
    pieces,
    together,
)

WORDS = "the quick brown fox jumps over the lazy dog "
HAN = "敏捷的棕色狐狸跳过懒狗"


def size(text):
    return len(text.encode("utf-8", "replace"))


@pytest.mark.parametrize("text", ["", " \n\t"], ids=["empty", "blank"])
def test_nothing_to_read(text):
    assert pieces(text) == Cut(())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a", id="short"),
        pytest.param("x" * MOST_BYTES, id="just as much as a piece may be"),
        pytest.param("half \ud83d an emoji", id="a lone surrogate is left as it is"),
    ],
)
def test_one_piece_is_the_text(text):
    assert pieces(text) == Cut((Piece(0, text),))


@pytest.mark.parametrize(
    ("most", "overlap"), [pytest.param(15, 0, id="no room"), pytest.param(100, 26, id="shared")]
)
def test_a_piece_must_have_room(most, overlap):
    with pytest.raises(ValueError, match="a piece is at least"):
        pieces("x", most, overlap)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(WORDS * 1000, id="words"),
        pytest.param("x" * 40_000, id="no white space at all"),
        pytest.param(HAN * 1500, id="Chinese"),
        pytest.param("🙂👩‍👩‍👧" * 2000, id="emoji"),
        pytest.param("\ud83d" * 20_000, id="lone surrogates"),
        pytest.param("x" * 20_000 + " " * 20_000 + "x", id="a desert of blanks"),
    ],
)
def test_pieces_cover_the_text(text):
    cut = pieces(text)

    read = text.replace("\ud83d", "?")
    assert not cut.truncated
    assert cut.pieces[0].start == 0
    assert all(0 < size(one.text) <= PART_BYTES for one in cut.pieces)
    assert all(read[one.start : one.start + len(one.text)] == one.text for one in cut.pieces)
    for one, following in zip(cut.pieces, cut.pieces[1:], strict=False):
        shared = read[following.start : one.start + len(one.text)]
        assert OVERLAP - 4 <= size(shared) <= 2 * OVERLAP
    last = cut.pieces[-1]
    assert last.start + len(last.text) == len(text)


def test_words_are_whole():
    cut = pieces(WORDS * 1000)

    assert {word for one in cut.pieces for word in one.text.split()} == set(WORDS.split())


def test_what_stands_at_a_border_is_whole_in_one_piece():
    needle = "4111 1111 1111 1111"
    for at in range(PART_BYTES - 60, PART_BYTES + 60, 7):
        text = "y" * at + needle + "z" * MOST_BYTES
        assert any(needle in one.text for one in pieces(text).pieces)


@given(st.text(min_size=1, max_size=400), st.integers(16, 64))
def test_every_character_is_read(text, most):
    cut = pieces(text, most, most // 4)

    read = text.encode("utf-8", "replace").decode()
    seen = set()
    for one in cut.pieces:
        assert size(one.text) <= most
        assert one.text in (text, read[one.start : one.start + len(one.text)])
        seen |= set(range(one.start, one.start + len(one.text)))
    assert seen == (set(range(len(text))) if text.strip() else set())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(WORDS * 20_000, id="words"),
        pytest.param(HAN * 30_000, id="Chinese"),
        pytest.param("x" * (MOST_READ + 1), id="one byte too much"),
    ],
)
def test_beyond_the_limit_a_selection_is_read_and_told(text):
    cut = pieces(text)

    starts = [one.start for one in cut.pieces]
    gaps = [after - before for before, after in zip(starts, starts[1:], strict=False)]
    assert cut.truncated
    assert sum(size(one.text) for one in cut.pieces) <= MOST_READ
    assert all(text[one.start : one.start + len(one.text)] == one.text for one in cut.pieces)
    assert (starts[0], starts[-1] + len(cut.pieces[-1].text)) == (0, len(text))
    assert max(gaps) - min(gaps) <= 2


def test_a_small_share_is_head_and_tail():
    cut = pieces(WORDS * 100, most_read=40)

    assert [one.text for one in cut.pieces] == [WORDS[:20], (WORDS * 100)[-20:]]
    assert cut.truncated


def test_short_texts_of_several_are_whole_and_long_ones_share():
    short, long = "be brief", "x" * 3_000

    cuts = together([long, short, long], most_read=2_032)

    assert cuts[1] == Cut((Piece(0, short),))
    assert [(sum(len(p.text) for p in c.pieces), c.truncated) for c in (cuts[0], cuts[2])] == [
        (1_000, True),
        (1_000, True),
    ]


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([], id="none"),
        pytest.param([" ", ""], id="blank"),
        pytest.param([f"turn {n} of a long chat" for n in range(2_000)], id="very many"),
        pytest.param(["x" * 9_000, *map(str, range(3_000))], id="many beside a long one"),
    ],
)
def test_any_number_of_short_texts_is_read_whole(texts):
    cuts = together(texts)

    assert ["".join(one.text for one in cut.pieces) for cut in cuts if len(cut.pieces) == 1] == [
        text for text in texts if text.strip() and len(text) < MOST_BYTES
    ]
    assert not any(cut.truncated for cut in cuts)


@pytest.mark.parametrize(
    ("texts", "least"),
    [
        pytest.param([f"text {n}" for n in range(100_000)], 4_000, id="short"),
        pytest.param(["x" * 5_000] * 1_000, MOST_READ // WORTH, id="long"),
        pytest.param(["short", "x" * 5_000] * 1_000, 1_000, id="the short ones before long ones"),
    ],
)
def test_of_too_many_texts_a_selection_is_read_and_told(texts, least):
    cuts = together(texts)

    read = [at for at, cut in enumerate(cuts) if cut.pieces]
    assert (read[0], read[-1]) == (0, len(texts) - 1)
    assert least <= len(read) < len(texts)
    assert sum(size(one.text) for cut in cuts for one in cut.pieces) <= MOST_READ
    assert all(cuts[at].truncated for at in set(range(len(texts))) - {*read})


@given(st.lists(st.text(max_size=60), max_size=30), st.integers(64, 2_000))
def test_what_is_not_read_whole_is_told(texts, most):
    for text, cut in zip(texts, together(texts, most), strict=True):
        whole = any(one.text == text for one in cut.pieces)
        assert cut.truncated == (not whole and bool(text.strip()))
