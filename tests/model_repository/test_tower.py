"""A text tower's Python over a network that is written here."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from tests.model_repository.backend import Texts, backend, outputs, text_of

FOLDER = Path(__file__).parents[2] / "model_repository" / "image_text_embedding" / "1"
LENGTH = 5


class Session:
    """Stands in for the network: the embedding is the last token and the sum of all."""

    def __init__(self):
        self.rows = []

    def run(self, outputs, feed):
        assert outputs == ["EMBEDDING"]
        ids = feed["input_ids"]
        self.rows.append(len(ids))
        assert (ids.dtype, ids.shape[1]) == (np.int64, LENGTH)
        return [np.stack([ids[:, -1], ids.sum(1)], 1).astype(np.float32)]


@pytest.fixture(scope="module")
def tower():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield importlib.import_module("tower")
        del importlib.sys.modules["tower"]


@pytest.fixture
def tokenizer():
    """As the builder leaves it: words of one letter, an end, cut and padded to LENGTH."""
    words = {word: at for at, word in enumerate(["</s>", "?", *"abcdefgh"])}
    made = Tokenizer(models.WordLevel(words, unk_token="?"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 0)]
    )
    made.enable_truncation(LENGTH)
    made.enable_padding(length=LENGTH, pad_id=0, pad_token="</s>")
    return made


@pytest.mark.parametrize(
    ("text", "ids", "truncated"),
    [
        pytest.param("", [0, 0, 0, 0, 0], False, id="empty"),
        pytest.param("a", [2, 0, 0, 0, 0], False, id="padded"),
        pytest.param("a b c d", [2, 3, 4, 5, 0], False, id="just full"),
        pytest.param("a b c d e", [2, 3, 4, 5, 0], True, id="cut, and its end kept"),
        pytest.param("a b" + " " * 30, [2, 3, 0, 0, 0], True, id="more characters than are read"),
    ],
)
def test_every_text_has_one_length(tower, tokenizer, text, ids, truncated):
    subject = tower.Tower(tokenizer, Session(), max_characters=20)

    found, cut = subject.ids([text])

    assert (found.tolist(), cut.tolist()) == ([ids], [truncated])


def test_many_texts_keep_their_order_over_several_runs(tower, tokenizer):
    session = Session()
    subject = tower.Tower(tokenizer, session, max_characters=100)
    texts = [letter for letter in "abcdefgh" for _ in range(3)][:19]

    encoded = subject.encode(texts)

    assert session.rows == [8, 8, 3]
    assert encoded.embeddings[:, 1].tolist() == [2 + "abcdefgh".index(text) for text in texts]
    assert encoded.truncated.tolist() == [False] * 19


def test_warming_runs_the_sizes_that_are_asked_most(tower, tokenizer):
    session = Session()
    tower.Tower(tokenizer, session, max_characters=100).warm()

    assert session.rows == [1, tower.ROWS]


@pytest.fixture
def model(tower, tokenizer, monkeypatch):
    utils = backend(text_of)
    monkeypatch.setitem(importlib.sys.modules, "triton_python_backend_utils", utils)
    monkeypatch.setitem(importlib.sys.modules, "tower", tower)
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("model", "texts"):
        monkeypatch.delitem(importlib.sys.modules, name, raising=False)
    module = importlib.import_module("model")
    for name in ("model", "texts"):  # they hold the stand-in
        del importlib.sys.modules[name]  # delitem would bring it back for other tests
    session = Session()

    def load(network, written, max_characters, threads):
        return tower.Tower(tokenizer, session, max_characters)

    monkeypatch.setattr(tower.Tower, "load", load)
    settings = {"max_bytes": "9", "max_characters": "8", "threads": "1"}
    parameters = {name: {"string_value": value} for name, value in settings.items()}
    served = module.TritonPythonModel()
    served.initialize(
        {
            "model_repository": "/models",
            "model_version": "1",
            "model_config": json.dumps({"parameters": parameters}),
        }
    )
    session.rows.clear()
    return served, session


def test_each_request_gets_its_own_rows_of_one_run_and_a_bad_one_an_error(model):
    served, session = model

    first, long, second = served.execute(
        [Texts([b"a", b"b c d e f"]), Texts([b"0123456789"]), Texts([b"c"])]
    )

    assert session.rows == [3]
    assert outputs(first)["EMBEDDING"][:, 1].tolist() == [2, 3 + 4 + 5 + 6]
    assert outputs(first)["TRUNCATED"].tolist() == [[False], [True]]
    assert outputs(second)["EMBEDDING"][:, 1].tolist() == [4]
    assert outputs(second)["WINDOWS"].tolist() == [[1]]
    assert str(long.error) == "TEXT is longer than 9 bytes"
