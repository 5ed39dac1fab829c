import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        pytest.param(0, [(0, 0)], id="no tokens are one empty window"),
        pytest.param(1, [(0, 1)], id="one token"),
        pytest.param(10, [(0, 10)], id="exactly one window"),
        pytest.param(11, [(0, 10), (7, 11)], id="one token more"),
        pytest.param(17, [(0, 10), (7, 17)], id="exactly two windows"),
        pytest.param(18, [(0, 10), (7, 17), (14, 18)], id="one token beyond two"),
    ],
)
def test_windows_of_ten_sharing_three(code, tokens, expected):
    assert code["windows"].windows(tokens, 10, 3) == expected


@given(st.integers(0, 5_000), st.integers(2, 300), st.data())
def test_windows_read_every_token_and_share_the_overlap(code, tokens, size, data):
    overlap = data.draw(st.integers(0, size - 1))

    found = code["windows"].windows(tokens, size, overlap)

    assert found[0][0] == 0 and found[-1][1] == tokens
    assert all(stop - start <= size for start, stop in found)
    assert all(left[1] - right[0] == overlap for left, right in zip(found, found[1:], strict=False))
    # The last window reads something that the one before did not.
    assert len(found) == 1 or found[-1][1] > found[-2][1]


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([5], [[0]], id="one sequence"),
        pytest.param([10, 100], [[1], [0]], id="far apart stay apart"),
        pytest.param([8, 8, 8], [[0, 1, 2]], id="equal lengths are one run"),
        pytest.param([10, 8], [[0, 1]], id="a tenth of padding is allowed"),
        pytest.param([10, 7], [[0], [1]], id="more is not"),
        pytest.param([60, 60], [[0], [1]], id="more tokens than a run holds"),
        pytest.param([300], [[0]], id="a sequence longer than a run goes alone"),
    ],
)
def test_runs_of_a_hundred_tokens(code, lengths, expected):
    assert code["windows"].runs(lengths, 0.1, 100) == expected


@given(
    st.lists(st.integers(1, 256), max_size=80),
    st.floats(0, 0.5),
    st.integers(1, 2_000),
)
def test_runs_hold_each_sequence_once_and_keep_to_the_limits(code, lengths, padding, most):
    groups = code["windows"].runs(lengths, padding, most)

    assert sorted(row for group in groups for row in group) == list(range(len(lengths)))
    for group in groups:
        size = len(group) * max(lengths[row] for row in group)
        waste = size - sum(lengths[row] for row in group)
        assert waste <= padding * size
        assert size <= most or len(group) == 1


@pytest.mark.parametrize(
    ("lengths", "grid", "place"),
    [
        pytest.param([2], [[0, 1]], [0, 1], id="one sequence"),
        pytest.param([2, 2], [[0, 1], [2, 3]], [0, 1, 2, 3], id="equal lengths"),
        pytest.param(
            [3, 1, 2],
            [[0, 1, 2], [3, -1, -1], [4, 5, -1]],
            [0, 1, 2, 3, 6, 7],
            id="different lengths",
        ),
    ],
)
def test_rectangle(code, lengths, grid, place):
    found = code["windows"].rectangle(lengths)

    assert [part.tolist() for part in found] == [grid, place]
