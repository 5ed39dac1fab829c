import json
import shutil

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import torch
from safetensors.torch import load_file, save_file

from build_engines.errors import WeightsError
from build_engines.signals import adapter

HEAD = "base_model.model.classifier"


@pytest.fixture
def folder(saved, tmp_path):
    """A copy of an adapter, to be spoiled."""
    return shutil.copytree(saved["last"][0], tmp_path / "last")


def stated(folder, **changes):
    path = folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def tensors(folder, change):
    path = folder / "adapter_model.safetensors"
    found = load_file(path)
    change(found)
    save_file(found, path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"use_dora": True}, "not use_dora", id="DoRA"),
        pytest.param({"use_rslora": True}, "not use_rslora", id="rank-stabilised"),
        pytest.param({"bias": "all"}, "not bias all", id="trained biases"),
        pytest.param({"lora_bias": True}, "not lora_bias", id="biases of the low-rank matrices"),
        pytest.param({"rank_pattern": {"key": 4}}, "not rank_pattern", id="a rank for each matrix"),
        pytest.param({"peft_type": "IA3"}, "not peft_type IA3", id="no LoRA at all"),
    ],
)
def test_variants_of_other_arithmetic_are_refused_by_name(folder, change, message):
    stated(folder, **change)

    with pytest.raises(WeightsError, match=message) as caught:
        adapter.read(folder)

    assert str(folder) in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            lambda found: found.update({"base_model.model.bert.extra.weight": torch.ones(2)}),
            "no known place: base_model.model.bert.extra.weight",
            id="unknown",
        ),
        pytest.param(
            lambda found: [found.pop(f"{HEAD}.{part}") for part in ("weight", "bias")],
            "no classifier",
            id="head missing",
        ),
        pytest.param(
            lambda found: found.pop(f"{HEAD}.bias"), "no classifier.bias", id="half a head"
        ),
        pytest.param(
            lambda found: found.pop(next(name for name in found if "lora_B" in name)),
            "no lora_B of layer 2 attention",
            id="half a change",
        ),
        pytest.param(
            lambda found: found.update(
                {"base_model.model.bert.embeddings.word_embeddings.weight": torch.ones(2, 2)}
            ),
            "needs layers and embeddings",
            id="embeddings without layers",
        ),
    ],
)
def test_tensors_that_do_not_fit_are_refused(folder, change, message):
    tensors(folder, change)

    with pytest.raises(WeightsError, match=message):
        adapter.read(folder)


@pytest.mark.parametrize(
    ("name", "first", "pooled"),
    [
        pytest.param("head", None, True, id="a head alone is over the trunk's output"),
        pytest.param("last", 2, True, id="the last layer"),
        pytest.param("two_token", 1, False, id="two layers, no pooler"),
        pytest.param("full", 0, True, id="every layer"),
        pytest.param("own", 0, True, id="a model of its own"),
    ],
)
def test_the_first_layer_of_its_own_is_read_off_the_weights(saved, name, first, pooled):
    found = adapter.read(saved[name][0])

    assert (found.first, found.pooler is not None) == (first, pooled)


def test_the_scaling_is_in_the_upper_matrix(folder):
    once = adapter.read(folder).low[2, "output.dense"]
    stated(folder, lora_alpha=80)  # of 8 ranks

    scaled = adapter.read(folder).low[2, "output.dense"]

    np.testing.assert_allclose(scaled.up, once.up * 5, rtol=1e-6)
    np.testing.assert_array_equal(scaled.down, once.down)
    assert (once.down.shape, once.up.shape) == ((128, 8), (8, 64))
