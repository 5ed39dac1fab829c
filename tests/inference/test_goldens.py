import json

import numpy as np
import pytest

from orchestrator.errors import InferenceError
from orchestrator.inference import Classification, Entity
from orchestrator.inference.differences import Limits
from orchestrator.inference.goldens import Goldens, compare, load_goldens
from orchestrator.inference.rows import Row
from orchestrator.inference.tasks import Task

RNG = np.random.default_rng(7)
REFERENCE = RNG.normal(size=(12, 384))
REFERENCE = (REFERENCE / np.linalg.norm(REFERENCE, axis=1, keepdims=True)).astype(np.float32)
GOLDENS = Goldens(
    tuple(b"%d" % row for row in range(12)), REFERENCE, (1,) * 12, (False,) * 12, 0.999
)


def _one_row(change):
    rows = REFERENCE.copy()
    rows[5] = change(rows[5])
    return rows


@pytest.mark.parametrize(
    "live",
    [
        pytest.param(-REFERENCE, id="inverted"),
        pytest.param(np.roll(REFERENCE, 1, axis=1), id="dimensions rotated"),
        pytest.param(REFERENCE[:, ::-1], id="dimensions reversed"),
        pytest.param(np.roll(REFERENCE, 1, axis=0), id="rows exchanged"),
        pytest.param(REFERENCE[:, :256], id="dimensions missing"),
        pytest.param(REFERENCE[:11], id="a row missing"),
        pytest.param(np.zeros_like(REFERENCE), id="zeros"),
        pytest.param(np.empty((0, 0), np.float32), id="nothing"),
        pytest.param(REFERENCE * 2, id="not normalised"),
        pytest.param(_one_row(lambda row: -row), id="one row inverted"),
        pytest.param(_one_row(lambda row: row * 0.99), id="one row too short"),
        pytest.param(_one_row(lambda row: row + 0.003), id="one row just off"),
    ],
)
def test_wrong_answers_do_not_hold(live):
    parity = compare(GOLDENS, live)

    assert not parity.held
    assert parity.min_cosine < 0.999


@pytest.mark.parametrize(
    "live",
    [
        pytest.param(REFERENCE, id="equal"),
        pytest.param(REFERENCE + np.float32(1e-4), id="rounded"),
        pytest.param(REFERENCE.astype(np.float16).astype(np.float32), id="half precision"),
    ],
)
def test_right_answers_hold(live):
    parity = compare(GOLDENS, live)

    assert parity.held
    assert parity.min_cosine <= parity.mean_cosine <= 1.0
    assert (parity.count, parity.tolerance) == (12, 0.999)


DOCUMENT = {
    "model": "m",
    "tolerance": {"cosine": 0.999},
    "texts": ["a", "ß\ud83d"],
    "windows": [1, 2],
    "truncated": [False, True],
    "embeddings": [[1.0, 0.0], [0.0, 1.0]],
}


def _write(folder, content):
    (folder / "m").mkdir(exist_ok=True)
    (folder / "m" / "goldens.json").write_text(content)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty file"),
        pytest.param("{", id="not JSON"),
        pytest.param("{}", id="no lists"),
        pytest.param(json.dumps(DOCUMENT | {"texts": ["a"]}), id="a text is missing"),
        pytest.param(json.dumps(DOCUMENT | {"embeddings": [[1.0], [0.0, 1.0]]}), id="ragged"),
        pytest.param(
            json.dumps(
                DOCUMENT | {name: [] for name in ("texts", "windows", "truncated", "embeddings")}
            ),
            id="no rows",
        ),
    ],
)
def test_unusable_goldens_are_named(tmp_path, content):
    _write(tmp_path, content)

    with pytest.raises(InferenceError, match=r"m: .*goldens\.json"):
        load_goldens(tmp_path, "m")


def test_absent_goldens_are_named(tmp_path):
    with pytest.raises(InferenceError, match=r"m: no golden answers at .*goldens\.json"):
        load_goldens(tmp_path, "m")


def test_goldens_are_read(tmp_path):
    _write(tmp_path, json.dumps(DOCUMENT | {"texts": ["a", "ß"]}))

    goldens = load_goldens(tmp_path, "m")

    assert goldens.texts == (b"a", "ß".encode())
    assert (goldens.windows, goldens.truncated) == ((1, 2), (False, True))
    assert goldens.tolerance == 0.999
    np.testing.assert_array_equal(goldens.vectors, np.eye(2, dtype=np.float32))


LABELS = {
    "domain": {"kind": "sequence", "labels": ["art", "law"]},
    "pii": {"kind": "token", "labels": ["AGE", "PHONE"]},
}
CLASSIFIER = DOCUMENT | {
    "texts": ["a", "42"],
    "names": ["letter", "canary AGE"],
    "tolerance": {"cosine": 0.999, "probability": 0.02, "span_score": 0.04},
    "probabilities": {"domain": [[0.25, 0.75], [1.0, 0.0]]},
    "entities": {"pii": [[], [[0, 2, 0, 0.875]]]},
}
SAID = (
    Classification({"domain": {"art": 0.25, "law": 0.75}}, {"pii": ()}),
    Classification(
        {"domain": {"art": 1.0, "law": 0.0}}, {"pii": (Entity(0, 2, "AGE", 0.875),)}, 2, True
    ),
)


def _write_classifier(folder, changes=None, labels=LABELS):
    _write(folder, json.dumps(CLASSIFIER | (changes or {})))
    (folder / "m" / "labels.json").write_text(json.dumps(labels))


