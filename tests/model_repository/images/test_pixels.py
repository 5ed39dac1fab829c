"""Resize and scaling, by arithmetic done here."""

import numpy as np
import pytest
from PIL import Image

from tests.model_repository.pictures import encoded, mutants, painted

# What a damaged file makes Pillow warn of is no defect of ours.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("size", [(1, 1), (1, 2000), (3000, 2), (224, 224), (225, 223), (50, 50)])
def test_a_plain_colour_stays_itself(preprocessor, size):
    red, green, blue = 255, 64, 0
    found = preprocessor().pixels(encoded(Image.new("RGB", size, (red, green, blue))))

    assert (found.shape, found.dtype) == ((3, 224, 224), np.float32)
    for channel, level in zip(found, (red, green, blue), strict=True):
        assert np.unique(channel).tolist() == pytest.approx([level / 127.5 - 1], abs=1e-7)


def test_scaling_is_per_channel_and_red_comes_first(preprocessor):
    build = preprocessor(size="2", mean="0.1,0.2,0.3", std="0.5,0.25,2")

    found = build.pixels(encoded(Image.new("RGB", (7, 9), (51, 102, 204))))

    assert found.shape == (3, 2, 2)
    wanted = [(0.2 - 0.1) / 0.5, (0.4 - 0.2) / 0.25, (0.8 - 0.3) / 2]
    assert found[:, 0, 0].tolist() == pytest.approx(wanted, abs=1e-6)


def test_the_range_is_that_of_a_trained_encoder(preprocessor):
    found = preprocessor().pixels(encoded(painted(300, 200)))

    assert (found.min(), found.max()) == (-1, 1)


def weights(into, out, support, kernel):
    """Rows of the matrix that resamples `into` pixels to `out`, antialiased when it shrinks."""
    scale = into / out
    stretch = max(scale, 1)
    centres = (np.arange(out) + 0.5) * scale
    distance = (np.arange(into) + 0.5 - centres[:, None]) / stretch
    rows = np.where(np.abs(distance) < support, kernel(np.abs(distance)), 0)
    return rows / rows.sum(1, keepdims=True)


def cubic(x):  # a = -0.5
    near, far = 1.5 * x**3 - 2.5 * x**2 + 1, -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
    return np.where(x < 1, near, far)


def triangle(x):
    return 1 - x


@pytest.mark.parametrize(
    ("name", "support", "kernel"), [("bicubic", 2, cubic), ("bilinear", 1, triangle)]
)
@pytest.mark.parametrize(
    "size", [pytest.param((70, 50), id="shrinks"), pytest.param((9, 5), id="grows")]
)
def test_the_resize_is_antialiased(preprocessor, name, support, kernel, size):
    """The definition of the filter in float64; Pillow rounds to levels after each direction."""
    picture = painted(*size)
    across = weights(size[0], 16, support, kernel)
    down = weights(size[1], 16, support, kernel)

    found = preprocessor(size="16", resample=name, mean="0", std="1").pixels(encoded(picture))

    once = np.einsum("ox,yxc->yoc", across, np.asarray(picture, float)).clip(0, 255)
    wanted = np.einsum("oy,yxc->cox", down, once).clip(0, 255)
    assert np.abs(found * 255 - wanted).max() <= 1.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"resample": "sharp"}, "resample is 'sharp'", id="filter"),
        pytest.param({"mean": "0.5,0.5"}, "not enough values", id="two means"),
        pytest.param({"std": "half"}, "could not convert", id="no number"),
    ],
)
def test_settings_that_make_no_sense(preprocessor, changes, message):
    with pytest.raises(ValueError, match=message):
        preprocessor(**changes)


def test_every_format_is_tried_at_load(code, preprocessor, monkeypatch):
    served = preprocessor()
    served.warm()
    monkeypatch.setitem(code["pixels"]._DECODERS, "webp", code["pixels"].PngImageFile)

    with pytest.raises(code["headers"].Unreadable, match="a webp that cannot be decoded"):
        served.warm()


def test_damaged_files_are_read_or_refused(code, preprocessor):
    served, outcomes = preprocessor(size="8"), {True: 0, False: 0}
    for data in mutants(1500, seed=3):
        try:
            assert np.isfinite(served.pixels(data)).all()
        except code["headers"].Unreadable:
            outcomes[False] += 1
        else:
            outcomes[True] += 1

    assert min(outcomes.values()) > 200  # both kinds are there
