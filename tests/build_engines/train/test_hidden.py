import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import torch
from hypothesis import given
from hypothesis import strategies as st

from build_engines.train import hidden
from tests.build_engines.train.conftest import rows_of


@pytest.mark.parametrize("below", range(4))
def test_states_are_those_of_the_encoder_alone(encoder, tmp_path, below):
    rows = rows_of([1, 3, 1, 2, 1])

    found = hidden.states(encoder, rows, below, tmp_path, "toy")

    start = 0
    for length in rows.lengths:
        ids = torch.from_numpy(rows.ids[start : start + length])[None]
        with torch.no_grad():
            states = encoder(input_ids=ids, output_hidden_states=True).hidden_states
        wanted = states[below][0].numpy()
        np.testing.assert_allclose(found[start : start + length], wanted, rtol=2e-3, atol=2e-3)
        start += length
    assert (found.dtype, len(found)) == (np.float16, rows.lengths.sum())


class Refusing:
    """An encoder that must not be asked."""

    config = None


def test_what_is_kept_is_used_again_and_no_draft_is_left(encoder, tmp_path):
    rows = rows_of([1, 2])
    first = hidden.states(encoder, rows, 1, tmp_path, "toy")

    again = hidden.states(Refusing(), rows_of([1, 2]), 1, tmp_path, "toy")

    np.testing.assert_array_equal(again, first)
    (path,) = tmp_path.iterdir()
    assert path.name.endswith("-1.npy") and "draft" not in path.name


@pytest.mark.parametrize(
    ("counts", "seed", "below"),
    [
        pytest.param([1, 2], 2, 1, id="other tokens"),
        pytest.param([1, 2, 1], 1, 1, id="more tokens"),
        pytest.param([1, 2], 1, 2, id="another layer"),
    ],
)
def test_other_states_are_not_taken_for_them(encoder, tmp_path, counts, seed, below):
    hidden.states(encoder, rows_of([1, 2]), 1, tmp_path, "toy")

    hidden.states(encoder, rows_of(counts, seed=seed), below, tmp_path, "toy")

    assert len(list(tmp_path.iterdir())) == 2


def test_an_interrupted_write_is_begun_anew(encoder, tmp_path):
    rows = rows_of([1, 2])
    whole = hidden.states(encoder, rows, 1, tmp_path, "toy")
    (path,) = tmp_path.iterdir()
    path.rename(path.with_suffix(".draft.npy"))
    path.with_suffix(".draft.npy").write_bytes(b"half of it")

    np.testing.assert_array_equal(hidden.states(encoder, rows, 1, tmp_path, "toy"), whole)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@given(st.lists(st.integers(2, 256), min_size=1, max_size=60), st.integers(256, 2000))
def test_batches_hold_each_window_once_within_the_limit(lengths, most):
    sizes = np.array(lengths)

    found = hidden.batches(sizes, most)

    assert sorted(np.concatenate(found).tolist()) == list(range(len(lengths)))
    assert all(len(group) * sizes[group].max() <= most for group in found)
