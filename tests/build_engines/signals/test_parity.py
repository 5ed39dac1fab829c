import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx
from onnx import numpy_helper

from build_engines import publish, receipt
from build_engines.errors import ParityError, StaleError
from build_engines.signals import export, parity
from tests.build_engines.conftest import TEXTS, WORDS
from tests.build_engines.signals.conftest import TASKS, toml


def candidates():
    draw = np.random.default_rng(11)
    words = WORDS.replace("##", "").split()
    return [" ".join(draw.choice(words, size)) for size in draw.integers(1, 9, 300)]


@pytest.fixture
def canaries(exported, tmp_path):
    """For each label a text that its task reads so."""
    texts = candidates()
    (tmp_path / "served").mkdir()
    _, reader = parity.served(exported, tmp_path / "served")
    read = reader.read(texts, [list(TASKS)] * len(texts))
    found = {}
    for task, (_, labels, *_) in TASKS.items():
        found[task] = {}
        for at, label in enumerate(labels):
            if task in read.probabilities:
                row = int(read.probabilities[task][:, at].argmax())
            else:
                kinds = [[one.label for one in entities] for entities in read.entities[task]]
                row = next(n for n, labels in enumerate(kinds) if at in labels)
            found[task][label] = texts[row]
    return found


@pytest.fixture
def exported(job):
    export.run(job)
    return job


@pytest.fixture
def ready(exported, canaries):
    exported.canaries.write_text(toml(canaries))
    return exported


def moved(job, name, change):
    """Change a stored array of the branches and renew the receipt: only the comparison can tell."""
    path = job.build / "branches.onnx"
    part = onnx.load_from_string(path.read_bytes())
    one = next(one for one in part.graph.initializer if name(one))
    one.CopyFrom(numpy_helper.from_array(change(numpy_helper.to_array(one).copy()), one.name))
    path.write_bytes(part.SerializeToString(deterministic=True))
    kept = json.loads((job.build / "export.json").read_text())
    kept["outputs"] |= job.hashes([path])
    (job.build / "export.json").write_text(json.dumps(kept))


def test_the_served_code_meets_peft(ready, canaries):
    line = parity.run(ready)

    goldens = json.loads((ready.build / "goldens.json").read_text())
    figures = json.loads((ready.build / "parity.json").read_text())["figures"]
    classes = sum(len(labels) for _, labels, *_ in TASKS.values())
    texts = len(TEXTS) + classes
    assert line.endswith(f"over {texts} texts")
    assert goldens["tolerance"] == {"cosine": 0.999, "probability": 0.01, "span_score": 0.05}
    assert goldens["windows"][: len(TEXTS)] == [1, 1, 1, 1, 1, 2, 3]
    assert goldens["truncated"][: len(TEXTS)] == [False] * 6 + [True]
    assert goldens["texts"][goldens["names"].index("canary mood: sad")] == canaries["mood"]["sad"]
    assert np.shape(goldens["probabilities"]["topic"]) == (texts, 3)
    assert set(goldens["entities"]) == {"place", "name"}
    assert max(figures["probability"].values()) < 1e-4
    assert figures["span_score"] < 1e-4
    assert figures["least_cosine"] > 0.99999


def test_long_texts_are_told_by_their_riskiest_window_or_their_mean(ready):
    """`mood` is the maximum over windows, `topic` the mean: both by PEFT, window by window."""
    names, texts = parity.golden_texts(ready)
    module, reader = parity.served(ready, fresh(ready))
    expected = parity.reference(ready, module, texts)
    at = names.index("more than is read")

    read = reader.read([texts[at]], [["mood", "topic"]])

    for task in ("mood", "topic"):
        np.testing.assert_allclose(
            read.probabilities[task][0], expected.probabilities[task][at], atol=1e-4
        )


def fresh(job):
    folder = job.root / "fresh"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("mood", "mood: a probability is off by", id="a sequence task's head"),
        pytest.param("name", "name: text|score of a span", id="a token task's head"),
        pytest.param("pooled_rows", ": a probability is off by", id="rows computed together"),
    ],
)
def test_a_weight_that_is_not_the_adapters_is_caught(ready, name, message):
    moved(
        ready,
        lambda one: one.name.startswith(f"{name}/") and len(one.dims) > 1 and max(one.dims) > 9,
        lambda array: array + np.linspace(-1, 1, array.shape[-1], dtype=array.dtype),
    )

    with pytest.raises(ParityError, match=message):
        parity.run(ready)

    assert not (ready.build / "goldens.json").exists()


def test_probabilities_that_are_no_numbers_are_caught(ready):
    moved(
        ready,
        lambda one: one.name.startswith("voice/") and list(one.dims) == [64, 2],
        lambda array: np.full_like(array, np.nan),
    )

    with pytest.raises(ParityError, match="voice: a probability is off by nan"):
        parity.run(ready)


def test_canaries_that_fail_are_all_named(exported, canaries):
    mood, place = canaries["mood"], canaries["place"]
    swapped = {"glad": mood["sad"], "sad": mood["glad"]}
    exported.canaries.write_text(toml(canaries | {"mood": swapped, "place": place | {"C": ""}}))

    with pytest.raises(ParityError) as caught:
        parity.run(exported)

    message = str(caught.value)
    assert "mood: glad is read as sad; mood: sad is read as glad" in message
    assert "place: C is read as nothing" in message
    assert not (exported.build / "goldens.json").exists()


def test_a_class_without_a_canary_is_refused(exported, canaries):
    del canaries["topic"]["spring"]
    exported.canaries.write_text(toml(canaries))

    with pytest.raises(ParityError, match=r"canaries.toml: no canary of topic spring"):
        parity.run(exported)


def test_it_does_not_run_before_the_export(job):
    with pytest.raises(StaleError, match="export has not run; run: python -m build_engines export"):
        parity.run(job)


def test_what_is_published_verifies_and_meets_its_goldens(ready):
    parity.run(ready)
    publish.run(ready)

    publish.verify(ready)
    said = parity.meets(ready, ready.target / "goldens.json")

    assert said.startswith("probabilities off by at most 0.0000")
    config = (ready.target / "config.pbtxt").read_text()
    assert 'name: "TASKS" data_type: TYPE_STRING' in config
    assert 'name: "PROBS_topic" data_type: TYPE_FP32 dims: [ 3 ]' in config
    assert 'name: "SPANS_place" data_type: TYPE_INT32 dims: [ -1, 3 ]' in config


def test_a_build_that_left_its_goldens_is_caught(ready):
    parity.run(ready)
    path = ready.build / "goldens.json"
    made = json.loads(path.read_text())
    made["embeddings"][1] = (-np.asarray(made["embeddings"][1])).tolist()
    path.write_text(json.dumps(made))

    with pytest.raises(ParityError, match="toy: least cosine -1"):
        parity.meets(ready, path)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(
            lambda job: job.canaries.write_text(""), "canaries.toml has changed", id="canaries"
        ),
        pytest.param(lambda job: job.texts.write_text("[]"), "texts.json has changed", id="texts"),
        pytest.param(
            lambda job: (job.build / "goldens.json").unlink(), "goldens.json is gone", id="goldens"
        ),
    ],
)
def test_its_receipt_refuses_stale_files(ready, spoil, message):
    parity.run(ready)
    spoil(ready)

    with pytest.raises(StaleError, match=f"{message} since parity"):
        receipt.require("parity", replace(ready))
