"""The served encoder over the published files, and its arithmetic over a stand-in network."""

import json
import random

import numpy as np
import pytest

LIMITS = {
    "window": "12",
    "overlap": "2",
    "max_windows": "3",
    "max_characters": "200",
    "max_bytes": "1000",
    "max_tokens": "64",
    "padding": "0.1",
    "threads": "1",
}


@pytest.fixture(scope="module")
def published(code, folder):
    """The encoder as its config for CPUs makes it."""
    encoder = code["encoder"]
    rows = (folder / "configs" / "cpu.pbtxt").read_text(encoding="utf-8").splitlines()
    parts = [row.split('"') for row in rows if row.startswith("parameters")]
    limits = encoder.Limits.read({part[1]: part[3] for part in parts})
    network = folder / "1" / "model.onnx"
    return encoder.Encoder.load(network, folder / "tokenizer.json", limits, threads=1)


@pytest.fixture
def small(code, tokenizer, session):
    encoder = code["encoder"]
    return encoder.Encoder(tokenizer, session, encoder.Limits.read(LIMITS))


def cosines(encoded, goldens, order):
    reference = np.asarray(goldens["embeddings"], np.float32)[order]
    return (encoded.embeddings * reference).sum(1)


@pytest.mark.parametrize("batch", [1, 3, 8, 1_000], ids="in batches of {}".format)
def test_goldens_are_met(published, goldens, batch):
    order = list(range(len(goldens["texts"])))
    random.Random(batch).shuffle(order)
    for at in range(0, len(order), batch):
        rows = order[at : at + batch]

        encoded = published.encode([goldens["texts"][row] for row in rows])

        assert cosines(encoded, goldens, rows).min() >= 0.99999
        assert encoded.windows.tolist() == [goldens["windows"][row] for row in rows]
        assert encoded.truncated.tolist() == [goldens["truncated"][row] for row in rows]


def test_every_embedding_has_length_one(published, goldens):
    lengths = np.linalg.norm(published.encode(goldens["texts"]).embeddings, axis=1)

    assert np.abs(lengths - 1).max() < 1e-6


@pytest.mark.parametrize(
    ("words", "windows", "truncated"),
    [
        pytest.param(0, 1, False, id="empty"),
        pytest.param(10, 1, False, id="exactly one window"),
        pytest.param(11, 2, False, id="one word more"),
        pytest.param(26, 3, False, id="exactly as many as are read"),
        pytest.param(27, 3, True, id="one word too many"),
    ],
)
def test_a_cut_is_told(small, words, windows, truncated):
    encoded = small.encode(["he " * words])

    assert (encoded.windows.tolist(), encoded.truncated.tolist()) == ([windows], [truncated])


@pytest.mark.parametrize(
    ("text", "truncated"),
    [
        pytest.param("he".ljust(200), False, id="as many characters as are read"),
        pytest.param("he".ljust(201), True, id="one more, even a space"),
    ],
)
def test_a_cut_of_characters_is_told(small, text, truncated):
    assert small.encode([text]).truncated.tolist() == [truncated]


def test_windows_count_by_their_tokens(small, tokenizer):
    """Ten words and three, two of them shared: the mean leans on the longer window."""
    text = "one two three four five six seven eight nine ten eleven"
    first, second = text.split()[:10], text.split()[8:]

    whole = small.encode([text]).embeddings[0]

    parts = small.encode([" ".join(first), " ".join(second)]).embeddings
    mean = parts[0] * len(first) + parts[1] * len(second)
    np.testing.assert_allclose(whole, mean / np.linalg.norm(mean), rtol=1e-6)


def test_runs_stay_within_the_limits(small, session):
    lengths = [1, 2, 3, 5, 8, 9, 10, 10, 4, 2, 7]

    small.encode(["he " * length for length in lengths])

    real = sum(length + 2 for length in lengths)
    places = sum(rows * longest for rows, longest in session.shapes)
    assert real <= places <= real / 0.9
    assert all(rows * longest <= 64 for rows, longest in session.shapes)


def test_rows_come_back_in_order(small):
    texts = ["he " * length for length in (3, 9, 1, 7, 5, 40, 2)]

    together = small.encode(texts).embeddings

    alone = np.concatenate([small.encode([text]).embeddings for text in texts])
    np.testing.assert_allclose(together, alone, rtol=1e-6)


def test_a_tokenizer_that_cuts_and_pads_is_told_not_to(code, tokenizer, session):
    """Published checkpoints carry the truncation of their training."""
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=8)
    encoder = code["encoder"].Encoder(tokenizer, session, code["encoder"].Limits.read(LIMITS))

    encoder.encode(["he " * 7])

    assert session.shapes == [(1, 9)]


def test_the_published_tokenizer_neither_cuts_nor_pads(folder):
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))

    assert (tokenizer["truncation"], tokenizer["padding"]) == (None, None)


def test_warming_runs_every_length(small, session):
    small.warm()

    assert {longest for _, longest in session.shapes} == {4, 8, 12}
    assert {rows for rows, _ in session.shapes} == {1, 5, 8}
