"""The reader of text_signals: over a stand-in network, and over the published one where it is."""

import json

import numpy as np
import pytest

LIMITS = {
    "window": "12",
    "overlap": "2",
    "max_windows": "3",
    "max_characters": "200",
    "max_tokens": "64",
    "padding": "0.1",
}
TASKS = {
    "mean": {"kind": "sequence", "labels": ["a", "b"], "over_windows": "mean", "positive": []},
    "most": {
        "kind": "sequence",
        "labels": ["safe", "bad", "worse"],
        "over_windows": "max",
        "positive": ["bad", "worse"],
    },
    "name": {"kind": "token", "labels": ["X"], "over_windows": "mean", "positive": []},
}


class Network:
    """Says of a row which share of its tokens is `river`, and of `river` that it begins a name."""

    def __init__(self, river):
        self.river, self.runs = river, []

    def run(self, outputs, feed):
        ids, grid = feed["input_ids"], feed["grid"]
        self.runs.append((len(grid), {name for name in TASKS if feed[f"ask_{name}"]}))
        real = grid >= 0
        count = real.sum(1)
        share = ((ids[grid] == self.river) & real).sum(1) / np.maximum(1, count - 2)
        found = {
            "sentence_embedding": np.stack([np.cos(share), np.sin(share)], 1),
            "probabilities_mean": np.stack([share, 1 - share], 1),
            "probabilities_most": np.stack([1 - share, share / 4, share * 3 / 4], 1),
            "probabilities_name": np.where(
                (ids == self.river)[:, None], [[0.1, 0.7, 0.2]], [[0.9, 0, 0.1]]
            ),
        }
        assert {name for name in TASKS if f"probabilities_{name}" in outputs} == self.runs[-1][1]
        return [found[name].astype(np.float32) for name in outputs]


@pytest.fixture
def network(tokenizer):
    return Network(tokenizer.token_to_id("river"))


@pytest.fixture
def reader(signals_code, tokenizer, network, tmp_path):
    module = signals_code["reader"]
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(TASKS))
    limits = module.Limits.read(LIMITS)
    return module.Reader(tokenizer, network, limits, module.Task.read(path))


def places(entities):
    return [(one.start, one.stop) for one in entities]


def test_a_row_answers_what_it_asked(reader):
    texts = ["river", "river", "he", "he river he", ""]
    asked = [["mean"], [], ["most", "name"], ["name"], ["mean", "most", "name"]]

    read = reader.read(texts, asked)

    given = {name: (~np.isnan(rows).any(1)).tolist() for name, rows in read.probabilities.items()}
    assert given == {
        "mean": [True, False, False, False, True],
        "most": [False, False, True, False, True],
    }
    assert all(np.isnan(read.probabilities["mean"][row]).all() for row in (1, 2, 3))
    assert [places(found) for found in read.entities["name"]] == [[], [], [], [(3, 8)], []]
    np.testing.assert_allclose(read.probabilities["mean"][0], [1, 0])
    np.testing.assert_allclose(read.probabilities["most"][2], [1, 0, 0])


def test_embeddings_alone_ask_the_network_for_no_task(reader, network):
    read = reader.read(["he", "river"], [[], []])

    assert {frozenset(asked) for _, asked in network.runs} == {frozenset()}
    np.testing.assert_allclose(np.linalg.norm(read.embeddings, axis=1), 1, rtol=1e-6)


# 17 words are two windows: of 10 and of 9, two of them shared.
LONG = "he " * 12 + "river " * 5


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        pytest.param("mean", [5 / 19, 14 / 19], id="the mean, weighted by tokens"),
        pytest.param("most", [4 / 9, 5 / 36, 15 / 36], id="the window of the highest risk"),
    ],
)
def test_several_windows(reader, task, expected):
    read = reader.read([LONG], [[task]])

    assert read.windows.tolist() == [2]
    np.testing.assert_allclose(read.probabilities[task][0], expected, rtol=1e-5)


def test_pieces_of_a_second_window_are_where_they_are_in_the_text(reader):
    read = reader.read([LONG], [["name"]])

    expected = [(36, 65)]  # five words, none of which is sure to begin anew
    assert places(read.entities["name"][0]) == expected
    assert read.entities["name"][0][0].score == pytest.approx(0.9)


