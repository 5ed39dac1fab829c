"""What an encoded picture says of itself before it is decoded: its format and its size.

Goes by the bytes alone, never by a name or a declared type. Refuses what is cheap to send and dear
to decode, as far as the container shows it; what lies inside is the decoder's.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

FORMATS = ("png", "jpeg", "webp", "gif")

# A segment, chunk or block costs a decoder some microseconds, however short it is.
MAX_CHUNKS = 65_536  # png; encoders cut 20 MB of IDAT into some 2,500
MAX_SEGMENTS = 4_096  # jpeg, gif before its first frame; 20 MB of full jpeg segments are 310
# Every scan of a progressive jpeg goes over the whole picture; encoders write about 10.
MAX_SCANS = 100
MAX_FILL = 64  # bytes between two segments of a jpeg before the first scan
# A jpeg or gif cannot say more. A png can, and the filter of a resize is as long as a side.
MAX_SIDE = 65_535

_START = (
    ("png", re.compile(rb"\x89PNG\r\n\x1a\n")),
    ("jpeg", re.compile(rb"\xff\xd8\xff")),
    ("webp", re.compile(rb"RIFF....WEBP", re.DOTALL)),
    ("gif", re.compile(rb"GIF8[79]a")),
    ("TIFF", re.compile(rb"II[*+]\0|MM\0[*+]")),
    ("BMP", re.compile(rb"BM")),
    ("ICO", re.compile(rb"\0\0[\1\2]\0")),
    ("AVIF or HEIF", re.compile(rb"....ftyp(?:avi|hei|hev|mif|msf)", re.DOTALL)),
    ("JPEG XL", re.compile(rb"\xff\x0a|\0\0\0\x0cJXL ")),
    ("PDF", re.compile(rb"%PDF")),
    ("SVG", re.compile(rb"(?:\xef\xbb\xbf)?\s{0,256}<(?:svg|[?!].{0,1024}<svg)", re.DOTALL)),
)
_MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")  # not a stuffed byte, restart or fill
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # SOFn; the others are DHT, JPG, DAC


class Unreadable(ValueError):
    """A picture that is not read; the message says why and goes on from `IMAGE is `."""


@dataclass(frozen=True, slots=True)
class Header:
    """Of one picture. `data` is what to decode: the file, of a gif without its remarks."""

    format: str  # one of FORMATS
    width: int
    height: int
    data: bytes

    def check(self, max_pixels: int) -> "Header":
        """Raises Unreadable where there are no pixels, or too many."""
        check_size(self.width, self.height, max_pixels)
        return self


def check_size(width: int, height: int, max_pixels: int) -> None:
    if width < 1 or height < 1:
        raise Unreadable(f"{width} x {height}: there are no pixels in it")
    if width * height > max_pixels:
        raise Unreadable(f"{width} x {height}, more than {max_pixels} pixels")
    if max(width, height) > MAX_SIDE:
        raise Unreadable(f"{width} x {height}, a side longer than {MAX_SIDE} pixels")


def read_header(data: bytes) -> Header:
    """Raises Unreadable: another format, a header cut short, too many parts."""
    found = next((name for name, start in _START if start.match(data)), None)
    known = f"{', '.join(FORMATS[:-1])} and {FORMATS[-1]} are read"
    if found is None:
        raise Unreadable(f"of no known format; {known}")
    if found not in FORMATS:
        raise Unreadable(f"{found}, which is not read; {known}")
    try:
        return _READERS[found](data)
    except IndexError:
        raise Unreadable(f"a {found} that ends within its header") from None


def _number(data: bytes, at: int, size: int, order: str = "<") -> int:
    """Unsigned. Raises IndexError beyond the end, as an index does."""
    part = data[at : at + size]
    if len(part) < size:
        raise IndexError
    return int.from_bytes(part, "little" if order == "<" else "big")


def _png(data: bytes) -> Header:
    if data[12:16] != b"IHDR":
        raise Unreadable("a png that does not begin with IHDR")
    header = Header("png", _number(data, 16, 4, ">"), _number(data, 20, 4, ">"), data)
    at, chunks = 8, 0
    while at + 8 <= len(data) and data[at + 4 : at + 8] != b"IEND":
        at += 12 + _number(data, at, 4, ">")
        chunks += 1
        if chunks > MAX_CHUNKS:
            raise Unreadable(f"a png of more than {MAX_CHUNKS} chunks")
    return header


def _jpeg(data: bytes) -> Header:
    at, segments, scans, size = 2, 0, 0, None
    while found := _MARKER.search(data, at):
        marker = data[found.start() + 1]
        if scans == 0 and found.start() - at > MAX_FILL:
            raise Unreadable("a jpeg with something between its segments")
        at = found.end()
        segments += 1
        if segments > MAX_SEGMENTS:
            raise Unreadable(f"a jpeg of more than {MAX_SEGMENTS} segments")
        if marker == 0xD9:  # EOI
            break
        if marker in (0x01, 0xD8):  # TEM, SOI: they carry nothing
            continue
        if marker in _FRAMES:
            size = _number(data, at + 5, 2, ">"), _number(data, at + 3, 2, ">")
        scans += marker == 0xDA  # SOS
        if scans > MAX_SCANS:
            raise Unreadable(f"a jpeg of more than {MAX_SCANS} scans")
        at += max(2, _number(data, at, 2, ">"))
    if size is None:
        raise Unreadable("a jpeg that ends within its header")
    return Header("jpeg", *size, data)


def _webp(data: bytes) -> Header:
    match data[12:16]:
        case b"VP8X":
            width, height = 1 + _number(data, 24, 3), 1 + _number(data, 27, 3)
        case b"VP8L":
            bits = _number(data, 21, 4)
            width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = _number(data, 26, 2) & 0x3FFF, _number(data, 28, 2) & 0x3FFF
        case _:
            raise Unreadable("a webp that does not begin with a picture")
    return Header("webp", width, height, data)


def _gif(data: bytes) -> Header:
    """Extensions before the first frame are left out of `data`, save what makes it transparent.

    Joining comments costs a decoder the square of their number.
    """
    width, height, flags = _number(data, 6, 2), _number(data, 8, 2), data[10]
    tables = 13 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
    at, blocks, control = tables, 0, b""
    while data[at] == 0x21:  # an extension
        start, at = at, at + 2
        while data[at]:
            at += 1 + data[at]
            blocks += 1
        at += 1
        blocks += 1
        if data[start + 1] == 0xF9:  # graphic control; the last one counts
            control = data[start:at] if at - start == 8 else b""
        if blocks > MAX_SEGMENTS:
            raise Unreadable(f"a gif of more than {MAX_SEGMENTS} blocks before its first frame")
    if data[at] != 0x2C:
        raise Unreadable("a gif without a frame")
    # A frame that reaches over the edge makes the picture larger.
    right = _number(data, at + 1, 2) + _number(data, at + 5, 2)
    bottom = _number(data, at + 3, 2) + _number(data, at + 7, 2)
    shown = data[:tables] + control + data[at:]
    return Header("gif", max(width, right), max(height, bottom), shown)


_READERS: dict[str, Callable[[bytes], Header]] = {
    "png": _png,
    "jpeg": _jpeg,
    "webp": _webp,
    "gif": _gif,
}
