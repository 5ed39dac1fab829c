import json

import numpy as np
import pytest

from orchestrator.errors import InferenceError
from orchestrator.inference.goldens import Goldens, compare, load_goldens

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
    (folder / "m").mkdir()
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
