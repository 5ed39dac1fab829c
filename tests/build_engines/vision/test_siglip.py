"""Checkpoints of SigLIP: strict loading, the attention-pool head, tokens."""

import json
import shutil

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import torch
import transformers
from safetensors.torch import load_file, save_file

from build_engines.errors import WeightsError
from build_engines.vision import siglip, tokens
from build_engines.vision.spec import Text, Vision
from tests.build_engines.vision.conftest import KINDS, checkpoint, siglip_spec, spread

PROBE = "vision_model.head.probe"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return checkpoint(tmp_path_factory.mktemp("siglip") / "checkpoint", KINDS["siglip"])


def spec_of(folder, **changes):
    return Vision.model_validate(siglip_spec(folder, KINDS["siglip"]) | changes)


def no_probe(tensors):
    del tensors[PROBE]


def probe_of_two(tensors):
    tensors[PROBE] = tensors[PROBE].repeat(1, 2, 1)


def linear_head(tensors):
    tensors["vision_model.head.dense.weight"] = torch.ones(48, 48)


def no_text_head(tensors):
    del tensors["text_model.head.bias"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(no_probe, f"missing {PROBE}", id="no probe"),
        pytest.param(probe_of_two, rf"{PROBE} is \[1, 2, 48\], not \[1, 1, 48\]", id="two probes"),
        pytest.param(linear_head, "unexpected vision_model.head.dense", id="another pooling head"),
        pytest.param(no_text_head, "missing text_model.head.bias", id="no projection of texts"),
    ],
)
def test_a_wrong_tensor_is_named(tmp_path, found, spoil, message):
    folder = tmp_path / "spoilt"
    shutil.copytree(found, folder)
    tensors = load_file(folder / "model.safetensors")
    spoil(tensors)
    save_file(tensors, folder / "model.safetensors")

    with pytest.raises(WeightsError, match=message):
        siglip.load(spec_of(folder), folder)


def change(folder, **values):
    path = folder / "config.json"
    config = json.loads(path.read_text())
    for name, value in values.items():
        part, _, key = name.partition("__")
        (config[part] if key else config)[key or part] = value
    path.write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"model_type": "siglip2"}, "a siglip2; what is read", id="another class"),
        pytest.param(
            {"vision_config__vision_use_head": False}, "no attention-pool head", id="no head"
        ),
        pytest.param(
            {"vision_config__image_size": 64}, "pixels.size is 64, the spec says 32", id="size"
        ),
        pytest.param(
            {"text_config__max_position_embeddings": 8}, "text.length is 8", id="length of texts"
        ),
        pytest.param(
            {"text_config__projection_size": 24},
            "dimension is 24.*pictures have 48 dimensions, texts 24",
            id="spaces of two sizes",
        ),
    ],
)
def test_a_checkpoint_of_another_description_is_refused(tmp_path, found, changes, message):
    folder = tmp_path / "other"
    shutil.copytree(found, folder)
    spec = spec_of(folder)
    change(folder, **changes)

    with pytest.raises(WeightsError, match=message):
        siglip.load(spec, folder)


def test_towers_are_those_of_transformers(found):
    whole = transformers.SiglipModel.from_pretrained(found).eval()
    model = siglip.load(spec_of(found), found)
    pixels, ids = torch.from_numpy(spread(3, 32)), torch.arange(48).reshape(3, 16) % 40

    with torch.inference_mode():
        pictures, known = siglip.VisionTower(model)(pixels)
        texts = siglip.TextTower(model)(ids)
        both = whole(input_ids=ids, pixel_values=pixels)

    assert pictures.numpy() == pytest.approx(both.image_embeds.numpy(), abs=1e-5)
    assert texts.numpy() == pytest.approx(both.text_embeds.numpy(), abs=1e-5)
    assert known.tolist() == [[1], [1], [1]]
    assert np.abs(pictures[0] - pictures[1]).max() > 1e-3


TEXTS = ["", "receipt", "A Photo of an ID!", "a much longer text than the tower reads", "  a \n b "]


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_those_of_the_checkpoint(tmp_path, kind):
    folder = checkpoint(tmp_path / "checkpoint", KINDS[kind])
    text = Text.model_validate(siglip_spec(folder, KINDS[kind])["text"])
    served = tokens.Tokenizer.from_str(tokens.served(folder, text))

    found = [one.ids for one in served.encode_batch(TEXTS)]

    assert found == tokens.reference_ids(folder, text, TEXTS)
    assert {len(ids) for ids in found} == {16}
    pad = {"siglip": 1, "siglip2": 0}[kind]
    assert found[0] == [1] + [pad] * 15
    assert found[3][-1] == 1  # what is pooled: the end, also where a text was cut
    assert (3 in found[2]) is KINDS[kind].punctuation
