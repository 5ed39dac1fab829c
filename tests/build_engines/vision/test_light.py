"""The network of the light default: strict weights, and the package's own features."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import torch
from efficientnet_lite_pytorch import EfficientNet
from safetensors.torch import load_file, save_file

from build_engines import weights
from build_engines.errors import WeightsError
from build_engines.kinds import job_of
from build_engines.vision import families, light, lite0
from tests.build_engines.vision.conftest import random_projection, spread


@pytest.fixture(scope="module")
def trunk_path():
    job = job_of("vision_encoder")
    return families.trunk_of(job, weights.find(job.spec, job.root).folder)


def missing(tensors):
    del tensors["known_out.bias"]


def unexpected(tensors):
    tensors["hidden.scale"] = torch.ones(1)


def misshapen(tensors):
    tensors["out.weight"] = tensors["out.weight"][:, :-1].contiguous()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(missing, "missing known_out.bias", id="missing"),
        pytest.param(unexpected, "unexpected hidden.scale", id="unexpected"),
        pytest.param(misshapen, r"out.weight is \[384, 511\], not \[384, 512\]", id="misshapen"),
    ],
)
def test_a_wrong_tensor_of_the_projection_is_named(tmp_path, spoil, message):
    path = random_projection(tmp_path / "projection.safetensors")
    tensors = load_file(path)
    spoil(tensors)
    save_file(tensors, path)

    with pytest.raises(WeightsError, match=message):
        light.read_projection(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param(
            "_blocks.3._bn1.running_var", "missing blocks.3.depthwise.norm.running_var", id="norm"
        ),
        pytest.param("_conv_head.weight", "missing head.conv.weight", id="head"),
    ],
)
def test_a_trunk_without_a_tensor_is_refused(tmp_path, trunk_path, name, message):
    tensors = torch.load(trunk_path, map_location="cpu", weights_only=True)
    del tensors[name]
    torch.save(tensors, tmp_path / "bad.pth")

    with pytest.raises(WeightsError, match=message):
        lite0.load(tmp_path / "bad.pth")


def test_a_trunk_with_one_more_is_refused(tmp_path, trunk_path):
    tensors = torch.load(trunk_path, map_location="cpu", weights_only=True)
    torch.save(tensors | {"_blocks.0._se_reduce.bias": torch.ones(8)}, tmp_path / "bad.pth")

    with pytest.raises(WeightsError, match="unexpected _blocks.0._se_reduce.bias"):
        lite0.load(tmp_path / "bad.pth")


@pytest.mark.parametrize("folded", [False, True], ids=["as read", "folded"])
def test_features_are_those_of_the_package(trunk_path, folded):
    pixels = torch.from_numpy(spread(2, 224))
    package = EfficientNet.from_name("efficientnet-lite0")
    package.load_state_dict(torch.load(trunk_path, map_location="cpu", weights_only=True))
    package.train(False)
    trunk = lite0.load(trunk_path)
    if folded:
        trunk.fold()

    with torch.inference_mode():
        wanted = package.extract_features(pixels).mean((2, 3)).numpy()
        found = trunk(pixels).numpy()

    assert found.shape == (2, lite0.FEATURES)
    assert np.abs(found - wanted).max() < 1e-4
    assert wanted.std() > 0.1


class Recording(torch.nn.Module):
    def forward(self, values):
        self.taken = values
        return torch.zeros(len(values), lite0.FEATURES)


def test_pixels_become_what_the_trunk_was_trained_on(trunk_path, tmp_path):
    network = light.load(trunk_path, random_projection(tmp_path / "projection.safetensors"))
    network.trunk = Recording()
    levels = torch.tensor([0.0, 127, 128, 255]).reshape(1, 1, 2, 2).expand(1, 3, 2, 2)

    network.features((levels / 255 - 0.5) / 0.5)

    assert network.trunk.taken.numpy() == pytest.approx(((levels - 127) / 128).numpy(), abs=1e-6)


def test_answers_are_of_length_1_and_between_0_and_1(trunk_path, tmp_path):
    network = light.load(trunk_path, random_projection(tmp_path / "projection.safetensors"))

    with torch.inference_mode():
        embedding, known = network(torch.from_numpy(spread(3, 64)))

    assert embedding.norm(dim=-1).numpy() == pytest.approx(1, abs=1e-5)
    assert known.shape == (3, 1)
    assert ((known > 0) & (known < 1)).all()


def test_what_is_written_is_read(tmp_path):
    path = random_projection(tmp_path / "light" / "projection.safetensors")

    again = light.read_projection(path)

    light.write_projection(again, tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()
