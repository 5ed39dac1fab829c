"""The image preprocessor without Triton: what a picture becomes, by arithmetic done here."""

import importlib
import json
import struct
import types
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.model_repository.pictures import FORMATS, chunk, encoded, exif, mutants, painted, png

FOLDER = Path(__file__).parents[2] / "model_repository" / "image_preprocess"
ROWS = (FOLDER / "config.pbtxt").read_text(encoding="utf-8").splitlines()
PARAMETERS = {
    part[1]: part[3] for part in (row.split('"') for row in ROWS if row.startswith("parameters"))
}
BYTES, PIXELS = int(PARAMETERS["max_bytes"]), int(PARAMETERS["max_pixels"])

# What a damaged file makes Pillow warn of is no defect of ours.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module", autouse=True)
def code():
    """The modules beside model.py, by name, imported as Triton imports them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER / "1"))
        yield {name: importlib.import_module(name) for name in ("headers", "pixels")}


@pytest.fixture
def preprocessor(code):
    def build(**changes):
        module = code["pixels"]
        return module.Preprocessor(module.Settings.read({**PARAMETERS, **changes}))

    return build


@pytest.fixture
def decode(code):
    def decoded(data, max_bytes=BYTES, max_pixels=PIXELS):
        picture = code["pixels"].decode(data, max_bytes, max_pixels)
        assert picture.mode == "RGB"
        return np.asarray(picture)

    return decoded


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


@pytest.fixture(scope="module")
def model(code):
    """model.py with Triton's module replaced by a small stand-in."""
    backend = types.ModuleType("triton_python_backend_utils")
    backend.get_input_tensor_by_name = lambda request, name: request.tensors[name]
    backend.Tensor = lambda name, array: types.SimpleNamespace(name=name, array=array)
    backend.TritonError = lambda message, code: types.SimpleNamespace(message=message, code=code)
    backend.TritonError.INVALID_ARG, backend.TritonError.CANCELLED = "invalid", "cancelled"
    backend.InferenceResponse = lambda outputs=(), error=None: types.SimpleNamespace(
        outputs=outputs, error=error
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(importlib.sys.modules, "triton_python_backend_utils", backend)
        patch.syspath_prepend(str(FOLDER / "1"))
        served = importlib.import_module("model").TritonPythonModel()
        del importlib.sys.modules["model"]  # it holds the stand-in
        yield served


def start(model, dims):
    parameters = {name: {"string_value": value} for name, value in PARAMETERS.items()}
    config = {"parameters": parameters, "output": [{"name": "PIXELS", "dims": dims}]}
    model.initialize({"model_config": json.dumps(config)})


def request(*rows, cancelled=False):
    array = np.array(rows, object).reshape(-1, 1)
    tensor = types.SimpleNamespace(as_numpy=lambda: array)
    return types.SimpleNamespace(tensors={"IMAGE": tensor}, is_cancelled=lambda: cancelled)


def test_a_bad_request_gets_an_error_and_its_neighbours_pixels(model, preprocessor):
    start(model, ["3", "224", "224"])
    requests = [
        request(PLAIN),
        request(JPEG, b"hello"),
        request(PLAIN, cancelled=True),
        request(JPEG, PLAIN),
    ]

    first, bad, cancelled, last = model.execute(requests)

    assert (bad.error.code, cancelled.error.code) == ("invalid", "cancelled")
    assert bad.error.message.startswith("IMAGE is of no known format")
    wanted = [preprocessor().pixels(data) for data in (PLAIN, JPEG)]
    assert (first.outputs[0].array == wanted[0]).all()
    assert (last.outputs[0].array == wanted[::-1]).all()
    assert last.outputs[0].array.dtype == np.float32


def test_a_size_that_is_not_the_outputs_does_not_load(model):
    with pytest.raises(ValueError, match="by the size they are"):
        start(model, [3, 256, 256])
