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
        pytest.param(misshapen, r"out.weight is \[384, 255\], not \[384, 256\]", id="misshapen"),
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
        pytest.param("_conv_stem.weight", "missing stem.conv.weight", id="stem"),
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


def stages_of(package, pixels):
    """What leaves each stage, by the package's own blocks."""
    left = []
    for at in lite0.ENDS:
        package._blocks[at].register_forward_hook(lambda *given: left.append(given[-1]))
    package.extract_features(pixels)
    return left


def by_hand(values):
    """Means of the quarters, a middle line in both halves, and deviations."""
    side = values.shape[-1]
    halves = (slice(0, (side + 1) // 2), slice(side // 2, side))
    quarters = [values[:, :, one, two].mean((2, 3)) for one in halves for two in halves]
    means = np.stack(quarters, 2).reshape(len(values), -1)
    return np.concatenate([means, values.std((2, 3))], 1)


@pytest.mark.parametrize(
    ("side", "first"),
    [
        pytest.param(2, [0, 1, 2, 3], id="a pixel each"),
        pytest.param(3, [2, 3, 5, 6], id="odd: the middle line in both halves"),
        pytest.param(4, [2.5, 4.5, 10.5, 12.5], id="even"),
    ],
)
def test_quarters_of_a_channel_come_before_deviations(side, first):
    rising = torch.arange(side * side, dtype=torch.float32).reshape(1, 1, side, side)

    found = lite0.pooled(torch.cat([rising, rising * 0 + 7], 1))[0]

    assert found.tolist() == pytest.approx(
        [*first, 7, 7, 7, 7, float(rising.std(correction=0)), lite0.LEAST**0.5], abs=1e-5
    )


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
        wanted = stages_of(package, pixels)
        found = trunk(pixels)

    assert found.shape == (2, lite0.FEATURES)
    for at, stage in enumerate(wanted):
        own = found.split([lite0.NUMBERS * one.shape[1] for one in wanted], 1)[at]
        assert own.numpy() == pytest.approx(by_hand(stage.numpy()), abs=2e-4)
        assert own.std() > 0.1


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


@pytest.mark.parametrize(
    ("embedding", "logit", "known"),
    [
        pytest.param([0, 0, 0, 1], 9.0, 1 / 8, id="of no family more than of another"),
        pytest.param([1, 1, 0, 0], 9.0, 1 / 2, id="of one of two"),
        pytest.param([1, 0, 0, 0], -9.0, 0, id="of one, and yet none"),
        pytest.param([1, 0, 0, 0], 0.0, 1 / 2, id="it may be"),
        pytest.param([1, 0, 0, 0], 9.0, 1, id="surely this one"),
    ],
)
def test_known_is_how_surely_a_picture_is_of_the_family_that_wins(embedding, logit, known):
    projection = light.Projection()
    projection.families[0, 0] = projection.families[1, 1] = 1
    projection.sharpness.fill_(50.0)
    row = torch.nn.functional.normalize(torch.tensor([embedding + [0] * 380]).float(), dim=-1)

    found = projection.known(row, torch.tensor([[logit]]))

    assert found.tolist() == [[pytest.approx(known, abs=1e-3)]]


def test_what_is_written_is_read(tmp_path):
    path = random_projection(tmp_path / "light" / "projection.safetensors")

    again = light.read_projection(path)

    light.write_projection(again, tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()
