"""A sheet while one writes on it: lines and blocks of words, marks of the pen, changes of ink."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from PIL import Image, ImageChops

from build_engines.pictures.hands import warped
from build_engines.pictures.papers import Colour
from build_engines.pictures.picture import Drawn, Shot
from build_engines.pictures.skeletons import Point, Stroke, smooth
from build_engines.pictures.studio import Studio, dice
from build_engines.pictures.writers import FINE, Layer, writer

PENS: tuple[Colour, ...] = (
    (22, 32, 110),
    (18, 18, 24),
    (38, 58, 150),
    (125, 28, 35),
    (60, 60, 66),
    (15, 85, 60),
    (90, 40, 120),
    (20, 90, 150),
)
LOCALES = ("en_US", "en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "la")
# How full the ink stands: pencil and chalk let the ground through.
GRAINS = {"ink": (0.9, 0.06), "pencil": (0.76, 0.22), "chalk": (0.7, 0.4), "marker": (0.95, 0.03)}


class Pad:
    """`size` is that of the writing, px; `image` the ground. A pad draws its words at random."""

    def __init__(
        self,
        studio: Studio,
        rng: Random,
        image: Image.Image,
        size: int,
        *,
        ink: Colour | None = None,
        grain: str = "",
        hand: str = "",
    ) -> None:
        self.studio, self.rng, self.image = studio, rng, image
        self.writer = writer(studio.fonts, rng, size, studio.split, hand)
        self.size = size
        self.ink = ink or rng.choice(PENS)
        self.grain = grain or rng.choice(("ink", "ink", "ink", "pencil"))
        if self.grain == "pencil" and ink is None:
            self.ink = (72, 72, 78)
        thick = {"marker": 0.12, "chalk": 0.1}.get(self.grain, rng.uniform(0.04, 0.085))
        self.layer = Layer(image.size, max(1.1, size * thick))
        self.people = studio.people(rng, rng.choice(LOCALES))
        self.slope = rng.gauss(0, 0.012)
        self.waves = rng.uniform(0, 0.06) * size, rng.uniform(40, 140), rng.uniform(0, 6)
        self.gap = rng.uniform(0.28, 0.6) * size
        self.faults = rng.choice((0, 0, 0.01, 0.03))

    def words(self, least: int, most: int) -> str:
        return " ".join(self.people.words(self.rng.randint(least, most)))

    def use(self, ink: Colour) -> None:
        """Takes another pen: what was written so far dries."""
        self._dry()
        self.layer = Layer(self.image.size, self.layer.width)
        self.ink = ink

    def _dry(self) -> None:
        mask = self.layer.mask.reduce(FINE)
        full, uneven = GRAINS[self.grain]
        side = 1 if self.grain in ("pencil", "chalk") else 5
        rows = dice(self.rng).normal(
            full, uneven, (self.image.height // side + 1, self.image.width // side + 1)
        )
        grain = Image.fromarray((np.clip(rows, 0, 1) * 255).astype(np.uint8), "L")
        mask = ImageChops.multiply(mask, grain.resize(mask.size, Image.Resampling.BILINEAR))
        self.image.paste(self.ink, (0, 0), mask)

    def line(self, text: str, x: float, y: float, right: float | None = None) -> float:
        """Writes as many words as stand before `right`; gives the x behind the last."""
        return self._words(text.split(), x, y, right or self.image.width - 10)[0]

    def _words(self, words: list[str], x: float, y: float, right: float) -> tuple[float, int]:
        back = self.writer.right_to_left
        at, high = x, self.size * 0.3
        for place, word in enumerate(words):
            if at + len(word) * self.size * 0.36 > right and place:
                return at, place
            low = (
                y
                + self.slope * (at - x)
                + self.waves[0] * math.sin(at / self.waves[1] + self.waves[2])
            )
            low += self.rng.gauss(0, self.size * 0.02)
            wide = self.writer.word(self.layer, (right + x - at if back else at, low), word)
            if self.rng.random() < self.faults:
                self.scratch(at, low - high, at + wide)
            at += wide + self.gap * self.rng.uniform(0.8, 1.3)
        return at, len(words)

    def block(self, box: tuple[float, float, float, float], step: float) -> float:
        """Words from the first base line at the top of the box to its end; the y below."""
        left, y, right, bottom = box
        words: list[str] = []
        while y < bottom:
            if len(words) < 12:
                words += self.people.paragraph(8).split()
            start = left + self.rng.gauss(0, self.size * 0.08)
            short = self.rng.random() < 0.08
            stop = left + (right - left) * (self.rng.uniform(0.3, 0.8) if short else 1)
            words = words[self._words(words, start, y, stop)[1] :]
            y += step
            if short and self.rng.random() < 0.4:
                y += step
        return y

    def stroke(self, *points: Point, width: float = 0, bent: bool = True) -> None:
        """A line drawn by hand through the points."""
        shaken = [(x + self.rng.gauss(0, 0.8), y + self.rng.gauss(0, 0.8)) for x, y in points]
        self.layer.stroke(smooth(shaken, 6) if bent else shaken, width=width)

    def under(self, x: float, y: float, right: float) -> None:
        for place in range(self.rng.choice((1, 1, 2))):
            self.stroke(
                (x, y + place * 5), ((x + right) / 2, y + 2 + place * 5), (right, y + place * 4)
            )

    def scratch(self, x: float, y: float, right: float) -> None:
        """Strikes out, with a line or a zigzag."""
        if self.rng.random() < 0.6:
            self.stroke((x, y), (right, y + self.rng.uniform(-3, 3)))
            return
        count = max(4, int((right - x) / 5))
        zigzag: Stroke = [
            (x + (right - x) * step / count, y + self.size * 0.2 * (-1) ** step)
            for step in range(count + 1)
        ]
        self.stroke(*zigzag)

    def ring(self, left: float, top: float, right: float, bottom: float) -> None:
        """Circles words; the ends of the ring miss each other."""
        x, y, a, b = (left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2
        turn = self.rng.uniform(0, 6)
        self.stroke(
            *(
                (x + a * math.cos(turn + step * 0.62), y + b * math.sin(turn + step * 0.62))
                for step in range(12)
            )
        )

    def arrow(self, start: Point, end: Point) -> None:
        bend = self.rng.uniform(-0.25, 0.25)
        (x, y), (u, v) = start, end
        self.stroke(start, ((x + u) / 2 + bend * (v - y), (y + v) / 2 - bend * (u - x)), end)
        back = math.atan2(v - y, u - x) + math.pi
        for turn in (-0.45, 0.45):
            tip = u + 11 * math.cos(back + turn), v + 11 * math.sin(back + turn)
            self.stroke(end, tip)

    def box(self, left: float, top: float, right: float, bottom: float) -> None:
        self.stroke(
            (left, top), (right, top), (right, bottom), (left, bottom), (left, top - 1), bent=False
        )

    def tick(self, x: float, y: float, size: float) -> None:
        self.stroke((x, y - size * 0.4), (x + size * 0.35, y), (x + size, y - size), bent=False)

    def sign(self, x: float, y: float, wide: float) -> None:
        """A signature: a few loops, then a line."""
        points = [(x, y)]
        loops = self.rng.randint(3, 7)
        for step in range(loops):
            at = x + wide * 0.7 * (step + 1) / loops
            points.append((at, y - self.size * self.rng.uniform(0.3, 1.3)))
            points.append((at - wide * 0.06, y + self.size * self.rng.uniform(-0.1, 0.5)))
        points.append((x + wide, y - self.size * self.rng.uniform(0, 0.5)))
        self.stroke(*points)

    def done(self, kind: str, shot: Shot = "paper") -> Drawn:
        self._dry()
        return Drawn(warped(self.image, self.rng) if shot != "screen" else self.image, kind, shot)
