"""The Python steps around an engine: with one that says what the CPU form's network says, the last
step reads in any text what the CPU form reads."""

import importlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from tests.model_repository.conftest import FOLDER
from tests.model_repository.test_reader import LIMITS, TASKS, Network

REPOSITORY = FOLDER.parent
HEATS = {"mean": 1.3, "most": 0.7, "name": 1.1}
LENGTHS = "8,16"
WORDS = "river he the rises 12 anna@x.org , . \u0301 日本語 😀 zzzzqqq Anna's +41"


@pytest.fixture(scope="module")
def steps(signals_code):
    """The modules of the first and the last step, and the CPU form's."""
    with pytest.MonkeyPatch.context() as patch:
        found = dict(signals_code)
        for part, name in (("tokens", "tokens"), ("answers", "windowed")):
            patch.syspath_prepend(str(REPOSITORY / f"text_signals_{part}" / "1"))
            found[name] = importlib.import_module(name)
        yield found


@pytest.fixture(scope="module")
def tasks(steps, tmp_path_factory):
    path = tmp_path_factory.mktemp("labels") / "labels.json"
    stated = {name: one | {"temperature": HEATS[name]} for name, one in TASKS.items()}
    path.write_text(importlib.import_module("json").dumps(stated))
    return steps["reader"].Task.read(path)


def fresh():
    return Tokenizer.from_file(str(FOLDER / "tokenizer.json"))


@pytest.fixture(scope="module")
def river():
    return fresh().token_to_id("river")


@pytest.fixture(scope="module")
def first(steps):
    kinds = {name: one["kind"] == "token" for name, one in TASKS.items()}
    limits = steps["sequences"].Limits.read(LIMITS)
    lengths = [int(one) for one in LENGTHS.split(",")]
    return steps["tokens"].Tokens(fresh(), limits, lengths, kinds)


@pytest.fixture(scope="module")
def reader(steps, tasks, river):
    limits = steps["sequences"].Limits.read(LIMITS)
    return steps["reader"].Reader(fresh(), Network(river), limits, tasks)


def engine(river, made):
    """What the network says of each window, as logits; nonsense where there is no window."""
    ids, lengths = made["INPUT_IDS"], made["LENGTHS"]
    network, shape = Network(river), ids.shape[:2]
    draw = np.random.default_rng(1)
    said = {
        "embedding": draw.normal(size=(*shape, 2)),
        "mean": draw.normal(size=(*shape, 2)),
        "most": draw.normal(size=(*shape, 3)),
        "name": draw.normal(size=(*shape, ids.shape[2], 3)),
    }
    names = ["sentence_embedding", *(f"probabilities_{name}" for name in TASKS)]
    for text, window in np.argwhere(lengths > 0):
        count = lengths[text, window]
        row = {"input_ids": ids[text, window, :count], "grid": np.arange(count)[None]}
        embedding, *rows = network.run(names, row | {f"ask_{name}": True for name in TASKS})
        said["embedding"][text, window] = embedding[0]
        for name, values in zip(TASKS, rows, strict=True):
            logits = np.log(np.maximum(values, 1e-30)) * HEATS[name] + 3
            if name == "name":
                said[name][text, window, :count] = logits
            else:
                said[name][text, window] = logits[0]
    return {name: values.astype(np.float32) for name, values in said.items()}


def read(steps, tasks, first, river, rows):
    """Texts with their tasks through both steps, as one request."""
    made = first.tensors(first.read(rows), slice(0, len(rows)))
    said = engine(river, made)
    windowed = steps["windowed"].Windowed(
        texts=[text for text, _ in rows],
        asked=[asked for _, asked in rows],
        parts=made["PARTS"],
        places=made["PLACES"],
        embeddings=said.pop("embedding"),
        logits=said,
    )
    return made, steps["windowed"].read(tasks, windowed)


ROWS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS.split(" ")), max_size=40).map(" ".join),
        st.lists(st.sampled_from(sorted(TASKS)), unique=True),
    ),
    min_size=1,
    max_size=4,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=ROWS)
def test_any_texts_are_read_as_on_a_cpu(steps, tasks, first, reader, river, rows):
    expected = reader.read(*zip(*rows, strict=True))

    made, found = read(steps, tasks, first, river, rows)

    assert made["WINDOWS"][:, 0].tolist() == expected.windows.tolist() == found.windows.tolist()
    assert made["TRUNCATED"][:, 0].tolist() == expected.truncated.tolist()
    assert made["UNREADABLE"].tolist() == expected.unreadable.tolist()
    np.testing.assert_allclose(found.embeddings, expected.embeddings, atol=1e-6)
    for name, values in expected.probabilities.items():
        np.testing.assert_allclose(found.probabilities[name], values, atol=1e-5)
    for name, entities in expected.entities.items():
        assert [[one.start for one in row] for row in found.entities[name]] == [
            [one.start for one in row] for row in entities
        ]
        assert [[(one.stop, one.label) for one in row] for row in found.entities[name]] == [
            [(one.stop, one.label) for one in row] for row in entities
        ]
        scores = [one.score for row in found.entities[name] for one in row]
        np.testing.assert_allclose(scores, [o.score for row in entities for o in row], atol=1e-5)


@pytest.mark.parametrize(
    ("texts", "shape"),
    [
        pytest.param([""], (1, 1, 8), id="no token"),
        pytest.param(["he"], (1, 1, 8), id="one token"),
        pytest.param(["he " * 6], (1, 1, 8), id="a full bucket"),
        pytest.param(["he " * 7], (1, 1, 16), id="one token more"),
        pytest.param(["he", "he " * 10], (2, 1, 16), id="rows of one request are filled up"),
        pytest.param(["he " * 11, "he"], (2, 2, 16), id="two windows beside one"),
        pytest.param(["he " * 400], (1, 3, 16), id="no more windows than are read"),
    ],
)
def test_the_shape_is_that_of_the_longest_text(first, texts, shape):
    made = first.tensors(first.read([(text, []) for text in texts]), slice(0, len(texts)))

    assert (made["INPUT_IDS"].shape, made["LENGTHS"].shape) == (shape, shape[:2])
    assert (made["PARTS"].shape, made["PLACES"].shape) == ((*shape[:2], 2), (*shape, 3))
    assert (made["LENGTHS"] > 0).sum(1).tolist() == made["WINDOWS"][:, 0].tolist()
    filled = np.arange(shape[2]) >= made["LENGTHS"][..., None]
    assert not made["INPUT_IDS"][filled].any()
    assert (made["PLACES"] == -1).all()  # nobody asked for them


def test_each_request_gets_the_rows_of_its_own(first):
    texts = ["river", "he " * 30, "", "the river rises"]
    together = first.read([(text, ["name"]) for text in texts])

    for at, text in enumerate(texts):
        own = first.tensors(together, slice(at, at + 1))
        alone = first.tensors(first.read([(text, ["name"])]), slice(0, 1))
        for name, values in alone.items():
            np.testing.assert_array_equal(own[name], values, err_msg=name)