def test_what_lies_beyond_the_windows_is_not_read_and_that_is_told(reader):
    read = reader.read(["he " * 30 + "river", "he " * 26], [["name", "mean"]] * 2)

    assert read.truncated.tolist() == [True, False]
    assert read.windows.tolist() == [3, 3]
    assert read.entities["name"] == [[], []]
    np.testing.assert_allclose(read.probabilities["mean"][0], [0, 1])


def test_rows_come_back_in_order_whatever_is_batched(reader):
    texts = ["river " * n + "he " * m for n, m in ((0, 3), (9, 0), (1, 1), (0, 0), (5, 40), (2, 2))]
    asked = [["mean"], ["mean", "name"], ["most"], ["name"], ["mean", "most", "name"], []]

    together = reader.read(texts, asked)

    for at, (text, names) in enumerate(zip(texts, asked, strict=True)):
        alone = reader.read([text], [names])
        np.testing.assert_allclose(together.embeddings[at], alone.embeddings[0], rtol=1e-5)
        for name, rows in together.probabilities.items():
            np.testing.assert_allclose(rows[at], alone.probabilities[name][0], rtol=1e-5)
        assert together.entities["name"][at] == alone.entities["name"][0]


def test_warming_runs_every_task(reader, network):
    reader.warm()

    assert {frozenset(asked) for _, asked in network.runs} == {frozenset(TASKS)}


def test_without_a_link_the_trunk_is_that_of_the_model_beside(signals_code, tmp_path):
    folder = tmp_path / "signals"
    (folder / "2").mkdir(parents=True)
    (folder / "receipt.json").write_text('{"trunk": {"model": "encoder"}}')
    beside = tmp_path / "encoder" / "1" / "model.onnx"
    beside.parent.mkdir(parents=True)
    beside.touch()
    link = folder / "2" / "trunk.onnx"

    absent = signals_code["reader"].trunk(folder, "2")
    link.symlink_to(beside)

    assert (absent, signals_code["reader"].trunk(folder, "2")) == (beside, link)


@pytest.fixture(scope="module")
def published(signals_code, signals_folder):
    if not (signals_folder / "goldens.json").is_file():
        pytest.skip("text_signals is not published: make engines MODEL=text_signals")
    rows = (signals_folder / "configs" / "cpu.pbtxt").read_text(encoding="utf-8").splitlines()
    parts = [row.split('"') for row in rows if row.startswith("parameters")]
    module = signals_code["reader"]
    limits = module.Limits.read({part[1]: part[3] for part in parts})
    return module.Reader.load(signals_folder, "1", limits, threads=1)


@pytest.mark.parametrize("batch", [1, 7, 1_000], ids="in batches of {}".format)
def test_goldens_are_met(published, signals_folder, batch):
    goldens = json.loads((signals_folder / "goldens.json").read_text(encoding="utf-8"))
    allowed = goldens["tolerance"]
    for at in range(0, len(goldens["texts"]), batch):
        rows = slice(at, at + batch)
        texts = goldens["texts"][rows]

        read = published.read(texts, [list(published.tasks)] * len(texts))

        cosines = (read.embeddings * np.asarray(goldens["embeddings"][rows])).sum(1)
        assert cosines.min() >= allowed["cosine"]
        assert read.windows.tolist() == goldens["windows"][rows]
        assert read.truncated.tolist() == goldens["truncated"][rows]
        for name, found in read.probabilities.items():
            wanted = np.asarray(goldens["probabilities"][name][rows])
            assert np.abs(found - wanted).max() <= allowed["probability"], name
        for name, found in read.entities.items():
            for mine, wanted in zip(found, goldens["entities"][name][rows], strict=True):
                if wanted is None:  # too near to call
                    continue
                assert [[one.start, one.stop, one.label] for one in mine] == [w[:3] for w in wanted]
                assert all(
                    abs(one.score - w[3]) <= allowed["span_score"]
                    for one, w in zip(mine, wanted, strict=True)
                )
