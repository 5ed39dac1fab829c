"""What a card is printed on, and its edge."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.layouts import Country, Layout


def ground(layout: Layout, country: Country, size: tuple[int, int], rng: Random) -> Image.Image:
    card = Image.new("RGB", size, country.pale if layout.background != "plain" else (250, 250, 250))
    pen = ImageDraw.Draw(card)
    line = tuple(
        int(0.72 * a + 0.28 * b) for a, b in zip(country.pale, country.strong, strict=True)
    )
    width, height = size
    if layout.background == "waves":
        phase, swing = rng.uniform(0, 6), rng.uniform(6, 30)
        for y in range(-20, height + 20, rng.randint(5, 9)):
            points = [
                (x, y + swing * math.sin(x / rng.choice((37, 38)) + phase))
                for x in range(0, width + 16, 16)
            ]
            pen.line(points, fill=line)
    if layout.background == "rays":
        centre = (rng.uniform(0.2, 0.8) * width, rng.uniform(0.2, 0.8) * height)
        for step in range(60):
            turn = step * math.pi / 30
            end = centre[0] + width * math.cos(turn), centre[1] + width * math.sin(turn)
            pen.line((*centre, *end), fill=line)
    if layout.background == "grid":
        for place in range(-height, width, 9):
            pen.line((place, 0, place + height, height), fill=line)
            pen.line((place + height, 0, place, height), fill=line)
    return card


def rounded(card: Image.Image, layout: Layout) -> Image.Image:
    mask = Image.new("L", card.size, 0)
    radius = 4 if layout.kind == "passport" else int(0.045 * card.width)
    ImageDraw.Draw(mask).rounded_rectangle(
        (0, 0, card.width - 1, card.height - 1), radius, fill=255
    )
    card = card.convert("RGBA")
    card.putalpha(mask)
    return card
