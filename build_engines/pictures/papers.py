"""What one writes on: sheets with lines, squares or dots, kraft, boards; their holes and stains."""

from __future__ import annotations

from random import Random

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from build_engines.pictures.studio import dice

Colour = tuple[int, int, int]

PALE_LINES: tuple[Colour, ...] = (
    (185, 200, 225),
    (205, 205, 210),
    (170, 205, 200),
    (225, 190, 190),
    (200, 190, 225),
)
KINDS = ("plain", "ruled", "ruled", "squared", "dotted", "college")


def white(rng: Random) -> Colour:
    """Paper: bright, greyish, or yellowed."""
    level = rng.randint(222, 254)
    return level, level - rng.randint(0, 5), level - rng.randint(0, 26)


def tinted(rng: Random) -> Colour:
    """Coloured paper: kraft, yellow, rose, green, blue, grey."""
    base = rng.choice(
        (
            (196, 160, 116),
            (216, 188, 146),
            (252, 240, 168),
            (250, 214, 214),
            (214, 236, 206),
            (206, 224, 244),
            (206, 206, 202),
        )
    )
    red, green, blue = (max(0, min(255, one + rng.randint(-12, 12))) for one in base)
    return red, green, blue


def fibres(image: Image.Image, rng: Random, spread: float = 5) -> Image.Image:
    """Uneven paper: fine grain and large clouds."""
    low = dice(rng).normal(0, spread, (image.height // 6, image.width // 6))
    grain = Image.fromarray(np.clip(low + 128, 0, 255).astype(np.uint8), "L")
    grain = grain.resize(image.size, Image.Resampling.BICUBIC).point(lambda level: level + 122)
    return ImageChops.multiply(image, Image.merge("RGB", (grain,) * 3))


def lined(image: Image.Image, rng: Random, kind: str, step: int) -> None:
    """Prints the lines of the paper; words stand on multiples of `step`."""
    pen, ink = ImageDraw.Draw(image), rng.choice(PALE_LINES)
    width, height = image.size
    if kind in ("ruled", "college"):
        for y in range(step * (2 if kind == "college" else 1), height, step):
            pen.line((0, y, width, y), fill=ink)
    if kind == "college":
        x = rng.choice((52, 60, width - 70))
        pen.line((x, 0, x, height), fill=(228, 130, 135), width=rng.choice((1, 2)))
    if kind == "squared":
        cell = max(8, step // rng.choice((1, 2, 2)))
        for y in range(step % cell, height, cell):
            pen.line((0, y, width, y), fill=ink)
        for x in range(rng.randint(0, cell), width, cell):
            pen.line((x, 0, x, height), fill=ink)
    if kind == "dotted":
        cell = max(8, step // 2)
        for y in range(step % cell, height, cell):
            for x in range(rng.randint(2, 3), width, cell):
                pen.rectangle((x, y, x + 1, y + 1), fill=ink)


def holes(image: Image.Image, rng: Random) -> None:
    """Punched at the left: two, three, or a row of small ones."""
    pen, count = ImageDraw.Draw(image), rng.choice((2, 3, 4, 24))
    radius = 3 if count == 24 else rng.randint(6, 9)
    dark = tuple(rng.randint(20, 90) for _ in "rgb")
    for place in range(count):
        y = image.height * (place + 0.5) / count
        pen.ellipse((10, y - radius, 10 + 2 * radius, y + radius), fill=dark)


def spiral(image: Image.Image, rng: Random, *, top: bool) -> Image.Image:
    """A wire along the upper or the left edge, the sheet moved away from it."""
    edge = 26
    size = (image.width, image.height + edge) if top else (image.width + edge, image.height)
    back = Image.new("RGB", size, tuple(rng.randint(30, 110) for _ in "rgb"))
    back.paste(image, (0, edge) if top else (edge, 0))
    pen, wire = ImageDraw.Draw(back), rng.choice(((225, 225, 230), (40, 40, 45), (180, 160, 120)))
    for at in range(10, size[0] if top else size[1], rng.choice((16, 20, 26))):
        box = (at, 6, at + 7, edge + 14) if top else (6, at, edge + 14, at + 7)
        hole = (
            (at - 1, edge + 8, at + 8, edge + 17) if top else (edge + 8, at - 1, edge + 17, at + 8)
        )
        pen.ellipse(hole, fill=(50, 50, 50))
        pen.rounded_rectangle(box, 3, outline=wire, width=3)
    return back


def stained(image: Image.Image, rng: Random) -> Image.Image:
    """A ring of coffee, a fold, or a dark edge."""
    what = rng.choice(("ring", "fold", "edge"))
    shade = Image.new("L", image.size, 255)
    pen = ImageDraw.Draw(shade)
    width, height = image.size
    if what == "ring":
        x, y, size = rng.randint(0, width), rng.randint(0, height), rng.randint(50, 90)
        pen.ellipse((x - size, y - size, x + size, y + size), outline=205, width=rng.randint(3, 8))
    elif what == "fold":
        for place in range(1, rng.choice((2, 3, 4))):
            y = height * place // 3 + rng.randint(-4, 4)
            pen.line((0, y, width, y + rng.randint(-5, 5)), fill=195, width=3)
    else:
        pen.rectangle((0, 0, width - 1, height - 1), outline=170, width=rng.randint(5, 22))
    shade = shade.filter(ImageFilter.GaussianBlur(2 if what != "edge" else 8))
    brown = Image.merge("RGB", (shade, shade.point(lambda one: one - (255 - one) // 3), shade))
    return ImageChops.multiply(image, brown)


def paper(
    rng: Random, size: tuple[int, int], step: int, *, kind: str = "", colour: Colour | None = None
) -> Image.Image:
    """A sheet of one of KINDS, or of the one named, with what has happened to it."""
    image = Image.new("RGB", size, colour or (white(rng) if rng.random() < 0.8 else tinted(rng)))
    lined(image, rng, kind or rng.choice(KINDS), step)
    if rng.random() < 0.5:
        image = fibres(image, rng, rng.uniform(1, 6))
    if rng.random() < 0.2:
        holes(image, rng)
    if rng.random() < 0.2:
        image = stained(image, rng)
    return image
