"""Drawn ultrasound: fans, the unborn, the box of a straight probe."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.film import Film, Levels
from build_engines.pictures.fonts import MONO
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, dice, named


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(fan, fan, unborn)
    return named(linear_probe) if split == "validation" else ()


def _speckled(film: Film, rng: Random) -> None:
    """Multiplies by grain that is drawn out along the beam."""
    grain = dice(rng).rayleigh(0.8, (film.height // 2, film.width // 3)).astype(np.float32)
    image = Image.fromarray(np.clip(grain * 90, 0, 255).astype(np.uint8), "L")
    size = (film.width, film.height)
    film.levels *= np.asarray(image.resize(size, Image.Resampling.BICUBIC), np.float32) / 100


def _texts(studio: Studio, rng: Random, image: Image.Image) -> Image.Image:
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(MONO[studio.split], 11, rng)
    ink = rng.choice(((220, 220, 220), (240, 220, 120), (130, 210, 230)))
    for place in range(rng.randint(0, 5)):
        text = f"{studio.people(rng).lexify('???').upper()} {rng.uniform(0.2, 20):.1f}"
        pen.text((6, 8 + place * 15), text, font=font, fill=ink)
    for tick in range(0, 12):
        pen.line((image.width - 8, 30 + tick * 24, image.width - 3, 30 + tick * 24), fill=ink)
    return image


def _fan_mask(film: Film, rng: Random) -> Levels:
    spread, top = rng.uniform(0.5, 0.85), rng.uniform(-0.12, 0.05)
    across, along = film.x - 0.5, film.y - top
    angle = np.abs(np.arctan2(across, along))
    far = np.hypot(across, along)
    near = rng.uniform(0.1, 0.22)
    inside = (angle < spread) & (far > near) & (far < rng.uniform(0.85, 1.0))
    return np.asarray(inside, np.float32)


def _sonogram(rng: Random, size: tuple[int, int]) -> Film:
    film = Film(rng, size, 0.3)
    for scale in (5, 12, 30):
        film.cloud(scale, 0.09)
    for _ in range(rng.randint(2, 6)):
        y = rng.uniform(0.15, 0.9)
        points = [(x / 8, y + 0.04 * math.sin(x + y * 20)) for x in range(9)]
        film.line(points, rng.uniform(0.006, 0.02), rng.uniform(0.15, 0.4), 3)
    return film


def fan(studio: Studio, rng: Random) -> Drawn:
    """Ultrasound: a sector of grain with dark hollows and bright walls."""
    film = _sonogram(rng, (400, 340))
    for _ in range(rng.randint(1, 5)):
        where = rng.uniform(0.25, 0.75), rng.uniform(0.3, 0.8)
        radii = rng.uniform(0.03, 0.15), rng.uniform(0.03, 0.12)
        turn = rng.uniform(0, 180)
        film.ellipse(where, (radii[0] * 1.15, radii[1] * 1.15), 0.2, turn, 0.2)
        film.fill(where, radii, rng.choice((0.02, 0.05, 0.15)), turn, 0.15)
        film.ellipse((where[0], where[1] + radii[1] * 1.6), (radii[0] * 0.8, 0.06), 0.15, 0, 0.8)
    _speckled(film, rng)
    film.levels *= _fan_mask(film, rng)
    image = film.image(grain=0.01, soft=0.6)
    if rng.random() < 0.25:
        flow = Image.new("RGB", image.size)
        pen = ImageDraw.Draw(flow)
        for _ in range(12):
            x, y = rng.randint(150, 240), rng.randint(140, 220)
            pen.ellipse(
                (x, y, x + 26, y + 14),
                fill=rng.choice(((220, 40, 20), (30, 60, 230), (240, 160, 30))),
            )
        blurred = flow.filter(ImageFilter.GaussianBlur(4))
        image = Image.composite(
            blurred, image, blurred.convert("L").point(lambda one: 255 if one > 24 else 0)
        )
    return Drawn(_texts(studio, rng, image), "ultrasound", "film")


def unborn(studio: Studio, rng: Random) -> Drawn:
    """A head and a body in a dark hollow."""
    film = _sonogram(rng, (400, 340))
    film.fill((0.5, 0.5), (0.33, 0.24), 0.03, rng.uniform(-15, 15), 0.08)
    head = 0.38 + rng.uniform(-0.03, 0.03), 0.48
    film.ellipse(head, (0.1, 0.11), 0.65, 0, 0.06)
    film.ellipse(head, (0.085, 0.095), -0.4, 0, 0.1)
    film.ellipse((0.57, 0.54), (0.13, 0.085), 0.45, 14, 0.3)
    for place in range(8):
        film.ellipse((0.5 + place * 0.025, 0.5 + place * 0.007), (0.009, 0.012), 0.4, 0, 0.4)
    film.line([(0.5, 0.56), (0.53, 0.64), (0.48, 0.68)], 0.02, 0.4, 2)
    _speckled(film, rng)
    film.levels *= _fan_mask(film, rng)
    return Drawn(_texts(studio, rng, film.image(grain=0.01, soft=0.7)), "ultrasound", "film")


def linear_probe(studio: Studio, rng: Random) -> Drawn:
    """Ultrasound in a box: layers across, one round vessel."""
    film = _sonogram(rng, (340, 340))
    for place in range(7):
        y = 0.08 + place * 0.09
        film.line([(-0.1, y), (1.1, y + rng.uniform(-0.05, 0.05))], 0.012, rng.uniform(0.1, 0.4), 2)
    film.fill((rng.uniform(0.3, 0.7), 0.5), (0.12, 0.1), 0.03, 0, 0.1)
    _speckled(film, rng)
    image = Image.new("RGB", (440, 380))
    image.paste(film.image(grain=0.01, soft=0.6), (50, 20))
    return Drawn(_texts(studio, rng, image), "ultrasound", "film")
