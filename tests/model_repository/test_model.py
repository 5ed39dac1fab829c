"""model.py with Triton's module replaced by a small stand-in."""

import importlib
import json

import numpy as np
import pytest

from tests.model_repository.backend import Texts, backend, outputs, text_of


@pytest.fixture(scope="module")
def model(code, folder):
    rows = (folder / "configs" / "cpu.pbtxt").read_text(encoding="utf-8").splitlines()
    parts = [row.split('"') for row in rows if row.startswith("parameters")]
    settings = {part[1]: {"string_value": part[3]} for part in parts}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(importlib.sys.modules, "triton_python_backend_utils", backend(text_of))
        patch.syspath_prepend(str(folder / "1"))
        served = importlib.import_module("model").TritonPythonModel()
        for name in ("model", "texts"):  # they hold the stand-in
            del importlib.sys.modules[name]
        served.initialize(
            {
                "model_repository": str(folder),
                "model_version": "1",
                "model_config": json.dumps({"parameters": settings}),
            }
        )
        yield served


@pytest.mark.parametrize(
    ("bad", "kind", "message"),
    [
        pytest.param(
            Texts([b"fine", b"\xff\xfe"]),
            "invalid",
            "TEXT is not UTF-8: invalid start byte at byte 0",
            id="not UTF-8",
        ),
        pytest.param(
            Texts(["é".encode() * 524_289]),
            "invalid",
            "TEXT is longer than 1048576 bytes",
            id="too long in bytes",
        ),
        pytest.param(Texts([b"fine"], True), "cancelled", "cancelled", id="cancelled"),
    ],
)
def test_a_bad_request_gets_an_error_and_its_neighbours_an_answer(model, bad, kind, message):
    responses = model.execute([Texts([b"before"]), bad, Texts([b"after"])])

    assert (responses[1].error.code, str(responses[1].error)) == (kind, message)
    for response in (responses[0], responses[2]):
        assert outputs(response)["EMBEDDING"].shape == (1, 384)


def test_a_batch_of_bad_requests_is_all_errors(model):
    responses = model.execute([Texts([b"\xff"]), Texts([b"\xfe"])])

    assert [response.error.code for response in responses] == ["invalid", "invalid"]


def test_each_request_gets_its_own_rows(model, goldens):
    texts = [text.encode() for text in goldens["texts"]]
    requests = [Texts(texts[:3]), Texts(texts[3:4]), Texts(texts[4:])]

    found = [outputs(response) for response in model.execute(requests)]

    embeddings = np.concatenate([each["EMBEDDING"] for each in found])
    assert [len(each["EMBEDDING"]) for each in found] == [3, 1, len(texts) - 4]
    assert (embeddings * np.asarray(goldens["embeddings"])).sum(1).min() >= 0.99999
    windows = np.concatenate([each["WINDOWS"] for each in found])
    truncated = np.concatenate([each["TRUNCATED"] for each in found])
    assert (windows.dtype, windows[:, 0].tolist()) == (np.int32, goldens["windows"])
    assert (truncated.dtype, truncated[:, 0].tolist()) == (np.bool_, goldens["truncated"])
