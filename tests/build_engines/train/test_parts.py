import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from hypothesis import given
from hypothesis import strategies as st

from build_engines.train.parts import Part
from tests.build_engines.train.conftest import rows_of


def part_of(counts):
    """States that say which token they are of."""
    rows = rows_of(counts)
    places = np.arange(len(rows.ids), dtype=np.float16)
    return Part(rows, np.stack([places, -places], 1))


COUNTS = st.lists(st.integers(1, 4), min_size=1, max_size=40)


@given(COUNTS, st.integers(1, 9), st.none() | st.integers(0, 5))
def test_an_order_has_every_text_once(counts, size, seed):
    found = part_of(counts).order(size, seed)

    assert sorted(np.concatenate(found).tolist()) == list(range(len(counts)))
    assert all(0 < len(batch) <= size for batch in found)


def test_an_order_is_drawn_by_its_seed():
    part = part_of([1] * 60)

    first, again, other = ([batch.tolist() for batch in part.order(4, seed)] for seed in (1, 1, 2))

    assert first == again
    assert first != other


def test_texts_of_about_one_length_are_together():
    part = part_of([1] * 64)

    spreads = [np.ptp(part.rows.lengths[batch]) for batch in part.order(8, seed=3)]

    assert np.mean(spreads) < np.ptp(part.rows.lengths) / 3


@given(COUNTS, st.data())
def test_a_batch_has_the_states_of_its_texts(counts, data):
    part = part_of(counts)
    texts = np.array(data.draw(st.permutations(range(len(counts)))))[:5]

    batch = part.batch(texts)

    starts = np.cumsum(part.rows.lengths) - part.rows.lengths
    wanted = [
        (n, w) for n, text in enumerate(texts) for w in np.flatnonzero(part.rows.owner == text)
    ]
    assert batch.owner.tolist() == [n for n, _ in wanted]
    assert batch.windows.tolist() == [w for _, w in wanted]
    tokens = []
    for row, (_, window) in enumerate(wanted):
        length = int(part.rows.lengths[window])
        places = np.arange(starts[window], starts[window] + length)
        assert batch.mask[row].tolist() == [at < length for at in range(batch.mask.shape[1])]
        np.testing.assert_array_equal(batch.hidden[row, :length, 0], places)
        assert not batch.hidden[row, length:].any()
        tokens += places.tolist()
    assert batch.tokens.tolist() == tokens
