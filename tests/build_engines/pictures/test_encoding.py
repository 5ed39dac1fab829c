import io

import numpy as np
import pytest
from PIL import Image, ImageOps

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures.encoding import encode


def picture(side=120):
    levels = np.random.default_rng(3).integers(0, 255, (side // 8, side // 6, 3)).astype(np.uint8)
    return Image.fromarray(levels, "RGB").resize((side, side * 3 // 4))


@pytest.mark.parametrize(
    ("how", "format_", "mode"),
    [
        ("png", "PNG", "RGB"),
        ("png_palette", "PNG", "P"),
        ("png_alpha", "PNG", "RGBA"),
        ("png_grey", "PNG", "L"),
        ("png_grey_alpha", "PNG", "LA"),
        ("png_16", "PNG", "I;16"),
        ("png_bilevel", "PNG", "1"),
        ("jpeg", "JPEG", "RGB"),
        ("jpeg_grey", "JPEG", "L"),
        ("jpeg_cmyk", "JPEG", "CMYK"),
        ("jpeg_progressive", "JPEG", "RGB"),
        ("webp", "WEBP", "RGB"),
        ("webp_lossless", "WEBP", "RGB"),
        ("webp_alpha", "WEBP", "RGBA"),
        ("gif", "GIF", "P"),
    ],
)
def test_the_file_is_of_the_kind_asked_for(how, format_, mode):
    with Image.open(io.BytesIO(encode(picture(), how))) as image:
        assert (image.format, image.mode) == (format_, mode)


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_the_tag_turns_the_picture_upright(orientation):
    with Image.open(io.BytesIO(encode(picture(), f"jpeg_exif_{orientation}"))) as image:
        upright = ImageOps.exif_transpose(image)
    apart = np.abs(np.asarray(upright, float) - np.asarray(picture(), float))
    assert apart.mean() < 12


def test_an_animation_has_frames():
    with Image.open(io.BytesIO(encode(picture(), "gif_animated"))) as image:
        assert image.n_frames == 3


def test_a_large_file_becomes_small():
    noise = np.random.default_rng(1).integers(0, 255, (300, 400, 3)).astype(np.uint8)
    assert len(encode(Image.fromarray(noise, "RGB"), "png", 9_000)) <= 9_000


def test_another_kind_is_refused():
    with pytest.raises(KeyError):
        encode(picture(), "tiff")
