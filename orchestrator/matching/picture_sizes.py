"""The format and the size that an encoded picture says it has, read off its first bytes.

Enough to refuse, before anything is sent, what the policy does not want. It proves nothing: the
preprocessor reads the whole container and decodes it (model_repository/image_preprocess).
"""

from __future__ import annotations

from collections.abc import Callable

Size = tuple[int, int]  # width, height in pixels

FORMATS = ("png", "jpeg", "webp", "gif")

# Of a jpeg, before its frame header; cameras write some twenty, thumbnails and profiles included.
_MOST_SEGMENTS = 4_096
_MOST_FILL = 64  # bytes 0xFF before a marker, its own included
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})  # TEM, RSTn, SOI
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # SOFn; the others are DHT, JPG, DAC


def kind_of(data: bytes) -> str | None:
    """One of FORMATS, or None for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    return "webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def size_of(data: bytes) -> Size | None:
    """None where the first bytes do not say."""
    kind = kind_of(data)
    return _READERS[kind](data) if kind else None


def _png(data: bytes) -> Size | None:
    if len(data) < 24 or data[12:16] != b"IHDR":
        return None
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def _gif(data: bytes) -> Size | None:
    """The canvas; a frame may be larger, which the preprocessor refuses."""
    if len(data) < 10:
        return None
    return _little(data[6:8]), _little(data[8:10])


def _webp(data: bytes) -> Size | None:
    if len(data) < 30:
        return None
    match data[12:16]:
        case b"VP8X":
            return 1 + _little(data[24:27]), 1 + _little(data[27:30])
        case b"VP8L":
            bits = _little(data[21:25])
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
    return None


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _jpeg(data: bytes) -> Size | None:
    at = 2
    for _ in range(_MOST_SEGMENTS):
        fill = data[at : at + _MOST_FILL]
        at += len(fill) - len(fill.lstrip(b"\xff"))
        marker, size = data[at : at + 1], data[at + 1 : at + 3]
        if len(size) < 2 or data[at - 1 : at] != b"\xff":
            return None
        if marker[0] in _FRAMES:
            height, width = data[at + 4 : at + 6], data[at + 6 : at + 8]
            return (int.from_bytes(width), int.from_bytes(height)) if len(width) == 2 else None
        at += 1 if marker[0] in _WITHOUT_LENGTH else 1 + max(2, int.from_bytes(size))
    return None


_READERS: dict[str, Callable[[bytes], Size | None]] = {
    "png": _png,
    "jpeg": _jpeg,
    "webp": _webp,
    "gif": _gif,
}
