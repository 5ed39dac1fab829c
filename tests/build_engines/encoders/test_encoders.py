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

from build_engines import check_parity, export_onnx, publish, receipt
from build_engines.errors import WeightsError
from build_engines.gpu import graph
from tests.build_engines.encoders.checkpoints import KINDS, put, spec_of
from tests.build_engines.encoders.conftest import TEXTS, job_of

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


def spoiled(tensors, fault):
    """The tensors, and what the refusal says of them."""
    name = next(one for one in tensors if tensors[one].ndim == 2 and "layer" in one)
    if fault == "missing":
        del tensors[name]
        return f"missing {name}"
    if fault == "unexpected":
        tensors["spare.weight"] = torch.zeros(2)
        return "unexpected spare.weight"
    tensors[name] = tensors[name][:-1].contiguous()
    return f"{name} is "


@pytest.mark.parametrize("fault", ["missing", "unexpected", "misshapen"])
@pytest.mark.parametrize("name", KINDS)
def test_no_tensor_is_invented_ignored_or_bent(checkpoint, tmp_path, name, fault):
    folder = shutil.copytree(checkpoint[name], tmp_path / "checkpoint")
    tensors = load_file(folder / "model.safetensors")
    said = spoiled(tensors, fault)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})

    with pytest.raises(WeightsError) as refusal:
        export_onnx.export(spec_of(name, folder), folder, tmp_path / "build")

    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "file", "content", "message"),
    [
        pytest.param(
            "gemma",
            "2_Dense/config.json",
            {"in_features": 48, "out_features": 96, "bias": False, "activation_function": "x.GELU"},
            "a layer with x.GELU",
            id="a dense layer of another kind",
        ),
        pytest.param(
            "gemma",
            "2_Dense/config.json",
            {
                "in_features": 48,
                "out_features": 90,
                "bias": False,
                "activation_function": "torch.nn.modules.linear.Identity",
            },
            r"weight is \[96, 48\], not \[90, 48\]",
            id="a dense layer of another shape",
        ),
        pytest.param(
            "gemma",
            "config_sentence_transformers.json",
            {"prompts": {"STS": "query: "}},
            "the prompt 'STS' is 'query: ', not 'task: sentence similarity",
            id="another prompt",
        ),
        pytest.param(
            "mmbert",
            "config_sentence_transformers.json",
            {"prompts": {"query": "query: "}, "default_prompt_name": "query"},
            "puts the prompt 'query' before a text, the spec nothing",
            id="a prompt that the spec leaves out",
        ),
        pytest.param(
            "gemma",
            "1_Pooling/config.json",
            {"pooling_mode_mean_tokens": True, "include_prompt": False},
            "leaves the prefix out of its mean",
            id="pools without the prompt",
        ),
        pytest.param(
            "qwen3",
            "1_Pooling/config.json",
            {"pooling_mode": "mean"},
            "pools by .*mean.*, the spec says 'last'",
            id="pools otherwise",
        ),
        pytest.param(
            "qwen3",
            "sentence_bert_config.json",
            {"max_seq_length": 79},
            "reads 79 tokens, the spec says 80",
            id="reads less",
        ),
        pytest.param(
            "modernbert",
            "modules.json",
            [{"type": "a.Transformer", "path": ""}, {"type": "a.LSTM", "path": "1_LSTM"}],
            "modules Transformer, LSTM are not an encoder's",
            id="a module that is not known",
        ),
    ],
)
def test_a_checkpoint_that_says_otherwise_is_refused(
    checkpoint, tmp_path, name, file, content, message
):
    folder = shutil.copytree(checkpoint[name], tmp_path / "checkpoint")
    put((folder / file).parent, (folder / file).name, content)

    with pytest.raises(WeightsError, match=message):
        export_onnx.export(spec_of(name, folder), folder, tmp_path / "build")


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        pytest.param(
            "mmbert", {"dimension": 64}, "gives 48 numbers, the spec says 64", id="another width"
        ),
        pytest.param(
            "gemma",
            {"dense": ("2_Dense",)},
            r"has dense layers \('2_Dense', '3_Dense'\)",
            id="a dense layer too few",
        ),
    ],
)
def test_a_spec_that_says_otherwise_is_refused(checkpoint, tmp_path, name, changes, message):
    folder = checkpoint[name]

    with pytest.raises(WeightsError, match=message):
        export_onnx.export(spec_of(name, folder, **changes), folder, tmp_path / "build")


