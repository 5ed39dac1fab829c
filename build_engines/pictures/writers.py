"""Who writes: a hand made of a script font, of skeletons, or of strokes of a script without a font.

Which hands a split has is told by WRITERS: none stands in two splits.
"""

from __future__ import annotations

import unicodedata
from random import Random
from typing import Protocol

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import HAND, Fonts
from build_engines.pictures.picture import Split
from build_engines.pictures.skeletons import (
    HEIGHT,
    Point,
    Stroke,
    character,
    joined_word,
    letters,
    looped_word,
    smooth,
)

FINE = 2  # the layer of ink has so many dots for a dot of the paper


class Layer:
    """What a pen wrote, before it has a colour: a mask FINE times the size of the paper."""

    def __init__(self, size: tuple[int, int], width: float) -> None:
        self.mask = Image.new("L", (size[0] * FINE, size[1] * FINE), 0)
        self.pen = ImageDraw.Draw(self.mask)
        self.width = width  # px of the paper

    def stroke(self, points: Stroke, *, width: float = 0, fill: int = 255) -> None:
        wide = max(1, round((width or self.width) * FINE))
        line = [(x * FINE, y * FINE) for x, y in points]
        self.pen.line(line, fill=fill, width=wide, joint="curve")
        if wide > 2:  # round ends
            for x, y in (line[0], line[-1]):
                self.pen.ellipse(
                    (x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), fill=fill
                )


class Writer(Protocol):
    """Writes a word with its base line at y. `right_to_left`: x is the word's right end."""

    size: int  # px, about the height of a capital and its descender
    right_to_left: bool

    def word(self, layer: Layer, at: Point, text: str) -> float:
        """Gives the width, in px."""


class FontWriter:
    right_to_left = False

    def __init__(self, fonts: Fonts, rng: Random, size: int, split: Split) -> None:
        self.fonts, self.rng, self.size = fonts, rng, size
        self.name = rng.choice(HAND[split])

    def word(self, layer: Layer, at: Point, text: str) -> float:
        font = self.fonts.get(self.name, (self.size + self.rng.randint(-1, 1)) * FINE)
        place = at[0] * FINE, at[1] * FINE
        layer.pen.text(place, text, font=font, fill=self.rng.randint(205, 255), anchor="ls")
        return font.getlength(text) / FINE


class SkeletonWriter:
    """A hand by its slant, width, roundness, joins, and how far it strays from the skeletons."""

    right_to_left = False

    def __init__(self, rng: Random, size: int) -> None:
        self.rng, self.size = rng, size
        self.slant = rng.choice((rng.uniform(-0.15, 0.1), rng.uniform(0.1, 0.5)))
        self.stretch = rng.uniform(0.75, 1.3)
        self.apart = rng.uniform(0.3, 1.8)
        self.joins = rng.random() < 0.5
        self.stray = rng.uniform(0.12, 0.5)
        self.small = rng.uniform(0.7, 1.15)  # height of small letters to that of the skeleton
        self.capitals = rng.random() < 0.15
        self.forms = self._own_forms()

    def _own_forms(self) -> dict[str, list[Stroke]]:
        """This writer's alphabet: each point moved once for all."""
        return {
            letter: [
                [
                    (x + self.rng.gauss(0, 0.3), self._low(y) + self.rng.gauss(0, 0.3))
                    for x, y in one
                ]
                for one in strokes
            ]
            for letter, strokes in letters().items()
        }

    def _low(self, y: float) -> float:
        return y * self.small if y <= 6 else y

    def word(self, layer: Layer, at: Point, text: str) -> float:
        unit = self.size * 0.72 / HEIGHT
        x, last = 0.0, None
        plain = unicodedata.normalize("NFD", text.upper() if self.capitals else text)
        for letter in plain:
            strokes = self.forms.get(letter)
            if strokes is None:  # an accent, say
                continue
            placed = [[self._put(at, unit, x, point) for point in one] for one in strokes]
            if self.joins and last and placed and letter.islower():
                placed[0] = [last, *placed[0]]
            for one in placed:
                layer.stroke(smooth(one))
            last = placed[-1][-1] if len(placed) == 1 and letter.islower() else None
            x += max((px for one in strokes for px, _ in one), default=2) + self.apart
        return x * unit * self.stretch

    def _put(self, at: Point, unit: float, x: float, point: Point) -> Point:
        u = (x + point[0]) * self.stretch + point[1] * self.slant + self.rng.gauss(0, self.stray)
        return at[0] + u * unit, at[1] - (point[1] + self.rng.gauss(0, self.stray)) * unit


class StrokeWriter:
    """Words of a script that are only made to look so: "Hani", "Arab" or "loops"."""

    def __init__(self, rng: Random, size: int, script: str) -> None:
        self.rng, self.size, self.script = rng, size, script
        self.right_to_left = script == "Arab"
        self.slant = rng.uniform(-0.1, 0.1) if script == "Hani" else rng.uniform(-0.1, 0.5)
        self.stretch = rng.uniform(0.8, 1.3)
        self.stray = rng.uniform(0.1, 0.35)

    def word(self, layer: Layer, at: Point, text: str) -> float:
        unit = self.size * 0.72 / HEIGHT
        if self.script == "Hani":
            count = max(1, len(text) // 3)
            for place in range(count):
                self._draw(layer, (at[0] + place * 11.5 * unit, at[1]), character(self.rng), unit)
            return count * 11.5 * unit
        shape = joined_word if self.right_to_left else looped_word
        strokes, wide = shape(self.rng, max(1, len(text)))
        self._draw(layer, at, strokes, unit)
        return wide * unit * self.stretch

    def _draw(self, layer: Layer, at: Point, strokes: list[Stroke], unit: float) -> None:
        stretch = 1 if self.script == "Hani" else self.stretch
        for one in strokes:
            layer.stroke(
                smooth(
                    [
                        (
                            at[0] + (x * stretch + y * self.slant + self._off()) * unit,
                            at[1] - (y + self._off()) * unit,
                        )
                        for x, y in one
                    ]
                )
            )

    def _off(self) -> float:
        return self.rng.gauss(0, self.stray)


WRITERS: dict[Split, tuple[str, ...]] = {
    "train": ("font", "font", "skeleton", "skeleton", "skeleton", "Hani", "Arab"),
    "validation": ("font", "loops"),
    "test": ("font",),
}


def writer(fonts: Fonts, rng: Random, size: int, split: Split, kind: str = "") -> Writer:
    """One of the split's writers, or that of a kind of WRITERS."""
    kind = kind or rng.choice(WRITERS[split])
    if kind == "font":
        return FontWriter(fonts, rng, size, split)
    if kind == "skeleton":
        return SkeletonWriter(rng, size)
    return StrokeWriter(rng, size, kind)
