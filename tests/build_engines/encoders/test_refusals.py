"""Where a checkpoint, its spec and the network contradict each other, nothing is exported."""

import json
import shutil

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx
import torch
from safetensors.torch import load_file, save_file

from build_engines import export_onnx
from build_engines.errors import WeightsError
from build_engines.gpu import graph
from tests.build_engines.encoders.checkpoints import KINDS, put, spec_of


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
        pytest.param(
            "modernbert",
            "modules.json",
            [{"type": "a.LSTM", "path": "0_LSTM"}, {"type": "a.Transformer", "path": ""}],
            "modules LSTM, Transformer are not an encoder's",
            id="one before all others",
        ),
        pytest.param(
            "modernbert",
            "modules.json",
            [{"type": f"a.{kind}", "path": ""} for kind in ("Transformer", "Pooling", "Pooling")],
            "modules Transformer, Pooling, Pooling are not an encoder's",
            id="two poolings",
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


def test_a_tokenizer_that_transformers_reads_otherwise_is_refused(checkpoint, tmp_path):
    """Where files of a checkpoint contradict each other, one of them is wrong."""
    folder = shutil.copytree(checkpoint["xlm_roberta"], tmp_path / "checkpoint")
    stated = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    put(folder, "tokenizer_config.json", stated | {"tokenizer_class": "GemmaTokenizer"})

    with pytest.raises(WeightsError, match=r"reads 'a b' as \[0, .*, transformers as \[0, "):
        export_onnx.uncut_tokenizer(folder)


def test_a_weight_beyond_float16_is_refused(every):
    network = onnx.load(every["qwen3"].job.build / "model.onnx")
    large = next(one for one in network.graph.initializer if "embed_tokens" in one.name)
    values = onnx.numpy_helper.to_array(large).copy()
    values[0, 0] = 1e6
    large.CopyFrom(onnx.numpy_helper.from_array(values, large.name))

    with pytest.raises(WeightsError, match=r"embed_tokens.*too large for float16"):
        export_onnx.compact(network)


@pytest.mark.parametrize("name", ["modernbert", "qwen3"])
def test_no_engine_is_built_of_sliding_or_causal_attention(every, name):
    with pytest.raises(WeightsError, match="sliding or causal attention"):
        graph.published(every[name].job.target)
