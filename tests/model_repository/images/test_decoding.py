"""What a file becomes before it is resized, by arithmetic done here."""

import struct

import numpy as np
import pytest
from PIL import Image

from tests.model_repository.pictures import FORMATS, encoded, exif, png

# What a damaged file makes Pillow warn of is no defect of ours.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def on_white(level, alpha):
    return round((level * alpha + 255 * (255 - alpha)) / 255)


GREY16 = struct.pack(">B4H", 0, 0x0000, 0x80FF, 0xFF00, 0xFFFF)
RGB16 = struct.pack(">B6H", 0, 0x12FF, 0x3400, 0x5680, 0xFFFF, 0, 0x0100)
LA16 = struct.pack(">B4H", 0, 0x40FF, 0xFFFF, 0x4000, 0x7F00)
PALETTE = (b"PLTE", bytes([255, 0, 0, 0, 255, 0, 0, 0, 255]))


@pytest.mark.parametrize(
    ("data", "pixels"),
    [
        pytest.param(
            png((2, 1), 8, 2, bytes(1) + bytes([1, 2, 3, 4, 5, 6])),
            [(1, 2, 3), (4, 5, 6)],
            id="RGB",
        ),
        pytest.param(png((2, 1), 8, 0, bytes([0, 7, 200])), [(7,) * 3, (200,) * 3], id="grey"),
        pytest.param(
            png((4, 1), 1, 0, bytes([0, 0b0110_0000])),
            [(0,) * 3, (255,) * 3, (255,) * 3, (0,) * 3],
            id="grey of 1 bit",
        ),
        pytest.param(
            png((4, 1), 2, 0, bytes([0, 0b0001_1011])),
            [(0,) * 3, (85,) * 3, (170,) * 3, (255,) * 3],
            id="grey of 2 bits",
        ),
        pytest.param(
            png((4, 1), 16, 0, GREY16),
            [(0,) * 3, (128,) * 3, (255,) * 3, (255,) * 3],
            id="grey of 16 bits: the higher byte",
        ),
        pytest.param(
            png((2, 1), 16, 2, RGB16), [(0x12, 0x34, 0x56), (255, 0, 1)], id="RGB of 16 bits"
        ),
        pytest.param(
            png((2, 1), 16, 4, LA16),
            [(0x40,) * 3, (on_white(0x40, 0x7F),) * 3],
            id="grey and alpha of 16 bits",
        ),
        pytest.param(
            png((3, 1), 8, 4, bytes([0, 10, 255, 10, 0, 10, 51])),
            [(10,) * 3, (255,) * 3, (206,) * 3],
            id="grey and alpha",
        ),
        pytest.param(
            png((2, 1), 8, 6, bytes([0, 200, 100, 0, 102, 9, 9, 9, 0])),
            [(233, 193, 153), (255, 255, 255)],
            id="RGBA",
        ),
        pytest.param(
            png((3, 1), 8, 3, bytes([0, 2, 1, 0]), PALETTE),
            [(0, 0, 255), (0, 255, 0), (255, 0, 0)],
            id="palette",
        ),
        pytest.param(
            png((3, 1), 8, 3, bytes([0, 0, 1, 2]), PALETTE, (b"tRNS", bytes([255, 0]))),
            [(255, 0, 0), (255, 255, 255), (0, 0, 255)],
            id="palette with a clear colour",
        ),
        pytest.param(
            png((3, 1), 8, 3, bytes([0, 0, 1, 2]), PALETTE, (b"tRNS", bytes([51, 204, 0]))),
            [(255, 204, 204), (51, 255, 51), (255, 255, 255)],
            id="palette with degrees of alpha",
        ),
        pytest.param(
            png((2, 1), 8, 0, bytes([0, 7, 8]), (b"tRNS", struct.pack(">H", 7))),
            [(255,) * 3, (8,) * 3],
            id="grey with a clear level",
        ),
        pytest.param(
            png((2, 1), 1, 0, bytes([0, 0b0100_0000]), (b"tRNS", struct.pack(">H", 0))),
            [(255,) * 3, (255,) * 3],
            id="grey of 1 bit with a clear level",
        ),
        pytest.param(
            png((4, 1), 2, 0, bytes([0, 0b0001_1011]), (b"tRNS", struct.pack(">H", 2))),
            [(0,) * 3, (85,) * 3, (255,) * 3, (255,) * 3],
            id="grey of 2 bits with a clear level",
        ),
        pytest.param(
            png((4, 1), 16, 0, GREY16, (b"tRNS", struct.pack(">H", 0x80FF))),
            [(0,) * 3, (255,) * 3, (255,) * 3, (255,) * 3],
            id="grey of 16 bits with a clear level",
        ),
        pytest.param(
            png((2, 1), 8, 2, bytes([0, 1, 2, 3, 4, 5, 6]), (b"tRNS", struct.pack(">3H", 1, 2, 3))),
            [(255, 255, 255), (4, 5, 6)],
            id="RGB with a clear colour",
        ),
        pytest.param(
            png((2, 1), 16, 2, RGB16, (b"tRNS", struct.pack(">3H", 0x12FF, 0x3400, 0x5680))),
            [(255, 255, 255), (255, 0, 1)],
            id="RGB of 16 bits with a clear colour",
        ),
        pytest.param(
            png((1, 1), 8, 2, bytes([0, 9, 8, 7]), (b"iCCP", b"x\0\0garbage")),
            [(9, 8, 7)],
            id="a colour profile is ignored",
        ),
    ],
)
def test_modes(decode, data, pixels):
    assert decode(data).tolist() == [[list(pixel) for pixel in pixels]]


