"""What is put on printed pages: stamps, small plots, bars, blocks where a picture stands."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import Font

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]


def stamp(image: Image.Image, font: Font, rng: Random, text: str, place: tuple[int, int]) -> None:
    """Round with rays or a frame with a word, turned, in red, blue or violet ink."""
    ink = rng.choice(((190, 30, 40), (40, 60, 170), (110, 40, 140), (20, 110, 70)))
    mark = Image.new("L", (130, 130), 0)
    pen, full = ImageDraw.Draw(mark), rng.randint(130, 220)
    if rng.random() < 0.55:
        for inner in (4, 10, 34):
            pen.ellipse((inner, inner, 129 - inner, 129 - inner), outline=full, width=3)
        for step in range(24):
            turn = step * math.pi / 12
            x, y = 65 + 44 * math.cos(turn), 65 + 44 * math.sin(turn)
            pen.rectangle((x - 3, y - 4, x + 3, y + 4), outline=full)
    else:
        pen.rounded_rectangle((2, 36, 127, 94), 6, outline=full, width=4)
    plain = "".join(one for one in text if one.isascii()).strip() or str(rng.randint(100, 999))
    pen.text((65, 65), plain[:12], font=font, fill=full, anchor="mm")
    turned = mark.rotate(rng.gauss(0, 18), Image.Resampling.BILINEAR)
    image.paste(ink, place, turned)


def bars(pen: ImageDraw.ImageDraw, rng: Random, box: Box, ink: Colour, count: int = 0) -> None:
    """Columns of a plot or, with a `count`, of a bar code; sometimes a curve instead."""
    left, top, right, bottom = box
    if count:
        x: float = left
        while x < right:
            bar = rng.choice((1, 1, 2, 3))
            pen.rectangle((x, top, x + bar - 1, bottom), fill=ink)
            x += bar + rng.choice((1, 2, 3))
        return
    steps = rng.randint(4, 9)
    if rng.random() < 0.5:
        points = [
            (left + (right - left) * step / steps, rng.uniform(top, bottom))
            for step in range(steps + 1)
        ]
        pen.line(points, fill=ink, width=2)
        return
    wide = (right - left) / steps
    for step in range(steps):
        x = left + step * wide
        pen.rectangle((x, rng.uniform(top, bottom - 2), x + wide * 0.7, bottom), fill=ink)


def picture(pen: ImageDraw.ImageDraw, rng: Random, box: Box) -> None:
    """A printed photograph from afar: sky, ground, a few shapes."""
    left, top, right, bottom = box
    grey = rng.random() < 0.4
    sky, land = (_shade(rng, grey) for _ in "ab")
    pen.rectangle(box, fill=sky)
    pen.rectangle((left, top + (bottom - top) * rng.uniform(0.4, 0.8), right, bottom), fill=land)
    for _ in range(rng.randint(1, 4)):
        wide = (right - left) * rng.uniform(0.05, 0.2)
        x = rng.uniform(left, right - wide - 1)
        y = rng.uniform(top, (top + bottom) / 2)
        shape = rng.choice((pen.ellipse, pen.rectangle))
        shape((x, y, x + wide, min(bottom, y + wide * rng.uniform(1, 2))), fill=_shade(rng, grey))


def _shade(rng: Random, grey: bool) -> Colour:
    level = rng.randint(40, 230)
    red, blue = (0, 0) if grey else (rng.randint(-36, 36), rng.randint(-36, 36))
    return level + red, level, level + blue
