"""Files that are refused, and what stands beside a picture in one."""

import zlib

import pytest
from PIL import Image

from tests.model_repository.images.settings import BYTES
from tests.model_repository.pictures import FORMATS, chunk, encoded, painted, png

# What a damaged file makes Pillow warn of is no defect of ours.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


PLAIN = encoded(Image.new("RGB", (5, 4), "red"))
JPEG = encoded(painted(64, 48), "JPEG")
ONE_SCAN = JPEG[JPEG.rfind(b"\xff\xda") : -2]
VP8X = b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff"
GIF = b"GIF89a\x02\0\x02\0\x80\0\0" + bytes(6)
FRAME = b",\0\0\0\0\x02\0\x02\0\0\x02\x02L\x01\0;"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "empty", id="nothing"),
        pytest.param(b"hello", "of no known format; png, jpeg, webp and gif are read", id="text"),
        pytest.param(b"\0" * 100, "of no known format", id="zeros"),
        pytest.param(encoded(painted(4, 4), "BMP"), "BMP, which is not read", id="BMP"),
        pytest.param(encoded(painted(4, 4), "TIFF"), "TIFF, which is not read", id="TIFF"),
        pytest.param(encoded(painted(16, 16), "ICO"), "ICO, which is not read", id="ICO"),
        pytest.param(b"\0\0\0\x1cftypavif", "AVIF or HEIF, which is not read", id="AVIF"),
        pytest.param(b'<svg xmlns="x"/>', "SVG, which is not read", id="SVG"),
        pytest.param(
            b"\xef\xbb\xbf\n<?xml version='1.0'?>\n<!-- a -->\n<svg/>",
            "SVG, which is not read",
            id="SVG with a prologue",
        ),
        pytest.param(b"x" * (BYTES + 1), f"longer than {BYTES} bytes", id="too many bytes"),
        pytest.param(
            png((8_000, 5_001), 8, 0, b""), "8000 x 5001, more than 40000000 pixels", id="bomb"
        ),
        pytest.param(
            png((1, 65_536), 8, 0, b""), "1 x 65536, a side longer than 65535", id="thread"
        ),
        pytest.param(VP8X, "16777216 x 16777216, more than", id="webp canvas"),
        pytest.param(
            GIF + b",\xff\xff\xff\xff" + FRAME[5:],
            "65537 x 65537, more than",
            id="gif frame over the edge",
        ),
        pytest.param(png((0, 4), 8, 0, b""), "0 x 4: there are no pixels in it", id="no width"),
        pytest.param(png((4, 0), 8, 0, b""), "4 x 0: there are no pixels in it", id="no height"),
        pytest.param(
            GIF[:6] + bytes(4) + GIF[10:] + FRAME[:5] + bytes(4) + FRAME[9:],
            "0 x 0: there are no pixels in it",
            id="gif without area",
        ),
        pytest.param(
            b"RIFF\x1e\0\0\0WEBPVP8 \x12\0\0\0\0\0\0\x9d\x01*" + bytes(8),
            "0 x 0: there are no pixels in it",
            id="webp without area",
        ),
        pytest.param(PLAIN[:20], "a png that ends within its header", id="png cut in its header"),
        pytest.param(PLAIN[:45], "a png that cannot be decoded", id="png cut in its data"),
        pytest.param(
            png((2, 1), 8, 3, b"\0\0\1"),
            "a png that cannot be decoded: it is damaged",
            id="png without its palette",
        ),
        pytest.param(
            JPEG.replace(b"\xff\xc0", b"\xff\xc8"),
            "a jpeg that ends within its header",
            id="jpeg without a frame",
        ),
        pytest.param(
            PLAIN[:33] + chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(2_000_000))) + PLAIN[33:],
            "a png that cannot be decoded: Decompressed data too large",
            id="png with a text that is a bomb",
        ),
        pytest.param(JPEG[:30], "a jpeg that ends within its header", id="jpeg cut in its header"),
        pytest.param(
            JPEG[: len(JPEG) // 2],
            "a jpeg that cannot be decoded: image file is truncated",
            id="jpeg cut in its data",
        ),
        pytest.param(GIF[:9], "a gif that ends within its header", id="gif cut in its header"),
        pytest.param(GIF + b";", "a gif without a frame", id="gif without a frame"),
        pytest.param(VP8X[:20], "a webp that ends within its header", id="webp cut in its header"),
        pytest.param(
            encoded(painted(64, 48), "WEBP")[:200], "a webp that cannot be decoded", id="webp cut"
        ),
        pytest.param(
            b"RIFF\x1e\0\0\0WEBPALPH" + bytes(20), "a webp that does not begin", id="webp of alpha"
        ),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(40), "a png that does not begin", id="png body"),
        pytest.param(JPEG[:2] + PLAIN, "of no known format", id="png that says it is a jpeg"),
        pytest.param(
            PLAIN[:8] + JPEG, "a png that does not begin with IHDR", id="jpeg that says png"
        ),
        pytest.param(
            JPEG[:-2] + ONE_SCAN * 100 + JPEG[-2:], "a jpeg of more than 100 scans", id="scans"
        ),
        pytest.param(
            JPEG[:2] + b"\xff\xfe\0\2" * 5000 + JPEG[2:],
            "a jpeg of more than 4096 segments",
            id="segments",
        ),
        pytest.param(
            JPEG[:2] + b"\xff" * 1000 + JPEG[2:],
            "a jpeg with something between its segments",
            id="fill",
        ),
        pytest.param(
            PLAIN[:33] + chunk(b"tEXt", b"") * 70_000 + PLAIN[33:],
            "a png of more than 65536 chunks",
            id="chunks",
        ),
        pytest.param(
            GIF + b"!\xfe\x01x\0" * 5000 + FRAME,
            "a gif of more than 4096 blocks before its first frame",
            id="comments",
        ),
    ],
)
def test_refusals(code, decode, data, message):
    with pytest.raises(code["headers"].Unreadable) as caught:
        decode(data)

    assert str(caught.value).startswith(message)


def test_bounds_are_inclusive(code, decode):
    assert decode(PLAIN, max_bytes=len(PLAIN), max_pixels=20).shape == (4, 5, 3)
    with pytest.raises(code["headers"].Unreadable):
        decode(PLAIN, max_bytes=len(PLAIN) - 1)
    with pytest.raises(code["headers"].Unreadable):
        decode(PLAIN, max_pixels=19)


def test_what_follows_the_picture_is_not_read(decode):
    for form in FORMATS:
        picture = encoded(painted(9, 9), form)
        assert (decode(picture + b"trailing" * 9) == decode(picture)).all()


def test_remarks_of_a_gif_do_not_change_it(decode):
    plain = encoded(painted(6, 5).quantize(4), "GIF")
    table = 13 + (6 << (plain[10] & 7))
    remarks = b"!\xfe\x05hello\0!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0!\xfe\0!\x01\0"

    found = decode(plain[:table] + remarks + plain[table:])

    assert (found == decode(plain)).all()
