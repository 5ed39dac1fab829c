"""Files of the pictures in tests/pictures after something has happened to them.

Blind damage is in `pictures.mutants`; what is here knows where a format keeps its sizes and how it
is cut into parts, so that more of it gets past the header and into a decoder.
"""

from __future__ import annotations

import random
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.model_repository.pictures import chunk, mended

Draw = random.Random
Mutation = Callable[[bytes, bytes, Draw], bytes]  # of a file and another one

PICTURES = Path(__file__).parents[1] / "pictures"
STARTS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\xff\0\0\0WEBPVP8 ")
# Sides of a picture; two of them make none, one line, just what is allowed, a bomb, an overflow.
SIDES = (0, 1, 2, 17, 224, 6_324, 6_325, 16_383, 40_000, 65_535, 65_536, 2**31 - 1, 2**32 - 1)
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9"/></svg>',
    b'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>',
    b'\xef\xbb\xbf <svg><image href="file:///etc/passwd"/><script>alert(1)</script></svg>',
)


def corpus() -> dict[str, bytes]:
    """By file name, in its order."""
    files = sorted(PICTURES.glob("*.*"))
    return {one.name: one.read_bytes() for one in files if one.suffix not in {".json", ".md"}}


def mutations(number: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """What was done, and the file. All kinds equally often, over all pictures."""
    draw, files = Draw(seed), list(corpus().values())
    for at in range(number):
        mutation = MUTATIONS[at % len(MUTATIONS)]
        data = mutation(draw.choice(files), draw.choice(files), draw)
        if draw.random() < 0.7:  # else a png's decoder sees none of the damage
            data = mended(bytearray(data))
        yield mutation.__name__, data


def flipped_bits(data: bytes, other: bytes, draw: Draw) -> bytes:
    changed = bytearray(data)
    reach = draw.choice((64, 700, len(data)))  # headers and tables, or anywhere
    for _ in range(draw.choice((1, 2, 8, 64))):
        changed[draw.randrange(min(reach, len(data)))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def cut_short(data: bytes, other: bytes, draw: Draw) -> bytes:
    return data[: draw.choice((draw.randrange(40), draw.randrange(len(data)), len(data) - 1))]


def zeroed(data: bytes, other: bytes, draw: Draw) -> bytes:
    at, length = draw.randrange(len(data)), draw.choice((1, 16, 512, len(data)))
    return data[:at] + bytes(len(data[at : at + length])) + data[at + length :]


def without_its_start(data: bytes, other: bytes, draw: Draw) -> bytes:
    return data[draw.choice((1, 2, 8, 20, 100)) :]


def spliced(data: bytes, other: bytes, draw: Draw) -> bytes:
    """The head of one and the tail of another, of any two formats."""
    return data[: draw.randrange(len(data))] + other[draw.randrange(len(other)) :]


def doubled_parts(data: bytes, other: bytes, draw: Draw) -> bytes:
    found = parts(data)
    at = draw.randrange(len(found))
    found[at:at] = found[at : at + draw.randrange(1, 4)] * draw.choice((1, 2, 200))
    return b"".join(found)


def missing_parts(data: bytes, other: bytes, draw: Draw) -> bytes:
    found = parts(data)
    del found[draw.randrange(len(found))]
    return b"".join(found)


def shuffled_parts(data: bytes, other: bytes, draw: Draw) -> bytes:
    first, *rest = parts(data)
    draw.shuffle(rest)
    return b"".join([first, *rest])


def borrowed_parts(data: bytes, other: bytes, draw: Draw) -> bytes:
    """A part of another picture in the place of one of its own."""
    found = parts(data)
    found[draw.randrange(len(found))] = draw.choice(parts(other))
    return b"".join(found)


def wrong_lengths(data: bytes, other: bytes, draw: Draw) -> bytes:
    """Of a part, where png and jpeg, webp and gif write them."""
    found = parts(data)
    at = draw.randrange(len(found))
    part, place = found[at], 4 if data.startswith(b"RIFF") else 2
    lie = draw.choice((b"\0\0", b"\0\1", b"\xff\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff"))
    place = 0 if data.startswith(b"\x89PNG") else place
    found[at] = part[:place] + lie + part[place + len(lie) :]
    return b"".join(found)


def wrong_size(data: bytes, other: bytes, draw: Draw) -> bytes:
    """Another width and height in the header, true to its format."""
    return _resized(data, draw.choice(SIDES), draw.choice(SIDES))


def just_allowed(data: bytes, other: bytes, draw: Draw) -> bytes:
    """As many pixels as are read, of which there are only some."""
    return _resized(data, *draw.choice(((6_324, 6_324), (40_000, 1_000), (610, 65_535))))


def garbage(data: bytes, other: bytes, draw: Draw) -> bytes:
    return draw.choice(STARTS) + draw.randbytes(draw.choice((0, 3, 40, 4_000)))


def no_picture(data: bytes, other: bytes, draw: Draw) -> bytes:
    texts = (b"", b"\0", b"hello", b"<html><body>a picture</body></html>", b"%PDF-1.7\n", *SVG)
    return draw.choice(texts)


def nested(data: bytes, other: bytes, draw: Draw) -> bytes:
    """A whole picture within another, after it, or under its first bytes."""
    found = parts(data)
    at = draw.randrange(1, len(found) + 1)
    inner = draw.choice((other, chunk(b"IDAT", zlib.compress(other)), chunk(b"eXIf", other)))
    return draw.choice((b"".join([*found[:at], inner, *found[at:]]), data[:12] + other))


def animated(data: bytes, other: bytes, draw: Draw) -> bytes:
    """Frames of two pictures, and then damage among them."""
    frames = [Image.open(BytesIO(one)).convert("RGB").resize((60, 45)) for one in (data, other)]
    buffer = BytesIO()
    form = draw.choice(("PNG", "WEBP", "GIF"))
    frames[0].save(buffer, form, save_all=True, append_images=frames * draw.choice((1, 9)))
    damage = draw.choice((flipped_bits, cut_short, doubled_parts, shuffled_parts, wrong_size))
    return damage(buffer.getvalue(), other, draw)


MUTATIONS: tuple[Mutation, ...] = (
    *(flipped_bits, cut_short, zeroed, without_its_start, spliced, doubled_parts, missing_parts),
    *(shuffled_parts, borrowed_parts, wrong_lengths, wrong_size, just_allowed, garbage),
    *(no_picture, nested, animated),
)


def parts(data: bytes) -> list[bytes]:
    """Chunks, segments or blocks; the first one holds the start of the file. Never empty."""
    match data[:4]:
        case b"\x89PNG":
            return _chunks(data, 8, lambda at: 12 + int.from_bytes(data[at : at + 4], "big"))
        case b"RIFF":
            return _chunks(data, 12, lambda at: 8 + int.from_bytes(data[at + 4 : at + 8], "little"))
        case b"GIF8":
            return [one for one in re.split(rb"(?=!\xf9\x04|!\xff\x0b|,\0\0)", data) if one]
    return [one for one in re.split(rb"(?=\xff[\x01-\xcf\xd9-\xfe])", data) if one] or [data]


def _chunks(data: bytes, start: int, length: Callable[[int], int]) -> list[bytes]:
    found, at = [data[:start]], start
    while at < len(data):
        stop = at + length(at)
        found.append(data[at:stop])
        at = stop
    return found


def _resized(data: bytes, width: int, height: int) -> bytes:
    changed = bytearray(data)
    small = struct.pack("<HH", width & 0xFFFF, height & 0xFFFF)
    match data[:4]:
        case b"\x89PNG":
            changed[16:24] = struct.pack(">II", width & 0xFFFFFFFF, height & 0xFFFFFFFF)
        case b"GIF8":
            changed[6:10] = small
            frame = data.find(b",\0\0")
            changed[frame + 5 : frame + 9] = small
        case b"RIFF" if data[12:16] == b"VP8X":
            changed[24:30] = (width & 0xFFFFFF).to_bytes(3, "little") * 2
        case b"RIFF":
            changed[26:30] = small
        case _:
            if found := re.search(rb"\xff[\xc0-\xc2]\0.\x08", data, re.DOTALL):
                changed[found.end() : found.end() + 4] = small[3:1:-1] + small[1::-1]
    return bytes(changed)
