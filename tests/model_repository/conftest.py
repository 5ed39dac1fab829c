"""The Python that Triton runs, imported as Triton imports it: the version's folder on the path."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

FOLDER = Path(__file__).parents[2] / "model_repository" / "text_embedding"


@pytest.fixture(scope="session")
def folder():
    return FOLDER


@pytest.fixture(scope="session")
def code():
    """The modules beside model.py, by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER / "1"))
        yield {name: importlib.import_module(name) for name in ("windows", "encoder")}


@pytest.fixture(scope="session")
def signals_folder():
    return FOLDER.parent / "text_signals"


@pytest.fixture(scope="session")
def signals_code(code, signals_folder):
    """The modules of the text classifiers, by name; some are those of the encoder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(signals_folder / "1"))
        yield {
            name: importlib.import_module(name)
            for name in ("sequences", "entities", "reader", "unread")
        }


@pytest.fixture(scope="session")
def goldens():
    return json.loads((FOLDER / "goldens.json").read_text(encoding="utf-8"))


@pytest.fixture
def tokenizer():
    return Tokenizer.from_file(str(FOLDER / "tokenizer.json"))


class RecordingSession:
    """Stands in for the network: embeds a row by its tokens' sum and count, and keeps shapes."""

    def __init__(self):
        self.shapes = []

    def run(self, _, feed):
        ids, grid, place = feed["input_ids"], feed["grid"], feed["place"]
        self.shapes.append(grid.shape)
        assert (grid.reshape(-1)[place] == np.arange(len(ids))).all()
        real = grid >= 0
        rows = np.stack([(ids[grid] * real).sum(1), real.sum(1)], 1).astype(np.float32)
        return [rows / np.linalg.norm(rows, axis=1, keepdims=True)]


@pytest.fixture
def session():
    return RecordingSession()
