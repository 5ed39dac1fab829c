"""Triton's preprocessor makes of a picture what the SigLIP processor of Hugging Face does.

Bit for bit. The reference gets the picture as ours decodes it: turning it upright and putting it on
white are ours.
"""

import functools
import importlib
from pathlib import Path

import numpy as np
import pytest

from tests.model_repository.pictures import encoded, exif, painted

FOLDER = Path(__file__).parents[3] / "model_repository" / "image_preprocess" / "1"
LIMITS = (20_000_000, 40_000_000)  # bytes, pixels
SIZES = {
    "one pixel": (1, 1),
    "a line up": (1, 2000),
    "a line across": (3000, 2),
    "as it is": (224, 224),
    "a pixel off": (225, 223),
    "half": (448, 448),
    "an icon": (16, 16),
    "photo": (640, 480),
    "portrait": (333, 1000),
}
PICTURES = {
    f"{mode} {name}": (painted, (*size, mode), "PNG", {})
    for mode in ("RGB", "RGBA", "L", "LA", "P", "1", "I;16")
    for name, size in SIZES.items()
} | {
    "jpeg": (painted, (641, 479), "JPEG", {}),
    "jpeg grey": (painted, (300, 200, "L"), "JPEG", {}),
    "jpeg CMYK": (painted, (300, 200, "CMYK"), "JPEG", {}),
    "jpeg progressive on its side": (
        painted,
        (300, 200),
        "JPEG",
        {"progressive": True, "exif": exif(6)},
    ),
    "jpeg upside down": (painted, (97, 301), "JPEG", {"exif": exif(3)}),
    "webp": (painted, (301, 203), "WEBP", {}),
    "webp with alpha": (painted, (301, 203, "RGBA"), "WEBP", {"lossless": True}),
    "gif with a clear colour": (painted, (99, 203, "P"), "GIF", {"transparency": 5}),
    "12 megapixels": (painted, (4000, 3000), "JPEG", {}),
    "as long as it gets": (painted, (20, 65_000), "PNG", {}),
}


@functools.cache
def file(name):
    paint, arguments, form, options = PICTURES[name]
    return encoded(paint(*arguments), form, **options)


@pytest.fixture(scope="module")
def pixels():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield importlib.import_module("pixels")


@pytest.fixture(scope="module")
def siglip():
    pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
    transformers = pytest.importorskip("transformers")
    return transformers.models.siglip.SiglipImageProcessorPil


# As in the published preprocessor_config.json of the checkpoints named.
CASES = [
    pytest.param(
        {"resample": "bicubic", "mean": "0.5", "std": "0.5"},
        {"resample": 3, "image_mean": [0.5] * 3, "image_std": [0.5] * 3},
        id="siglip-base-patch16-224",
    ),
    pytest.param(
        {"resample": "bilinear", "mean": "0.5", "std": "0.5"},
        {"resample": 2, "image_mean": [0.5] * 3, "image_std": [0.5] * 3},
        id="siglip2-base-patch16-224",
    ),
    pytest.param(
        {"resample": "bicubic", "mean": "0.485,0.456,0.406", "std": "0.229,0.224,0.225"},
        {
            "resample": 3,
            "image_mean": [0.485, 0.456, 0.406],
            "image_std": [0.229, 0.224, 0.225],
        },
        id="a mean of each channel",
    ),
]


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize(("ours", "theirs"), CASES)
def test_pixels_are_those_of_the_reference(pixels, siglip, name, ours, theirs):
    data = file(name)
    limits = {"max_bytes": str(LIMITS[0]), "max_pixels": str(LIMITS[1])}
    settings = pixels.Settings.read({"size": "224", **ours, **limits})
    config = {
        "image_processor_type": "SiglipImageProcessor",
        "size": {"height": 224, "width": 224},
        "do_resize": True,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        **theirs,
    }

    found = pixels.Preprocessor(settings).pixels(data)

    picture = pixels.decode(data, *LIMITS)
    wanted = siglip.from_dict(config)(picture, return_tensors="np")["pixel_values"]
    assert found.dtype == wanted.dtype == np.float32
    assert found.tobytes() == wanted[0].tobytes()
