"""What each stage from an encoded picture to its embedding costs, in process, on one thread."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from perf.picture_files import Served, Size, photograph, screenshot, served

SIZES: tuple[Size, ...] = ((640, 480), (1920, 1080), (4000, 3000))
FORMATS: dict[str, Callable[[Size], bytes]] = {"jpeg": photograph, "png": screenshot}
STAGES = ("decode", "resize", "normalise", "forward")


def measure(rounds: int) -> dict[str, Any]:
    """CPU ms of each stage; pictures take turns, and the first round is not counted."""
    code = served()
    files = {
        f"{form} {width} x {height}": make((width, height))
        for width, height in SIZES
        for form, make in FORMATS.items()
    }
    found: dict[str, list[list[float]]] = {name: [] for name in files}
    for turn in range(rounds + 1):
        for name, data in files.items():
            found[name].append(_stages(code, data))
        print(f"stages, round {turn} of {rounds}", file=sys.stderr)
    return {name: _summary(files[name], rows[1:]) for name, rows in found.items()}


def _stages(code: Served, data: bytes) -> list[float]:
    """Milliseconds, in the order of STAGES."""
    marks = [time.thread_time()]
    picture = code.preprocessor.decoded(data)
    marks.append(time.thread_time())
    picture = code.preprocessor.resized(picture)
    marks.append(time.thread_time())
    pixels = code.preprocessor.scaled(picture)
    marks.append(time.thread_time())
    code.encoder.encode(pixels[None])
    marks.append(time.thread_time())
    return [1e3 * (end - begin) for begin, end in zip(marks, marks[1:], strict=False)]


def _summary(data: bytes, rows: list[list[float]]) -> dict[str, float]:
    columns = dict(zip(STAGES, zip(*rows, strict=True), strict=True))
    whole = [sum(row) for row in rows]
    return {
        "MB": round(len(data) / 1e6, 2),
        **{f"{name}, ms": round(median(of), 2) for name, of in columns.items()},
        "all, ms": round(median(whole), 2),
        "decode and resize, share": round(median((row[0] + row[1]) / sum(row) for row in rows), 3),
    }