@pytest.mark.parametrize(
    ("ink", "pixel"),
    [
        pytest.param((0, 0, 0, 0), (255, 255, 255), id="paper"),
        pytest.param((0, 0, 0, 255), (0, 0, 0), id="black"),
        pytest.param((255, 0, 0, 0), (0, 255, 255), id="cyan"),
        pytest.param((0, 0, 255, 51), (204, 204, 0), id="dark yellow"),
    ],
)
def test_cmyk(decode, ink, pixel):
    found = decode(encoded(Image.new("CMYK", (16, 16), ink), "JPEG", quality=100))

    assert np.abs(found.astype(int) - pixel).max() <= 2


@pytest.mark.parametrize("form", FORMATS)
def test_grey_of_every_format(decode, form):
    found = decode(encoded(Image.new("L", (16, 16), 130), form))

    assert found.shape == (16, 16, 3)
    assert np.abs(found.astype(int) - 130).max() <= 2


@pytest.mark.parametrize("lossless", [True, False])
def test_alpha_of_webp(decode, lossless):
    clear = Image.new("RGBA", (8, 8), (10, 20, 30, 0))
    clear.paste((255, 0, 0, 255), (0, 0, 8, 4))

    found = decode(encoded(clear, "WEBP", lossless=lossless)).astype(int)

    assert np.abs(found[0, 0] - (255, 0, 0)).max() <= 4
    assert found[7, 7].tolist() == [255, 255, 255]


def test_the_clear_colour_of_a_gif(decode):
    picture = Image.new("P", (2, 1))
    picture.putpalette([255, 0, 0, 0, 255, 0])
    picture.putpixel((1, 0), 1)

    found = decode(encoded(picture, "GIF", transparency=0, comment=b"x" * 3000))

    assert found.tolist() == [[[255, 255, 255], [0, 255, 0]]]


@pytest.mark.parametrize("form", ["PNG", "WEBP", "GIF"])
def test_of_an_animation_the_first_frame(decode, form):
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue", "green")]

    found = decode(encoded(frames[0], form, save_all=True, append_images=frames[1:]))

    assert np.abs(found.astype(int) - (255, 0, 0)).max() <= 2


# Where the first pixel of the stored rows [[a, b, c], [d, e, f]] and its neighbours end up.
TURNED = {
    1: ["abc", "def"],
    2: ["cba", "fed"],
    3: ["fed", "cba"],
    4: ["def", "abc"],
    5: ["ad", "be", "cf"],
    6: ["da", "eb", "fc"],
    7: ["fc", "eb", "da"],
    8: ["cf", "be", "ad"],
    9: ["abc", "def"],
    0: ["abc", "def"],
}
LETTERS = {letter: 40 * at for at, letter in enumerate("abcdef")}


@pytest.mark.parametrize("orientation", TURNED)
@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_orientation(decode, form, orientation):
    """Blocks of 16 pixels, so that what JPEG mixes stays within one."""
    stored = np.array([[LETTERS[letter] for letter in row] for row in ("abc", "def")], np.uint8)
    picture = Image.fromarray(stored.repeat(16, 0).repeat(16, 1)).convert("RGB")

    found = decode(encoded(picture, form, exif=exif(orientation)))[8::16, 8::16, 0]

    wanted = [[LETTERS[letter] for letter in row] for row in TURNED[orientation]]
    assert np.abs(found.astype(int) - wanted).max() <= 3


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"Exif\0\0", id="empty"),
        pytest.param(b"Exif\0\0garbage", id="garbage"),
        pytest.param(exif(6)[:-9], id="cut"),
        pytest.param(b"Exif\0\0MM\0*" + b"\xff" * 30, id="far away"),
    ],
)
def test_broken_exif_is_none(decode, body):
    assert decode(encoded(Image.new("RGB", (3, 2)), "JPEG", exif=body)).shape == (2, 3, 3)