def test_places_beyond_those_of_the_network_are_refused(checkpoint, tmp_path):
    """XLM-RoBERTa has 82 positions, of which 80 are a text's."""
    folder = shutil.copytree(checkpoint["xlm_roberta"], tmp_path / "checkpoint")
    (folder / "sentence_bert_config.json").unlink()
    text = spec_of("xlm_roberta", folder).text.model_dump() | {"window": 81}

    with pytest.raises(WeightsError, match="knows 80 places, the spec says windows of 81"):
        export_onnx.export(spec_of("xlm_roberta", folder, text=text), folder, tmp_path / "build")


def test_the_tokenizer_is_the_checkpoints_without_its_truncation(built):
    ours, theirs = (
        json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        for folder in (built.job.build, built.folder)
    )

    assert theirs["truncation"]["max_length"] == 7
    assert ours == theirs | {"truncation": None, "padding": None}


def test_a_tokenizer_that_transformers_reads_otherwise_is_refused(checkpoint, tmp_path):
    """Where files of a checkpoint contradict each other, one of them is wrong."""
    folder = shutil.copytree(checkpoint["xlm_roberta"], tmp_path / "checkpoint")
    stated = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    put(folder, "tokenizer_config.json", stated | {"tokenizer_class": "GemmaTokenizer"})

    with pytest.raises(WeightsError, match=r"reads 'a b' as \[0, .*, transformers as \[0, "):
        export_onnx.uncut_tokenizer(folder)


def test_a_model_with_a_head_is_read_without_it(checkpoint, tmp_path):
    """A masked language model names its encoder `model.` and has a decoder; both are said."""
    folder = shutil.copytree(checkpoint["modernbert"], tmp_path / "checkpoint")
    tensors = {f"model.{k}": v for k, v in load_file(folder / "model.safetensors").items()}
    head = {"head.dense.weight": torch.zeros(48, 48), "decoder.bias": torch.zeros(9)}
    save_file(tensors | head, folder / "model.safetensors", {"format": "pt"})
    job = job_of("modernbert", folder, tmp_path, ignore=["head.*", "decoder.bias"])

    export_onnx.run(job)

    other = job_of("modernbert", checkpoint["modernbert"], tmp_path)
    encoded = check_parity.encode_with(job.spec, job.code, job.build)(SHORT)
    expected = check_parity.reference(other.spec, checkpoint["modernbert"], SHORT)
    assert check_parity.cosines(encoded.embeddings, expected.embeddings).min() >= 0.9999


@pytest.mark.parametrize("name", ["gemma", "qwen3"])
def test_float16_storage_keeps_the_answers(every, tmp_path, name):
    built = every[name]
    onnx_ = {"opset": 20, "storage": "float16"}
    job = job_of(built.name, built.folder, tmp_path, onnx=onnx_)
    export_onnx.run(job)

    found = check_parity.encode_with(job.spec, job.code, job.build)(SHORT).embeddings

    assert check_parity.cosines(found, encode(built, SHORT).embeddings).min() >= 0.9999
    stored = {one.data_type for one in onnx.load(job.build / "model.onnx").graph.initializer}
    assert onnx.TensorProto.FLOAT16 in stored


def test_a_weight_beyond_float16_is_refused(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint["qwen3"], tmp_path / "checkpoint")
    tensors = load_file(folder / "model.safetensors")
    tensors["embed_tokens.weight"][0, 0] = 1e6
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    spec = spec_of("qwen3", folder, onnx={"opset": 20, "storage": "float16"})

    with pytest.raises(WeightsError, match="too large for float16"):
        export_onnx.export(spec, folder, tmp_path / "build")


@pytest.mark.parametrize("name", ["mmbert", "gemma"])
def test_text_of_thousands_of_tokens_is_one_window(checkpoint, tmp_path, name):
    """Local layers see a few places of them, global ones all."""
    folder = shutil.copytree(checkpoint[name], tmp_path / "checkpoint")
    put(folder, "sentence_bert_config.json", {"max_seq_length": 2500})
    limits = {"window": 2500, "overlap": 64, "max_windows": 2}
    limits |= {"max_characters": 100_000, "max_bytes": 400_000}
    job = job_of(name, folder, tmp_path, text=limits)
    export_onnx.run(job)
    texts = [TEXTS["more than is read"] * 2, TEXTS["sentence"]]

    encoded = check_parity.encode_with(job.spec, job.code, job.build)(texts)

    expected = check_parity.reference(job.spec, folder, texts)
    assert encoded.windows.tolist() == expected.windows
    assert check_parity.cosines(encoded.embeddings, expected.embeddings).min() >= 0.9999


@pytest.mark.parametrize("name", ["modernbert", "qwen3"])
def test_no_engine_is_built_of_sliding_or_causal_attention(every, name):
    with pytest.raises(WeightsError, match="sliding or causal attention"):
        graph.published(every[name].job.target)
