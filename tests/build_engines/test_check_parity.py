import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx
from onnx import numpy_helper

from build_engines import check_parity, export_onnx
from build_engines.errors import ParityError, StaleError


@pytest.fixture
def exported(tiny):
    job = tiny.job()
    export_onnx.run(job)
    return job


def test_the_served_code_meets_pytorch(exported):
    line = check_parity.run(exported)

    goldens = json.loads((exported.build / "goldens.json").read_text())
    figures = json.loads((exported.build / "parity.json").read_text())["figures"]
    assert line.endswith("over 7 texts")
    assert goldens["windows"] == [1, 1, 1, 1, 1, 2, 3]
    assert goldens["truncated"] == [False] * 6 + [True]
    assert np.asarray(goldens["embeddings"]).shape == (7, 64)
    assert list(figures["least_cosine"]) == ["1", "3", "7"]
    assert min(figures["least_cosine"].values()) >= 0.99999


def test_a_network_that_is_not_the_checkpoint_fails(exported):
    """One bias moved: the receipt is renewed, so that only the comparison can notice."""
    path = exported.build / "model.onnx"
    model = onnx.load(path)
    bias = next(t for t in model.graph.initializer if t.name.endswith("layer.1.output.dense.bias"))
    moved = numpy_helper.to_array(bias) + np.linspace(-1, 1, 64, dtype=np.float32)
    bias.CopyFrom(numpy_helper.from_array(moved, bias.name))
    onnx.save(model, path)
    receipt = json.loads((exported.build / "export.json").read_text())
    receipt["outputs"] = exported.hashes([path, exported.build / "tokenizer.json"])
    (exported.build / "export.json").write_text(json.dumps(receipt))

    with pytest.raises(ParityError, match="tiny: least cosine"):
        check_parity.run(exported)

    assert not (exported.build / "goldens.json").exists()


def test_windows_cut_elsewhere_fail(tiny, exported):
    texts = [row["text"] for row in json.loads(exported.texts.read_text())]
    expected = check_parity.reference(exported.spec, tiny.checkpoint, texts)
    other = exported.spec.text.model_copy(update={"overlap": 12})
    spec = exported.spec.model_copy(update={"text": other})
    encode = check_parity.encode_with(spec, exported.code, exported.build)

    with pytest.raises(ParityError, match="windows"):
        check_parity.compare(encode, expected, texts)


def test_it_does_not_run_before_the_export(tiny):
    with pytest.raises(StaleError, match="export has not run; run: python -m build_engines export"):
        check_parity.run(tiny.job())
