"""What decoding a jpeg at reduced size would save and cost. It is not done: it changes the pixels.

libjpeg can leave out the high frequencies of each block of 8 x 8 and so decode to a half, a quarter
or an eighth (Pillow: `draft`), the smallest that is no smaller than what is asked for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from io import BytesIO
from statistics import mean, median
from typing import Any

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from perf.picture_files import PICTURES, Served, encoded, enlarged, grained, opened, served, tiled

LONG_SIDE = 3000  # pixels
ASKED = {"at least the encoder's size": 1, "at least twice that": 2}
MADE: dict[str, Callable[[Image.Image, tuple[int, int]], Image.Image]] = {
    "enlarged": enlarged,
    "tiled": tiled,
}
ROUNDS = 8  # for all pictures; each round takes every eighth


def measure(rounds: int) -> dict[str, Any]:
    """Every picture of tests/pictures as a large jpeg. Ratios are medians over the pictures."""
    code = served()
    names = sorted(one.name for one in PICTURES.glob("*.*") if one.suffix not in (".json", ".md"))
    found: dict[str, list[dict[str, float]]] = {}
    for turn in range(rounds):
        for name in names[turn::ROUNDS]:
            for way, make in MADE.items():
                picture = opened(name)
                scale = LONG_SIDE / max(picture.size)
                size = round(picture.width * scale), round(picture.height * scale)
                data = encoded(grained(make(picture, size)), "JPEG")
                for asked, row in _compared(code, data).items():
                    found.setdefault(f"{way}, {asked}", []).append(row)
        print(f"reduced, round {turn + 1} of {rounds}", file=sys.stderr)
    return {"long side": LONG_SIDE, **{name: _summary(rows) for name, rows in found.items()}}


def _compared(code: Served, data: bytes) -> dict[str, dict[str, float]]:
    preprocessor = code.preprocessor
    begun = time.thread_time()
    whole = preprocessor.decoded(data)
    decoded = time.thread_time()
    whole = preprocessor.resized(whole)
    resized = time.thread_time()
    embedding, known = _seen(code, whole)
    found = {}
    for name, times in ASKED.items():
        side = times * whole.width
        start = time.thread_time()
        reduced = _reduced(data, side)
        middle = time.thread_time()
        small = preprocessor.resized(reduced)
        stop = time.thread_time()
        other, other_known = _seen(code, small)
        found[name] = {
            "decode": (decoded - begun) / (middle - start),
            "both": (resized - begun) / (stop - start),
            "cosine": float(embedding @ other),
            "known": abs(known - other_known),
        }
    return found


def _reduced(data: bytes, side: int) -> Image.Image:
    with JpegImageFile(BytesIO(data)) as picture:
        picture.draft("RGB", (side, side))
        picture.load()
        return picture


def _seen(code: Served, picture: Image.Image) -> tuple[Any, float]:
    seen = code.encoder.encode(code.preprocessor.scaled(picture)[None])
    return seen.embeddings[0], float(seen.known[0])


def _summary(rows: list[dict[str, float]]) -> dict[str, float]:
    return {
        "pictures": len(rows),
        "decode, whole / reduced": round(median(row["decode"] for row in rows), 2),
        "decode and resize, whole / reduced": round(median(row["both"] for row in rows), 2),
        "cosine, min": round(min(row["cosine"] for row in rows), 5),
        "cosine, mean": round(mean(row["cosine"] for row in rows), 5),
        "known, largest difference": round(max(row["known"] for row in rows), 4),
    }
