"""Strokes of the pen: letters as skeletons, and words of scripts that are only made to look so.

`skeletons.txt` has a letter a line, its strokes parted by bars: points x,y with the base line at 0,
small letters 6 high and capitals 11.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from pathlib import Path
from random import Random
from types import MappingProxyType

Point = tuple[float, float]
Stroke = list[Point]

HEIGHT = 11.0  # of a capital in the units of a skeleton


@functools.cache
def letters() -> Mapping[str, tuple[tuple[Point, ...], ...]]:
    """Letter: its strokes."""
    found = {}
    for line in Path(__file__).with_name("skeletons.txt").read_text(encoding="utf-8").splitlines():
        letter, *rest = line.split(" ")
        found[letter] = tuple(
            tuple(_point(one) for one in stroke.split()) for stroke in " ".join(rest).split("|")
        )
    return MappingProxyType(found)


def _point(text: str) -> Point:
    x, y = text.split(",")
    return float(x), float(y)


def smooth(points: Stroke, parts: int = 4) -> Stroke:
    """A curve through the points (Catmull and Rom), `parts` pieces between two of them."""
    if len(points) < 3:
        return points
    ends = [points[0], *points, points[-1]]
    curve = []
    for (ax, ay), (bx, by), (cx, cy), (dx, dy) in zip(
        ends, ends[1:], ends[2:], ends[3:], strict=False
    ):
        for step in range(parts):
            t = step / parts
            curve.append((_spline(ax, bx, cx, dx, t), _spline(ay, by, cy, dy, t)))
    return [*curve, points[-1]]


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (
        2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
    )


def character(rng: Random) -> list[Stroke]:
    """Looks like a Chinese character: bars, posts, sweeps and dots in one square or two parts."""
    parts = rng.choice((((0.0, 10.0),), ((0.0, 4.0), (4.5, 10.0)), ((0.0, 3.2), (3.6, 10.0))))
    strokes: list[Stroke] = []
    for left, right in parts:
        wide = right - left
        for place in range(rng.randint(1, 3)):
            y = 9.0 - place * rng.uniform(2, 3.4)
            strokes.append([(left + 0.6, y), (right - 0.6, y + rng.uniform(0, 0.8))])
        middle = left + wide * rng.uniform(0.35, 0.65)
        if rng.random() < 0.75:
            strokes.append([(middle, 10), (middle, rng.uniform(0, 3))])
        if rng.random() < 0.6:
            strokes.append([(middle, 6), (middle - wide * 0.2, 3), (left, 0.5)])
            strokes.append([(middle, 6), (middle + wide * 0.2, 3), (right, 0.5)])
        if rng.random() < 0.4:
            low, high = rng.uniform(0, 2), rng.uniform(4, 7)
            strokes.append([(left + 1, high), (left + 1, low)])
            strokes.append([(left + 1, high), (right - 1, high), (right - 1, low)])
            strokes.append([(left + 1, low), (right - 1, low)])
        if rng.random() < 0.5:
            x = rng.uniform(left + 1, right - 1)
            strokes.append([(x, 3), (x + 0.7, 2)])
    return strokes


def joined_word(rng: Random, letters_count: int) -> tuple[list[Stroke], float]:
    """Looks like an Arabic word, from right to left: teeth, loops, bowls, dots. With its width."""
    x, line = 0.0, [(0.0, 3.0)]
    extra: list[Stroke] = []
    for _ in range(letters_count):
        shape = rng.choice(("tooth", "tooth", "loop", "bowl", "tall", "long"))
        if shape == "tooth":
            line += [(x - 0.6, 3.2), (x - 1.2, 0), (x - 2, 0)]
            x -= 2
        elif shape == "loop":
            line += [(x - 1, 3), (x - 2.4, 2.4), (x - 1.4, 0.6), (x - 3, 0)]
            x -= 3
        elif shape == "bowl":
            line += [(x - 0.5, -2.6), (x - 3, -3.6), (x - 4.6, -0.6), (x - 5, 0.4)]
            x -= 5
        elif shape == "tall":
            extra.append([(x - 1, 10), (x - 1.2, 0.2)])
            line.append((x - 1.8, 0))
            x -= 1.8
        else:
            line += [(x - 2, -0.3), (x - 4.4, 0.2)]
            x -= 4.4
        if shape != "tall" and rng.random() < 0.6:
            y = rng.choice((5.6, 6.2, -4))
            for place in range(rng.randint(1, 3)):
                extra.append([(x + 1 + place * 0.9, y), (x + 1.3 + place * 0.9, y + 0.3)])
    return [line, *extra], -x + 2


def looped_word(rng: Random, letters_count: int) -> tuple[list[Stroke], float]:
    """Looks like a word of joined writing that nobody can read. With its width."""
    x, line = 0.0, [(0.0, 0.4)]
    extra: list[Stroke] = []
    for _ in range(letters_count):
        shape = rng.choice("uunneeaolghti")
        if shape in "ut":
            line += [(x + 1, 5.5), (x + 1.4, 0.6), (x + 2.4, 0.2), (x + 3.4, 5.5), (x + 3.8, 0.4)]
        elif shape == "n":
            line += [(x + 0.9, 5.6), (x + 1.2, 0.2), (x + 2.6, 5.7), (x + 3.4, 4), (x + 3.8, 0.4)]
        elif shape in "ei":
            line += [(x + 1.8, 2.6), (x + 2.3, 5.4), (x + 1.2, 5), (x + 1.5, 0.5), (x + 3.4, 0.6)]
        elif shape in "ao":
            line += [(x + 3.2, 5.2), (x + 1, 4.6), (x + 0.9, 0.7), (x + 3, 1.6), (x + 3.6, 5)]
            line += [(x + 3.7, 0.6)]
        elif shape in "lh":
            line += [(x + 2.4, 7), (x + 2.6, 11), (x + 1.5, 10), (x + 1.5, 0.5), (x + 3.2, 0.6)]
        else:
            line += [(x + 3, 5.2), (x + 1, 4), (x + 2.8, 1), (x + 3.4, 5.4), (x + 2.8, -4.6)]
            line += [(x + 1.2, -4), (x + 3.8, 0.6)]
        if shape in "ti":
            extra.append([(x + 0.8, 8), (x + (3.4 if shape == "t" else 1.2), 8.3)])
        x += rng.uniform(3.4, 4.2)
    return [line, *extra], x + 1 + math.fabs(rng.gauss(0, 0.4))