@pytest.mark.parametrize(
    ("changes", "labels", "said"),
    [
        pytest.param({"probabilities": {}}, LABELS, "domain has no probabilities", id="none"),
        pytest.param({"entities": {}}, LABELS, "pii has no entities", id="no entities"),
        pytest.param({}, {}, "probabilities of no task domain", id="no tasks"),
        pytest.param(
            {},
            LABELS | {"domain": {"kind": "sequence", "labels": ["art", "law", "tax"]}},
            "domain has not 3 probabilities for every text",
            id="a label more",
        ),
        pytest.param(
            {"probabilities": {"domain": [[0.5, 0.5], [1.0]]}},
            LABELS,
            "domain has not 2 probabilities for every text",
            id="a probability less",
        ),
        pytest.param(
            {"probabilities": {"domain": [[0.5, 0.5]]}},
            LABELS,
            "domain has probabilities of 1 texts, not 2",
            id="a text less",
        ),
        pytest.param({"entities": {"pii": [[]]}}, LABELS, "pii has entities of 1 texts", id="text"),
        pytest.param(
            {},
            LABELS | {"domain": {"kind": "token", "labels": ["art", "law"]}},
            "probabilities of no task domain",
            id="another kind",
        ),
        pytest.param(
            {"entities": {"pii": [[], [[0, 2, 2, 0.5]]]}},
            LABELS,
            "pii has a label beyond its 2",
            id="no such label",
        ),
    ],
)
def test_goldens_that_do_not_fit_the_labels_are_named(tmp_path, changes, labels, said):
    _write_classifier(tmp_path, changes, labels)

    with pytest.raises(InferenceError, match=rf"m: .*does not fit labels\.json: .*{said}"):
        load_goldens(tmp_path, "m")


CANARIES = {
    "names": ["canary domain: law", "canary domain: art"],
    "entities": {"pii": [[[0, 1, 0, 0.9]], [[0, 2, 1, 0.9]]]},
}


@pytest.mark.parametrize(
    ("names", "labels", "said"),
    [
        pytest.param(
            CANARIES["names"],
            LABELS | {"domain": {"kind": "sequence", "labels": ["law", "art"]}},
            "task domain: 'law' is called 'art'",
            id="labels exchanged",
        ),
        pytest.param(
            ["canary pii: AGE", "canary pii: PHONE"],
            LABELS | {"pii": {"kind": "token", "labels": ["PHONE", "AGE"]}},
            "task pii: 'AGE' is called 'PHONE'",
            id="types of entities exchanged",
        ),
    ],
)
def test_labels_that_are_exchanged_are_seen_by_the_canaries(tmp_path, names, labels, said):
    _write_classifier(tmp_path, CANARIES | {"names": names})
    load_goldens(tmp_path, "m")
    _write_classifier(tmp_path, CANARIES | {"names": names}, labels)

    with pytest.raises(InferenceError, match=rf"m: .*does not fit labels\.json: {said}"):
        load_goldens(tmp_path, "m")


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["letter", "canary AGE"], id="no canaries"),
        pytest.param(["canary weather: sun", "canary weather: rain"], id="of no task"),
        pytest.param(["canary domain: law", "canary domain: law"], id="one mistake"),
    ],
)
def test_canaries_that_say_nothing_of_the_labels(tmp_path, names):
    _write_classifier(tmp_path, {"names": names})

    assert load_goldens(tmp_path, "m").names == tuple(names)


def test_labels_that_cannot_be_read_are_named(tmp_path):
    _write_classifier(tmp_path, labels={"domain": {"kind": "sequence", "labels": []}})

    with pytest.raises(InferenceError, match=r"m: .*labels\.json cannot be read"):
        load_goldens(tmp_path, "m")


def test_a_classifiers_goldens_are_read(tmp_path):
    _write_classifier(tmp_path)

    goldens = load_goldens(tmp_path, "m")

    assert goldens.tasks == {
        "domain": Task(("art", "law")),
        "pii": Task(("AGE", "PHONE"), spans=True),
    }
    assert goldens.said == SAID
    assert goldens.limits == Limits(0.02, 0.04)
    assert goldens.rows() == [Row(b"a", frozenset(LABELS)), Row(b"42", frozenset(LABELS))]
    part = goldens.part(1, 2)
    assert (part.names, part.said) == (("canary AGE",), SAID[1:])


def test_a_task_that_differs_does_not_hold(tmp_path):
    _write_classifier(tmp_path)
    goldens = load_goldens(tmp_path, "m")
    off = Classification({"domain": {"art": 0.5, "law": 0.5}}, {"pii": ()})

    right = compare(goldens, goldens.vectors, SAID)
    wrong = compare(goldens, goldens.vectors, (off, SAID[1]))

    assert right.held
    assert (right.probability, right.span_score, right.reason) == (0.0, 0.0, "")
    assert not wrong.held
    assert wrong.probability == 0.25
    assert wrong.reason == (
        "its answers differ from the reference model's: "
        "task domain: probability off by 0.25 on text 'letter'"
    )


def test_cosine_and_tasks_are_told_together(tmp_path):
    _write_classifier(tmp_path)
    goldens = load_goldens(tmp_path, "m")

    parity = compare(
        goldens, -goldens.vectors, (SAID[0], Classification(SAID[1].probabilities, {"pii": ()}))
    )

    assert (
        "lowest cosine -1.0000 over 2 texts, 0.999 is required; task pii: does not find"
        in parity.reason
    )


def test_a_model_that_only_embeds_has_no_differences_of_tasks():
    parity = compare(GOLDENS, REFERENCE)

    assert (parity.probability, parity.span_score, parity.reason) == (None, None, "")
