"""The image encoder's Python, as Triton imports it, over a network that is written here."""

import importlib
import json
import types
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.model_repository.backend import Tensor, backend, outputs

FOLDER = Path(__file__).parents[2] / "model_repository" / "vision_encoder" / "1"
SIZE = 4


class Session:
    """Stands in for the network: a picture's embedding is its first pixel; keeps the shapes."""

    def __init__(self):
        self.shapes = []

    def get_inputs(self):
        return [types.SimpleNamespace(shape=["rows", 3, SIZE, SIZE])]

    def run(self, outputs, feed):
        assert outputs == ["EMBEDDING", "KNOWN"]
        pixels = feed["PIXELS"]
        self.shapes.append(pixels.shape)
        return [pixels[:, :2, 0, 0], pixels[:, 2, 0, :1] / 2]


@pytest.fixture(scope="module")
def encoder():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        patch.delitem(importlib.sys.modules, "encoder", raising=False)
        yield importlib.import_module("encoder")
        del importlib.sys.modules["encoder"]


def pictures(count, first=0):
    """Each of one level, that tells it from the others."""
    levels = np.arange(first, first + count, dtype=np.float32).reshape(-1, 1, 1, 1)
    return np.broadcast_to(levels, (count, 3, SIZE, SIZE)).copy()


@pytest.mark.parametrize(
    ("count", "runs"),
    [
        pytest.param(1, [1], id="one"),
        pytest.param(3, [2, 1], id="three"),
        pytest.param(8, [8], id="a full batch"),
        pytest.param(15, [8, 4, 2, 1], id="one of each"),
        pytest.param(17, [8, 8, 1], id="more than a batch"),
    ],
)
def test_every_picture_is_seen_once_in_sizes_that_are_warm(encoder, count, runs):
    session = Session()
    subject = encoder.Encoder(session)
    subject.warm()
    warm = {shape[0] for shape in session.shapes}
    session.shapes.clear()

    seen = subject.encode(pictures(count))

    assert [shape[0] for shape in session.shapes] == runs
    assert set(runs) <= warm
    assert seen.embeddings[:, 0].tolist() == list(range(count))
    assert seen.known.tolist() == [level / 2 for level in range(count)]


@dataclass
class Request:
    pixels: np.ndarray
    cancelled: bool = False

    def is_cancelled(self):
        return self.cancelled


@pytest.fixture
def model(encoder, monkeypatch):
    utils = backend(lambda request, name: Tensor(name, request.pixels))
    monkeypatch.setitem(importlib.sys.modules, "triton_python_backend_utils", utils)
    monkeypatch.setitem(importlib.sys.modules, "encoder", encoder)
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(importlib.sys.modules, "model", raising=False)
    module = importlib.import_module("model")
    del importlib.sys.modules["model"]  # delitem would bring it back for other tests
    loaded = []

    def load(network, threads):
        loaded.append((network, threads))
        return encoder.Encoder(Session())

    monkeypatch.setattr(encoder.Encoder, "load", load)
    served = module.TritonPythonModel()
    config = {"parameters": {"threads": {"string_value": "3"}}}
    served.initialize(
        {
            "model_repository": "/models/vision_encoder",
            "model_version": "7",
            "model_config": json.dumps(config),
        }
    )
    assert loaded == [(Path("/models/vision_encoder/7/model.onnx"), 3)]
    return served


def test_each_request_gets_its_own_rows_of_one_run(model):
    session = model._encoder._session
    session.shapes.clear()

    found = model.execute([Request(pictures(1)), Request(pictures(2, 1)), Request(pictures(1, 3))])

    assert [shape[0] for shape in session.shapes] == [4]
    embeddings = [outputs(one)["EMBEDDING"][:, 0].tolist() for one in found]
    assert embeddings == [[0], [1, 2], [3]]
    assert [outputs(one)["KNOWN"].tolist() for one in found] == [[[0]], [[0.5], [1]], [[1.5]]]


def test_who_has_gone_is_left_out(model):
    session = model._encoder._session
    session.shapes.clear()

    gone, answered = model.execute([Request(pictures(3), cancelled=True), Request(pictures(1, 5))])

    assert gone.error.code == "cancelled"
    assert outputs(answered)["EMBEDDING"][:, 0].tolist() == [5]
    assert [shape[0] for shape in session.shapes] == [1]


def test_a_batch_of_those_who_have_gone_runs_nothing(model):
    session = model._encoder._session
    session.shapes.clear()

    (response,) = model.execute([Request(pictures(1), cancelled=True)])

    assert response.error.code == "cancelled"
    assert session.shapes == []
