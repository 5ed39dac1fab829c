"""Drawn views that learn to be *other*: skies, seas, woods, streets, rooms, people far away."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.camera import BILINEAR, noisy
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.scenes import Colour, any_colour, sky, soft
from build_engines.pictures.studio import Named, Studio, dice, named

Levels = npt.NDArray[np.float32]


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(clouds, open_sea, ridge_lines, woods, lights, stars, meadow, water_light)
    return named(desert, snow) if split == "validation" else ()


def rough(rng: Random, size: tuple[int, int], scales: tuple[int, ...] = (3, 7, 15, 40)) -> Levels:
    """Noise at several scales, 0 to 1, as clouds and ground have it."""
    total = np.zeros((size[1], size[0]), np.float32)
    for scale in scales:
        small = dice(rng).random((scale, scale)).astype(np.float32)
        image = Image.fromarray((small * 255).astype(np.uint8), "L").resize(
            size, Image.Resampling.BICUBIC
        )
        total += np.asarray(image, np.float32) / 255 / scale**0.6
    low, high = float(total.min()), float(total.max())
    return (total - low) / (high - low + 1e-6)


def between(part: Levels, low: Colour, high: Colour) -> Image.Image:
    """An image that goes from one colour to another as `part` does."""
    a, b = (np.array(one, np.float32) for one in (low, high))
    return Image.fromarray((a + (b - a) * part[..., None]).astype(np.uint8), "RGB")


def tone_of(rng: Random, colour: Colour, by: int) -> Colour:
    red, green, blue = (max(0, min(255, one + rng.randint(-by, by))) for one in colour)
    return red, green, blue


def size_of(rng: Random) -> tuple[int, int]:
    return rng.choice(((480, 320), (360, 440), (400, 400), (500, 280)))


def clouds(studio: Studio, rng: Random) -> Drawn:
    size = size_of(rng)
    part = np.clip((rough(rng, size) - rng.uniform(0.3, 0.55)) * 3, 0, 1).astype(np.float32)
    low = rng.choice(((70, 130, 210), (110, 160, 220), (230, 140, 90), (60, 70, 110)))
    image = between(
        part, tone_of(rng, low, 20), rng.choice(((250, 250, 250), (255, 220, 190), (150, 155, 165)))
    )
    return Drawn(noisy(image, rng, 3), "drawing", "scene")


def open_sea(studio: Studio, rng: Random) -> Drawn:
    """Waves to the horizon under a sky."""
    size = size_of(rng)
    level = int(size[1] * rng.uniform(0.3, 0.6))
    image = sky(rng, size)
    waves = rough(rng, (size[0] // 2, size[1] - level), (4, 30, 60))
    sea = between(waves, tone_of(rng, (10, 50, 90), 25), tone_of(rng, (110, 170, 190), 30))
    image.paste(sea.resize((size[0], size[1] - level), BILINEAR), (0, level))
    if rng.random() < 0.5:
        pen, x = ImageDraw.Draw(image), rng.randint(50, size[0] - 50)
        for y in range(level, size[1], 4):
            out = (y - level) * 0.3 * rng.random() + 4
            pen.line((x - out, y, x + out, y), fill=(255, 235, 190))
        pen.ellipse((x - 20, level - 46, x + 20, level - 6), fill=(255, 240, 200))
    return Drawn(soft(image, rng), "drawing", "scene")


def ridge_lines(studio: Studio, rng: Random) -> Drawn:
    """Mountains in the mist, each nearer one darker."""
    size = size_of(rng)
    image = sky(rng, size)
    pen, count = ImageDraw.Draw(image), rng.randint(3, 6)
    far: Colour = (rng.randint(130, 190), rng.randint(150, 200), rng.randint(180, 220))
    for layer in range(count):
        part = (layer + 1) / count
        line = rough(rng, (size[0], 2), (3, 9, 25))[0]
        top = size[1] * (0.25 + 0.5 * layer / count)
        points = [
            (x, top + (float(line[x]) - 0.5) * 120 * (1 - layer / count / 2))
            for x in range(0, size[0], 3)
        ]
        tone = tuple(int(one * (1 - 0.85 * part)) for one in far)
        pen.polygon([*points, (size[0], size[1]), (0, size[1])], fill=tone)
    return Drawn(soft(image, rng), "drawing", "scene")


def woods(studio: Studio, rng: Random) -> Drawn:
    """Trunks and leaves."""
    size = size_of(rng)
    leaf = rng.choice(((50, 110, 40), (160, 110, 30), (30, 80, 60), (120, 140, 60)))
    image = between(rough(rng, size, (6, 20, 70)), tone_of(rng, (16, 30, 14), 12), leaf)
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(4, 16)):
        x, wide = rng.randint(-10, size[0]), rng.randint(4, 34)
        tone = tone_of(rng, (70, 54, 40), 22)
        pen.polygon(
            [(x, 0), (x + wide, 0), (x + wide * 1.3, size[1]), (x - wide * 0.3, size[1])], fill=tone
        )
    for _ in range(rng.randint(60, 400)):
        x, y = rng.randint(0, size[0]), rng.randint(0, size[1])
        pen.ellipse(
            (x, y, x + rng.randint(3, 12), y + rng.randint(3, 9)), fill=tone_of(rng, leaf, 40)
        )
    return Drawn(soft(image, rng), "drawing", "scene")


def lights(studio: Studio, rng: Random) -> Drawn:
    """Lights out of focus."""
    size = size_of(rng)
    image = Image.new("RGB", size, tone_of(rng, (22, 20, 30), 18))
    for _ in range(rng.randint(14, 60)):
        layer = Image.new("L", size, 0)
        x, y, r = rng.randint(0, size[0]), rng.randint(0, size[1]), rng.randint(5, 34)
        ImageDraw.Draw(layer).ellipse((x - r, y - r, x + r, y + r), fill=rng.randint(60, 190))
        image.paste(
            rng.choice(
                ((255, 190, 90), (255, 90, 70), (120, 190, 255), (250, 250, 230), any_colour(rng))
            ),
            (0, 0),
            layer,
        )
    return Drawn(
        noisy(image.filter(ImageFilter.GaussianBlur(rng.uniform(1, 4))), rng, 4),
        "photograph",
        "scene",
    )


def stars(studio: Studio, rng: Random) -> Drawn:
    """A night sky, sometimes with a planet."""
    size = size_of(rng)
    mist = np.clip(rough(rng, size) - 0.3, 0, 1) * rng.uniform(0.2, 0.9)
    image = between(mist.astype(np.float32), (4, 5, 14), any_colour(rng))
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(80, 500)):
        x, y, r = rng.randint(0, size[0]), rng.randint(0, size[1]), rng.choice((0, 0, 0.5, 1, 1.6))
        pen.ellipse((x - r, y - r, x + r, y + r), fill=tone_of(rng, (235, 235, 245), 20))
    if rng.random() < 0.4:
        side = rng.randint(60, 200)
        ball = between(rough(rng, (side, side)), any_colour(rng), any_colour(rng))
        mask = Image.new("L", (side, side), 0)
        ImageDraw.Draw(mask).ellipse((0, 0, side, side), fill=255)
        image.paste(
            ball, (rng.randint(0, size[0] - side // 2), rng.randint(0, size[1] - side // 2)), mask
        )
    return Drawn(noisy(image, rng, 3), "drawing", "scene")


def meadow(studio: Studio, rng: Random) -> Drawn:
    """Blades of grass and flowers under a sky."""
    size = size_of(rng)
    image = sky(rng, size)
    pen, top = ImageDraw.Draw(image), int(size[1] * rng.uniform(0.2, 0.6))
    pen.rectangle((0, top, *size), fill=(70, 110, 40))
    for _ in range(900):
        y = rng.randint(top, size[1] + 20)
        x, tall = rng.randint(0, size[0]), 6 + (y - top) // 8
        pen.line((x, y, x + rng.randint(-5, 5), y - tall), fill=tone_of(rng, (80, 130, 45), 35))
    petal = any_colour(rng)
    for _ in range(rng.randint(0, 60)):
        y = rng.randint(top, size[1])
        x, r = rng.randint(0, size[0]), 2 + (y - top) // 40
        pen.ellipse((x - r, y - r, x + r, y + r), fill=tone_of(rng, petal, 25))
    return Drawn(soft(image, rng), "drawing", "scene")


def water_light(studio: Studio, rng: Random) -> Drawn:
    """Marble, smoke, light in water: noise bent by noise."""
    size = size_of(rng)
    bent = rough(rng, size) * rng.uniform(2, 9) + rough(rng, size, (2, 5)) * rng.uniform(2, 12)
    part = (np.sin(bent * math.pi) * 0.5 + 0.5) ** rng.choice((0.5, 1, 3))
    return Drawn(
        noisy(between(part.astype(np.float32), any_colour(rng), any_colour(rng)), rng, 3),
        "pattern",
        "scene",
    )


def desert(studio: Studio, rng: Random) -> Drawn:
    """Dunes with their shadows."""
    image = sky(rng, (480, 320))
    pen = ImageDraw.Draw(image)
    for layer in range(4):
        top, phase = 120 + layer * 50, rng.uniform(0, 6)
        points = [(x, top + 30 * math.sin(x / (70 + layer * 20) + phase)) for x in range(0, 490, 6)]
        tone = (225 - layer * 22, 170 - layer * 24, 110 - layer * 20)
        pen.polygon([*points, (480, 320), (0, 320)], fill=tone_of(rng, tone, 12))
    return Drawn(soft(image, rng), "drawing", "scene")


def snow(studio: Studio, rng: Random) -> Drawn:
    """Flakes before dark firs."""
    image = between(rough(rng, (420, 340), (3, 9)), (120, 130, 150), (210, 216, 226))
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(4, 12)):
        x, tall = rng.randint(0, 420), rng.randint(80, 240)
        for part in range(4):
            y = 320 - tall + part * tall / 4
            pen.polygon(
                [(x, y), (x - 14 - part * 10, y + tall / 3), (x + 14 + part * 10, y + tall / 3)],
                fill=tone_of(rng, (30, 50, 44), 12),
            )
    pen.rectangle((0, 310, 420, 340), fill=(240, 243, 248))
    for _ in range(260):
        x, y, r = rng.randint(0, 420), rng.randint(0, 340), rng.uniform(0.6, 3)
        pen.ellipse((x - r, y - r, x + r, y + r), fill=(250, 250, 252))
    return Drawn(soft(image, rng), "drawing", "scene")
