"""Every architecture the whole way to the code that Triton runs, against three references.

`check_parity` compares with transformers alone: texts one by one, by threes, by eights and all at
once, short ones and such of several windows. Here it is sentence-transformers, and transformers
with padding on either side.
"""

import json
import shutil

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx
import torch
import transformers
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer

from build_engines import check_parity, export_onnx, publish, receipt, weights
from tests.build_engines.encoders.checkpoints import KINDS, spec_of
from tests.build_engines.encoders.conftest import TEXTS

SHORT = ["the river", "why does the engine start", "a", "der Fluss steigt jedes"]


def encode(built, texts):
    return check_parity.encode_with(built.job.spec, built.job.code, built.job.build)(texts)


def test_the_served_code_meets_pytorch_in_any_batch(built):
    figures = receipt.require("parity", built.job).figures

    assert min(figures["least_cosine"].values()) >= 0.99999
    assert list(figures["least_cosine"]) == ["1", "3", "8", "11"]
    goldens = json.loads((built.job.build / "goldens.json").read_text())
    assert {1, 2, 3} == {*goldens["windows"]}
    assert (goldens["truncated"][0], goldens["truncated"][-1]) == (False, True)
    publish.verify(built.job)


def test_random_weights_tell_texts_apart(built):
    """Or parity could not fail."""
    rows = np.asarray(json.loads((built.job.build / "goldens.json").read_text())["embeddings"])
    others = (rows @ rows.T)[np.triu_indices(len(rows), 1)]

    # Empty text and spaces are the same for some, and windows of one text like each other.
    assert np.median(others) < 0.97


def test_it_is_what_sentence_transformers_says(built):
    kind = KINDS[built.name]
    reference = SentenceTransformer(str(built.folder), device="cpu", local_files_only=True)
    expected = reference.encode(SHORT, prompt=built.job.spec.prefix, normalize_embeddings=True)

    found = encode(built, SHORT)

    assert expected.shape == (4, 48)
    assert check_parity.cosines(found.embeddings, expected).min() >= 0.9999
    assert found.windows.tolist() == [1] * 4
    assert reference[1].pooling_mode == kind.pooling


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_on_either_side_is_no_padding(built, side):
    """What transformers gives for a padded batch, row by row."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(built.folder, padding_side=side)
    model = transformers.AutoModel.from_pretrained(built.folder).eval()
    spec, texts = built.job.spec, [text for text in SHORT if text != "a"]
    read = tokenizer(
        [spec.prefix + text for text in texts], padding=True, truncation=False, return_tensors="pt"
    )
    mask = read["attention_mask"]
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    if built.name == "xlm_roberta":
        positions = None  # it counts what is not padding by itself
    with torch.no_grad():
        hidden = model(
            input_ids=read["input_ids"], attention_mask=mask, position_ids=positions
        ).last_hidden_state
    rows = [one[here.bool()] for one, here in zip(hidden, mask, strict=True)]
    pools = {
        "mean": lambda row: row.mean(0),
        "cls": lambda row: row[0],
        "last": lambda row: row[-1],
    }
    pooled = torch.stack([pools[spec.pooling](row) for row in rows])
    for path in spec.dense:
        pooled = pooled @ load_file(built.folder / path / "model.safetensors")["linear.weight"].T

    assert mask.sum(1).unique().numel() > 1
    found = encode(built, texts).embeddings
    assert check_parity.cosines(found, pooled.numpy()).min() >= 0.9999


def test_the_tokenizer_is_the_checkpoints_without_its_truncation(built):
    ours, theirs = (
        json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        for folder in (built.job.build, built.folder)
    )

    assert theirs["truncation"]["max_length"] == 7
    assert ours == theirs | {"truncation": None, "padding": None}


def test_a_model_with_a_head_is_read_without_it(checkpoint, tmp_path):
    """A masked language model names its encoder `model.` and has a decoder; both are said."""
    folder = shutil.copytree(checkpoint["modernbert"], tmp_path / "checkpoint")
    tensors = {f"model.{k}": v for k, v in load_file(folder / "model.safetensors").items()}
    head = {"head.dense.weight": torch.zeros(48, 48), "decoder.bias": torch.zeros(9)}
    save_file(tensors | head, folder / "model.safetensors", {"format": "pt"})

    found = weights.load(folder, ("head.*", "decoder.bias")).state_dict()

    expected = weights.load(checkpoint["modernbert"]).state_dict()
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)


@pytest.mark.parametrize("name", ["gemma", "qwen3"])
def test_float16_storage_keeps_the_answers(every, tmp_path, name):
    """As `export` stores it, where the spec says so."""
    built = every[name]
    network = onnx.load(built.job.build / "model.onnx")
    export_onnx.compact(network)
    folder = shutil.copytree(built.job.build, tmp_path / "build")
    onnx.save(network, folder / "model.onnx")

    found = check_parity.encode_with(built.job.spec, built.job.code, folder)(SHORT).embeddings

    assert check_parity.cosines(found, encode(built, SHORT).embeddings).min() >= 0.9999
    stored = {one.data_type for one in network.graph.initializer}
    assert onnx.TensorProto.FLOAT16 in stored


@pytest.mark.parametrize("name", ["mmbert", "gemma"])
def test_text_of_thousands_of_tokens_is_one_window(every, name):
    """Local layers see a few places of them, global ones all. The network is the same for any."""
    built = every[name]
    limits = {"window": 2500, "overlap": 64, "max_windows": 2}
    limits |= {"max_characters": 100_000, "max_bytes": 400_000}
    spec = spec_of(name, built.folder, text=limits)
    texts = [TEXTS["more than is read"] * 2, TEXTS["sentence"]]

    encoded = check_parity.encode_with(spec, built.job.code, built.job.build)(texts)

    expected = check_parity.reference(spec, built.folder, texts)
    assert encoded.windows.tolist() == expected.windows
    assert check_parity.cosines(encoded.embeddings, expected.embeddings).min() >= 0.9999
