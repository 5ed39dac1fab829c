import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_engines.data import Example, splits

A = "Which of the two trams goes to the old harbour on Sundays?"
ALMOST_A = "which of the two trams goes to the old harbour on sunday"
B = "A poem about a lighthouse keeper who counts the gulls, please."
ALMOST_B = "A poem about a lighthouse keeper who counts gulls, please"


def row(text, split=None, group=None):
    return Example(text, "x", "s", group or text, split=split)


def in_split(split):
    """A group that is drawn into a split."""
    return next(f"g{n}" for n in range(200) if splits.drawn(f"g{n}") == split)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            [row(A, "train"), row(B, "test")], ["train", "test"], id="fixed and different: kept"
        ),
        pytest.param(
            [row(A, "train"), row(ALMOST_A, "train")], ["train", "train"], id="one side: kept"
        ),
        pytest.param(
            [row(A, "train"), row(ALMOST_A, "test")], [None, "test"], id="train near test: dropped"
        ),
        pytest.param(
            [row(A, "test"), row(ALMOST_A, "validation")],
            ["test", None],
            id="validation near test: dropped",
        ),
        pytest.param(
            [row(A, "train"), row(ALMOST_A, "validation")],
            [None, "validation"],
            id="train near validation: dropped",
        ),
        pytest.param(
            [row(A, "train", "g"), row(ALMOST_A, "test"), row(B, "train", "g")],
            [None, "test", None],
            id="the group of a dropped row goes with it",
        ),
        pytest.param(
            [row(A, "train", "g"), row(B, "test", "g")], [None, "test"], id="one group, two splits"
        ),
        pytest.param(
            [row(A, group=in_split("train")), row(ALMOST_A, "test")],
            ["test", "test"],
            id="free near test: moves",
        ),
        pytest.param(
            [row(A, group=in_split("test")), row(ALMOST_A, "train")],
            ["train", "train"],
            id="free near train: moves",
        ),
        pytest.param(
            [row(A, group="g"), row(B, group="g"), row(ALMOST_B, "validation")],
            ["validation"] * 3,
            id="a free group moves as one",
        ),
        pytest.param(
            [row(A, "train"), row(ALMOST_A), row(ALMOST_A.title(), "test")],
            [None, "test", "test"],
            id="free between train and test",
        ),
    ],
)
def test_rows_go_where_they_do_not_leak(rows, expected):
    placed = splits.assign("task", rows)

    assert placed == expected
    assert splits.crossings(rows, placed) == []


def test_near_free_rows_stay_together_whatever_their_groups():
    rows = [row(A, group=in_split("test")), row(ALMOST_A, group=in_split("train"))]

    assert len(set(splits.assign("task", rows))) == 1


def test_crossings_are_measured_and_dropped_rows_are_none():
    rows = [row(A), row(ALMOST_A), row(B, group="b"), row("short", group="b"), row(ALMOST_B)]

    found = splits.crossings(rows, ["train", "test", "train", "test", None])

    assert found == [(0, 1), (2, 3)]


def test_crossings_at_a_stricter_threshold_are_fewer():
    rows = [row(A), row(ALMOST_A)]

    assert splits.crossings(rows, ["train", "test"], threshold=0.99) == []


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="pii: no rows"):
        splits.assign("pii", [])


def test_the_draw_is_eighty_ten_ten():
    drawn = [splits.drawn(f"group {n}") for n in range(5000)]

    assert drawn.count("train") == pytest.approx(4000, abs=120)
    assert drawn.count("validation") == pytest.approx(500, abs=90)
    assert drawn.count("test") == pytest.approx(500, abs=90)


ROWS = st.lists(
    st.builds(
        Example,
        st.sampled_from([A, ALMOST_A, B, ALMOST_B, "three", "four", "five words are not many"]),
        st.just("x"),
        st.just("s"),
        st.sampled_from(["g", "h", "i", "j", "k"]),
        split=st.sampled_from([None, None, "train", "validation", "test"]),
    ),
    min_size=1,
    max_size=12,
)


@given(ROWS)
def test_nothing_crosses_and_what_a_source_fixed_never_moves(rows):
    placed = splits.assign("task", rows)

    assert splits.crossings(rows, placed) == []
    for one, split in zip(rows, placed, strict=True):
        assert one.split is None or split in {one.split, None}
        assert one.split != "test" or split == "test"
    assert placed == splits.assign("task", rows)
