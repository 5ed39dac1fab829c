"""Pictures that a request carries inline: `data:image/png;base64,...` to bytes (RFC 2397, 4648).

Strict, and cheap before it is sure: the length is worked out before anything is decoded, base64 has
no blanks and its padding is right, the first bytes are what the URI declares. Pure.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass

from orchestrator.matching.picture_sizes import FORMATS, kind_of, size_of

SCHEME = "data:"
LONGEST_HEAD = 64  # characters up to the comma
# Characters that are decoded at once, in a millisecond or two: a thread lets others in between.
PIECE = 262_144
_HEAD = re.compile(r"data:image/([a-z0-9.+-]+);base64", re.IGNORECASE)
_READ = f"{', '.join(FORMATS[:-1])} and {FORMATS[-1]} are read"
_OTHER_WORDS = {"jpg": "jpeg"}


class PictureRefused(ValueError):
    """The message goes on from "the picture is", and quotes nothing of the picture."""


@dataclass(frozen=True, slots=True)
class Limits:
    max_bytes: int  # of the encoded file
    max_pixels: int  # width x height


@dataclass(frozen=True, slots=True)
class Image:
    data: bytes
    declared: str  # one of FORMATS


def decode(uri: str, limits: Limits) -> Image:
    """Raises PictureRefused."""
    comma = uri.find(",", 0, LONGEST_HEAD)
    head = _HEAD.fullmatch(uri, 0, max(comma, 0))
    if head is None:
        raise PictureRefused("in no data URI of the form data:image/png;base64,...")
    declared = head[1].lower()
    declared = _OTHER_WORDS.get(declared, declared)
    if declared not in FORMATS:
        raise PictureRefused(f"declared as {declared}, which is not read; {_READ}")
    data = _decoded(uri, comma + 1, limits.max_bytes)
    if declared != (kind := check(data, limits)):
        raise PictureRefused(f"declared as {declared} but is {kind}")
    return Image(data, declared)


def check(data: bytes, limits: Limits) -> str:
    """The format of an encoded picture, whatever anybody called it. Raises PictureRefused."""
    if not data:
        raise PictureRefused("empty")
    if len(data) > limits.max_bytes:
        raise PictureRefused(_too_large(len(data), limits.max_bytes))
    kind = kind_of(data)
    if kind is None:
        raise PictureRefused(f"of no format that is read; {_READ}")
    width, height = size_of(data) or (0, 0)  # what says no size is left to the preprocessor
    if width * height > limits.max_pixels:
        said = f"of {width} x {height} pixels, more than {limits.max_pixels} in all"
        raise PictureRefused(said)
    return kind


def _decoded(uri: str, start: int, max_bytes: int) -> bytes:
    length = len(uri) - start
    if length % 4:
        raise PictureRefused("not in whole base64: its padding is wrong, or it is cut short")
    padding = 0 if not length else 2 if uri.endswith("==") else uri.endswith("=")
    size = length // 4 * 3 - padding
    if size > max_bytes:
        raise PictureRefused(_too_large(size, max_bytes))
    data = bytearray()
    try:
        for at in range(start, len(uri), PIECE):
            data += binascii.a2b_base64(uri[at : at + PIECE], strict_mode=True)
    except ValueError:  # binascii.Error is one; another is said of what is not ASCII
        raise PictureRefused("not in base64") from None
    if len(data) != size:  # padding within, or more of it than belongs there
        raise PictureRefused("not in base64: its padding is wrong")
    return bytes(data)


def _too_large(size: int, most: int) -> str:
    return f"of {size} bytes, more than {most}"
