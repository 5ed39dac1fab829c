"""Encoded pictures for tests: of every mode, of any size, damaged."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator
from io import BytesIO

import numpy as np
from PIL import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")


def encoded(picture: Image.Image, form: str = "PNG", **options: object) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, form, **options)
    return buffer.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    check = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)


def png(
    size: tuple[int, int], depth: int, colour: int, rows: bytes, *extra: tuple[bytes, bytes]
) -> bytes:
    """Written by hand, for what Pillow does not write. `rows`: each after its filter byte.

    `colour`: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA.
    """
    header = struct.pack(">IIBBBBB", *size, depth, colour, 0, 0, 0)
    parts = [(b"IHDR", header), *extra, (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def painted(width: int, height: int, mode: str = "RGB", seed: int = 0) -> Image.Image:
    """Smooth and noisy parts with sharp edges, so that every filter has something to do."""
    draw = np.random.default_rng(seed)
    across, down = np.meshgrid(np.linspace(0, 9, width), np.linspace(0, 7, height))
    waves = [127 + 120 * np.sin(across * k + down * (4 - k) + seed) for k in (1, 2, 3, 0.5)]
    levels = np.stack(waves, -1)
    levels[height // 3 : height // 2] = draw.integers(0, 256, levels.shape)[
        height // 3 : height // 2
    ]
    levels[:, width // 2 : width // 2 + 2] = 255
    picture = Image.fromarray(levels.clip(0, 255).astype(np.uint8))
    if mode == "I;16":
        sixteen = draw.integers(0, 65536, (height, width)).astype(np.uint16)
        return Image.fromarray(sixteen)
    if mode == "P":
        return picture.convert("RGB").quantize(60)
    return picture if mode == "RGBA" else picture.convert("RGB").convert(mode)


def mutants(number: int, seed: int = 0) -> Iterator[bytes]:
    """Damaged files of every format: bits, cuts, gaps, repeats, and lies in the header."""
    originals = [encoded(painted(40, 30, "RGBA").quantize(30), "GIF", transparency=3)]
    originals.append(encoded(painted(50, 20), "JPEG", progressive=True, exif=exif(6)))
    originals += [encoded(painted(33, 44, mode), "PNG") for mode in ("RGBA", "P", "I;16", "L")]
    originals += [encoded(painted(25, 25), form) for form in FORMATS]
    originals += [encoded(painted(20, 31, "RGBA"), "WEBP", lossless=flag) for flag in (True, False)]
    frames = [painted(20, 20, seed=at) for at in range(3)]
    for form in ("PNG", "WEBP", "GIF"):
        originals.append(encoded(frames[0], form, save_all=True, append_images=frames[1:]))
    draw = random.Random(seed)
    for at in range(number):
        yield _damaged(bytearray(originals[at % len(originals)]), draw)


def _damaged(data: bytearray, draw: random.Random) -> bytes:
    for _ in range(draw.choice((1, 1, 1, 2, 5, 30))):
        at = draw.randrange(len(data))
        early = draw.randrange(min(64, len(data)))  # where sizes and counts are
        match draw.randrange(7):
            case 0:
                data[at] ^= 1 << draw.randrange(8)
            case 1:
                del data[max(1, at) :]
            case 2:
                del data[at : at + draw.randrange(1, 40)]
            case 3:
                data[at:at] = data[at : at + draw.randrange(1, 40)]
            case 4:
                data[early] = draw.randrange(256)
            case 5:
                data[early : early + 2] = draw.choice((b"\xff\xff", b"\0\0", b"\x80\0"))
            case _:
                data[at : at + 8] = draw.randbytes(8)
        if len(data) < 2:
            break
    return mended(data) if draw.random() < 0.5 else bytes(data)


def mended(data: bytearray) -> bytes:
    """With the checksums of a png right again, or its decoder sees none of the damage."""
    at = 8
    while data[:4] == b"\x89PNG" and at + 12 <= len(data):
        stop = at + 8 + int.from_bytes(data[at : at + 4], "big")
        if stop + 4 > len(data):
            break
        data[stop : stop + 4] = struct.pack(">I", zlib.crc32(data[at + 4 : stop]))
        at = stop + 4
    return bytes(data)


def exif(orientation: int) -> bytes:
    """One entry, written by hand: tag 274, a short."""
    entry = struct.pack(">HHIHH", 274, 3, 1, orientation, 0)
    return b"Exif\0\0MM\0*" + struct.pack(">IH", 8, 1) + entry + bytes(4)
