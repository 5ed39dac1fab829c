"""model.py of the steps around an engine, with Triton's module replaced by a small stand-in."""

import importlib
import json
from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.model_repository.backend import Tensor, backend, outputs
from tests.model_repository.conftest import FOLDER

REPOSITORY = FOLDER.parent


@dataclass
class Request:
    inputs: dict
    wanted: list = field(default_factory=list)
    cancelled: bool = False

    def is_cancelled(self):
        return self.cancelled

    def requested_output_names(self):
        return self.wanted


def input_of(request, name):
    return Tensor(name, np.asarray(request.inputs[name]))


def strings(*rows):
    return np.array(rows, object).reshape(-1, 1)


def served(name, patch):
    """The model of a folder as Triton makes it."""
    folder = REPOSITORY / name
    rows = (folder / "config.pbtxt").read_text(encoding="utf-8").splitlines()
    parts = [row.split('"') for row in rows if row.startswith("parameters")]
    patch.setitem(importlib.sys.modules, "triton_python_backend_utils", backend(input_of))
    patch.syspath_prepend(str(folder / "1"))
    for module in ("model", "texts"):
        importlib.sys.modules.pop(module, None)
    made = importlib.import_module("model").TritonPythonModel()
    for module in ("model", "texts"):  # they hold the stand-in
        del importlib.sys.modules[module]
    config = {"parameters": {part[1]: {"string_value": part[3]} for part in parts}}
    made.initialize({"model_repository": str(folder), "model_config": json.dumps(config)})
    return made


@pytest.fixture(scope="module")
def tokens():
    with pytest.MonkeyPatch.context() as patch:
        yield served("text_signals_tokens", patch)


@pytest.fixture(scope="module")
def answers():
    with pytest.MonkeyPatch.context() as patch:
        yield served("text_signals_answers", patch)


WANTED = ["INPUT_IDS", "LENGTHS", "PARTS", "PLACES", "WINDOWS", "TRUNCATED", "UNREADABLE"]


def question(text, tasks, **changes):
    return Request({"TEXT": strings(text), "TASKS": strings(tasks)}, WANTED, **changes)


@pytest.mark.parametrize(
    ("bad", "kind", "message"),
    [
        pytest.param(question(b"\xff", b""), "invalid", "TEXT is not UTF-8", id="not UTF-8"),
        pytest.param(question(b"x" * 1_048_577, b""), "invalid", "TEXT is longer", id="too long"),
        pytest.param(question(b"x", b"no"), "invalid", "no task 'no'; the tasks are", id="task"),
        pytest.param(question(b"x", b"", cancelled=True), "cancelled", "cancelled", id="gone"),
    ],
)
def test_a_bad_request_gets_an_error_and_its_neighbours_tokens(tokens, bad, kind, message):
    long = question(b"he " * 40, b"pii")

    before, refused, after = tokens.execute([question(b"before", b"domain"), bad, long])

    assert refused.error.code == kind and str(refused.error).startswith(message)
    assert outputs(before)["INPUT_IDS"].shape == (1, 1, 32)
    assert outputs(after)["INPUT_IDS"].shape == (1, 1, 64)
    assert outputs(after)["LENGTHS"].tolist() == [[42]]
    assert set(outputs(after)) == set(WANTED)


def test_only_what_is_asked_for_is_sent(tokens):
    [response] = tokens.execute([Request(question(b"he", b"").inputs, ["LENGTHS"])])

    assert outputs(response).keys() == {"LENGTHS"}


def test_the_last_step_answers_requests_of_any_shapes(answers):
    tasks = answers._tasks
    width = 384

    def request(text, windows, places, wanted):
        given = {
            "TEXT": strings(text),
            "TASKS": strings(b"jailbreak"),
            "PARTS": [[[0, 2]] + [[-1, -1]] * (windows - 1)],
            "PLACES": np.full((1, windows, places, 3), -1, np.int32),
            "EMBEDDING_W": np.ones((1, windows, width), np.float32) / np.float32(width**0.5),
        }
        for name, task in tasks.items():
            classes = len(task.labels) if task.kind == "sequence" else 1 + 2 * len(task.labels)
            shape = (windows, places, classes) if task.kind == "token" else (windows, classes)
            given[f"LOGITS_{name}"] = np.zeros((1, *shape), np.float32)
        return Request(given, wanted)

    wanted = ["EMBEDDING", "PROBS_jailbreak", "PROBS_domain", "SPANS_pii", "SPAN_SCORES_pii"]
    some = answers.execute(
        [
            request(b"short one", 1, 8, wanted),
            request(b"\xff", 1, 8, wanted),
            request(b"a longer one", 3, 16, ["EMBEDDING"]),
        ]
    )

    first = outputs(some[0])
    assert list(first) == wanted
    assert first["PROBS_jailbreak"].tolist() == [[0.5, 0.5]]
    assert np.isnan(first["PROBS_domain"]).all()
    assert first["SPANS_pii"].tolist() == [[[-1, -1, -1]]]
    assert some[1].error.code == "invalid"
    assert outputs(some[2])["EMBEDDING"].shape == (1, width)
