import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx
import onnxruntime as ort
import torch

from build_engines import export_onnx, weights
from build_engines.errors import WeightsError
from build_engines.spec import Spec


def pytorch(tiny, pooling, rows):
    """Each row alone, by the checkpoint's own attention."""
    model = weights.load(tiny.checkpoint)
    found = []
    for row in rows:
        with torch.no_grad():
            hidden = model(input_ids=torch.tensor([row])).last_hidden_state[0]
        pooled = hidden.mean(0) if pooling == "mean" else hidden[0]
        found.append((pooled / pooled.norm()).numpy())
    return np.stack(found)


def packed(rows):
    """The network's inputs, written out row by row."""
    longest = max(map(len, rows))
    ids, grid, place = [], [], []
    for at, row in enumerate(rows):
        columns = range(len(row))
        grid.append([len(ids) + column for column in columns] + [-1] * (longest - len(row)))
        place += [at * longest + column for column in columns]
        ids += row
    values = {"input_ids": ids, "grid": grid, "place": place}
    return {name: np.asarray(value, np.int64) for name, value in values.items()}


@pytest.fixture
def export(tiny, tmp_path):
    def make(**changes):
        build = tmp_path / "build"
        spec = Spec.model_validate(tiny.spec | changes)
        export_onnx.export(spec, tiny.checkpoint, build)
        return build

    return make


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_the_network_answers_as_pytorch_in_any_batch(tiny, export, pooling):
    session = ort.InferenceSession(export(pooling=pooling) / "model.onnx")
    draw = np.random.default_rng(5)
    rows = [[2, *draw.integers(4, 20, size).tolist(), 3] for size in (0, 1, 3, 5, 8, 11, 12, 2)]
    expected = pytorch(tiny, pooling, rows)

    for batch in (1, 3, 8):
        for at in range(0, len(rows), batch):
            (found,) = session.run(None, packed(rows[at : at + batch]))
            np.testing.assert_allclose(found, expected[at : at + batch], atol=2e-6)


def test_float16_storage_halves_the_file_and_keeps_the_answers(tiny, export):
    whole = (export() / "model.onnx").stat().st_size
    build = export(onnx={"opset": 20, "storage": "float16"})
    session = ort.InferenceSession(build / "model.onnx")
    rows = [[2, 9, 12, 7, 3], [2, 5, 3]]

    (found,) = session.run(None, packed(rows))

    assert (found * pytorch(tiny, "mean", rows)).sum(1).min() > 0.999999
    assert found.dtype == np.float32
    assert (build / "model.onnx").stat().st_size < 0.75 * whole
    stored = {tensor.data_type for tensor in onnx.load(build / "model.onnx").graph.initializer}
    assert onnx.TensorProto.FLOAT16 in stored


def test_the_same_checkpoint_gives_the_same_bytes(export):
    first = (export() / "model.onnx").read_bytes()

    assert (export() / "model.onnx").read_bytes() == first


def test_no_trace_of_this_machine_is_left(export):
    content = (export() / "model.onnx").read_bytes()

    assert b".py" not in content
    assert b"site-packages" not in content


def test_the_tokenizer_is_published_without_its_truncation(export):
    tokenizer = json.loads((export() / "tokenizer.json").read_text())

    assert (tokenizer["truncation"], tokenizer["padding"]) == (None, None)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        pytest.param(
            "1_Pooling/config.json",
            {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
            "pools by .*cls.*, the spec says 'mean'",
            id="pools differently",
        ),
        pytest.param(
            "1_Pooling/config.json",
            {"pooling_mode_weightedmean_tokens": True},
            "pools by .*weightedmean",
            id="pools in a way we do not know",
        ),
        pytest.param(
            "sentence_bert_config.json",
            {"max_seq_length": 8},
            "reads 8 tokens, the spec says 16",
            id="reads another length",
        ),
    ],
)
def test_a_checkpoint_that_says_otherwise_is_refused(tiny, tmp_path, file, content, message):
    folder = tmp_path / "checkpoint"
    shutil.copytree(tiny.checkpoint, folder)
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text(json.dumps(content))

    with pytest.raises(WeightsError, match=message):
        export_onnx.export(Spec.model_validate(tiny.spec), folder, tmp_path / "build")


def test_a_step_leaves_a_receipt(tiny):
    job = tiny.job()

    assert export_onnx.run(replace(job)).startswith("tiny: exported folder ")

    receipt = json.loads((job.build / "export.json").read_text())
    assert receipt["command"] == "python -m build_engines export tiny"
    assert sorted(receipt["outputs"]) == ["build/model.onnx", "build/tokenizer.json"]
    assert receipt["versions"]["torch"] == torch.__version__
