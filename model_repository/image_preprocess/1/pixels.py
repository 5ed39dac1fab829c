"""Encoded pictures into what a vision encoder reads: decode, upright, flatten, resize, scale.

Knows nothing of Triton, so that the tests and the engine builder run exactly this code. What comes
after decoding equals the image processor of Hugging Face's SigLIP (its Pillow path) bit for bit.
"""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import numpy.typing as npt
from headers import Header, Unreadable, check_size, read_header
from PIL import ExifTags, Image, ImageFile
from PIL.GifImagePlugin import GifImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

Floats = npt.NDArray[np.float32]
Triple = tuple[float, float, float]

# Only these decoders ever see a file.
_DECODERS: dict[str, type[ImageFile.ImageFile]] = {
    "png": PngImageFile,
    "jpeg": JpegImageFile,
    "webp": WebPImageFile,
    "gif": GifImageFile,
}
_FILTERS = {"bicubic": Image.Resampling.BICUBIC, "bilinear": Image.Resampling.BILINEAR}
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# What Pillow's decoders raise over a damaged file; its documentation promises less.
_BROKEN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    Image.DecompressionBombError,
    struct.error,
    zlib.error,
)
# Of these, what speaks of the file; the others name the decoder's own insides.
_SPEAKING = (OSError, SyntaxError, ValueError, Image.DecompressionBombError)
_REASON = 120  # characters of the decoder's own message


@dataclass(frozen=True, slots=True)
class Settings:
    """The `parameters` of config.pbtxt."""

    size: int  # pixels, both sides of the result
    resample: Image.Resampling
    mean: Triple  # of red, green, blue, where 0 is black and 1 is full
    std: Triple
    max_bytes: int  # of an encoded file
    max_pixels: int  # of a picture, as its header says

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> "Settings":
        """`mean` and `std` are one number or three with commas. Raises KeyError or ValueError."""
        if (resample := parameters["resample"]) not in _FILTERS:
            raise ValueError(f"resample is {resample!r}; known: {', '.join(_FILTERS)}")
        return cls(
            size=int(parameters["size"]),
            resample=_FILTERS[resample],
            mean=_triple(parameters["mean"]),
            std=_triple(parameters["std"]),
            max_bytes=int(parameters["max_bytes"]),
            max_pixels=int(parameters["max_pixels"]),
        )


def _triple(text: str) -> Triple:
    values = [float(part) for part in text.split(",")]
    red, green, blue = values * 3 if len(values) == 1 else values
    return red, green, blue


class Preprocessor:
    """Files in, pixels out, one at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # There are 256 levels; these are the operations, types and order of the reference.
        levels = (np.arange(256) * (1 / 255)).astype(np.float32)
        mean, std = (np.array(each, np.float32) for each in (settings.mean, settings.std))
        self._scaled: Floats = (levels - mean[:, None]) / std[:, None]  # [channels, levels]

    def pixels(self, data: bytes) -> Floats:
        """[3, size, size] of an encoded picture. Raises Unreadable."""
        return self.scaled(self.resized(self.decoded(data)))

    def decoded(self, data: bytes) -> Image.Image:
        """See `decode`."""
        return decode(data, self._settings.max_bytes, self._settings.max_pixels)

    def resized(self, picture: Image.Image) -> Image.Image:
        size = self._settings.size
        return picture.resize((size, size), self._settings.resample)

    def scaled(self, picture: Image.Image) -> Floats:
        """Of one that has the right size."""
        levels = np.asarray(picture)
        return np.stack([self._scaled[at][levels[:, :, at]] for at in range(3)])

    def warm(self) -> None:
        """Read a picture of every format. Raises OSError or KeyError where Pillow lacks a codec."""
        for name in _DECODERS:
            buffer = BytesIO()
            Image.new("RGB", (1, 1)).save(buffer, name)
            self.pixels(buffer.getvalue())


def decode(data: bytes, max_bytes: int, max_pixels: int) -> Image.Image:
    """The first frame, upright, as a person sees it on a white page: mode RGB. Raises Unreadable.

    Colour profiles are ignored: a vision encoder was trained on pictures read without them.
    """
    if not data:
        raise Unreadable("empty")
    if len(data) > max_bytes:
        raise Unreadable(f"longer than {max_bytes} bytes")
    header = read_header(data).check(max_pixels)
    try:
        flat, orientation = _decoded(header, max_pixels)
    except Unreadable:
        raise
    except _BROKEN as error:
        raise Unreadable(f"a {header.format} that cannot be decoded: {_reason(error)}") from error
    return flat.transpose(_UPRIGHT[orientation]) if orientation in _UPRIGHT else flat


def _decoded(header: Header, max_pixels: int) -> tuple[Image.Image, object]:
    """A function of its own, so that what was decoded is gone before a picture is turned."""
    with _DECODERS[header.format](BytesIO(header.data)) as picture:
        # The decoder goes by what it read itself.
        check_size(*picture.size, max_pixels)
        picture.load()
        return _flatten(picture, header), _orientation(picture)


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it takes more memory than there is"
    # Of what its parsers stumble over Pillow makes a SyntaxError with the same words.
    stumbled = isinstance(error, SyntaxError) and error.__cause__ is not None
    speaks = isinstance(error, _SPEAKING) and not stumbled
    reason = str(error)[:_REASON] if speaks else ""
    # What Pillow says of a header from which neither size nor mode comes.
    return "it is damaged" if reason in ("", "not identified by this driver") else reason


def _orientation(picture: Image.Image) -> object:
    """1 to 8 of EXIF, or whatever else stands there; None without. Broken EXIF counts as none."""
    try:
        return picture.getexif().get(ExifTags.Base.Orientation)
    except _BROKEN:
        return None


def _flatten(picture: Image.Image, header: Header) -> Image.Image:
    if header.format == "png" and "transparency" in picture.info:
        picture.info["transparency"] = _transparent(picture, depth=header.data[24])
    if picture.mode == "I;16":
        picture = _eight_bits(picture)
    # Converting to the mode that it has would copy it.
    if not picture.has_transparency_data:
        return picture if picture.mode == "RGB" else picture.convert("RGB")
    layer = picture if picture.mode == "RGBA" else picture.convert("RGBA")
    page = Image.new("RGB", layer.size, "white")
    page.paste(layer, mask=layer.getchannel("A"))
    return page


def _transparent(picture: Image.Image, depth: int) -> object:
    """The level or colour that is clear, in the levels that Pillow decodes to."""
    clear = picture.info["transparency"]
    if picture.mode == "L" and depth < 8:
        return clear * (255 // (2**depth - 1))
    if picture.mode == "RGB" and depth == 16:
        return tuple(level >> 8 for level in clear)
    return clear


def _eight_bits(picture: Image.Image) -> Image.Image:
    """Grey of 16 bits without its lower byte, which is what Pillow does to colours of 16 bits."""
    levels = np.asarray(picture)
    grey = Image.fromarray((levels >> 8).astype(np.uint8))
    if (clear := picture.info.get("transparency")) is not None:
        grey.putalpha(Image.fromarray(np.where(levels == clear, 0, 255).astype(np.uint8)))
    return grey
