"""Drawn slices: CT and MRI of heads, chests, bellies and joints, and scans of activity."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageOps

from build_engines.pictures.camera import BILINEAR
from build_engines.pictures.film import Film, Levels
from build_engines.pictures.fonts import MONO
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, a_day, dice, named


def templates(split: Split) -> Named:
    """What medical.py adds to its own templates."""
    if split == "train":
        return named(
            head_slice, brain_slice, brain_side, chest_slice, belly_slice, hot_spots, slices
        )
    return named(joint_slice, whole_body) if split == "validation" else ()


def _corners(studio: Studio, rng: Random, image: Image.Image) -> Image.Image:
    """Data of the patient in the corners, now and then."""
    if rng.random() < 0.55:
        return image
    pen, people = ImageDraw.Draw(image), studio.people(rng)
    font = studio.fonts.any(MONO[studio.split], 10, rng)
    ink = rng.choice(((230, 230, 230), (240, 220, 90), (120, 220, 230)))
    for place, text in enumerate(
        (people.last_name().upper(), f"{rng.randint(1, 99)}Y", str(a_day(rng)))
    ):
        pen.text((6, 6 + place * 13), text, font=font, fill=ink)
    for place, text in enumerate(
        (f"kV {rng.choice((80, 100, 120))}", f"{rng.uniform(0.6, 5):.2f}mm")
    ):
        pen.text((6, image.height - 32 + place * 13), text, font=font, fill=ink)
    return image


def _finished(studio: Studio, rng: Random, film: Film, kind: str) -> Drawn:
    image = film.image(grain=rng.uniform(0.01, 0.06), soft=rng.uniform(0.4, 1.2))
    if rng.random() < 0.3:
        image = image.rotate(rng.gauss(0, 6), BILINEAR)
    return Drawn(_corners(studio, rng, image), kind, "film")


def _folds(film: Film, mask: Levels, by: float, count: float) -> None:
    """Dark furrows between the folds of a brain: level lines of a random field."""
    rough = dice(film.rng).normal(0, 1, (17, 17)).astype(np.float32)
    image = Image.fromarray(np.clip(rough * 40 + 128, 0, 255).astype(np.uint8), "L")
    field = np.asarray(
        image.resize((film.width, film.height), Image.Resampling.BICUBIC), np.float32
    )
    furrow = np.clip(1 - np.abs(np.sin(field / 255 * math.pi * count)) / 0.45, 0, 1)
    film.levels += by * furrow * mask


def _head(film: Film, rng: Random, rim: float, brain: float) -> Levels:
    centre = 0.5 + rng.uniform(-0.02, 0.02), 0.5 + rng.uniform(-0.02, 0.02)
    wide, high = rng.uniform(0.31, 0.36), rng.uniform(0.39, 0.44)
    film.fill(centre, (wide * 1.08, high * 1.06), rng.uniform(0.2, 0.5), 0, 0.04)
    film.fill(centre, (wide, high), rim, 0, 0.03)
    film.fill(centre, (wide * 0.9, high * 0.91), brain, 0, 0.05)
    return film.inside(centre, (wide * 0.88, high * 0.89))


def head_slice(studio: Studio, rng: Random) -> Drawn:
    """CT: a white rim of bone, a grey brain, dark chambers."""
    film = Film(rng, (320, 320))
    brain = rng.uniform(0.35, 0.5)
    mask = _head(film, rng, 1.0, brain)
    _folds(film, mask, -0.05, 4)
    film.line([(0.5, 0.16), (0.5, 0.84)], 0.006, 0.08, 1)
    for side in (-1, 1):
        film.ellipse((0.5 + side * 0.05, 0.42), (0.025, 0.11), -0.22, side * 14, 0.25)
        film.ellipse((0.5 + side * 0.08, 0.6), (0.025, 0.08), -0.18, side * -24, 0.25)
    if rng.random() < 0.35:
        where = 0.5 + rng.uniform(-0.18, 0.18), 0.5 + rng.uniform(-0.2, 0.2)
        film.ellipse(where, (rng.uniform(0.03, 0.08),) * 2, rng.choice((0.35, -0.15)), 0, 0.4)
    return _finished(studio, rng, film, "ct")


def brain_slice(studio: Studio, rng: Random) -> Drawn:
    """MRI across: bright fat, a dark skull, white and grey matter, T1 or T2."""
    film = Film(rng, (300, 320))
    mask = _head(film, rng, 0.05, 0.5)
    second = rng.random() < 0.5
    _folds(film, mask, 0.28 if second else -0.28, rng.uniform(4, 8))
    for side in (-1, 1):
        film.ellipse((0.5 + side * 0.12, 0.5), (0.12, 0.27), -0.1 if second else 0.18, 0, 0.5)
        film.ellipse(
            (0.5 + side * 0.045, 0.45), (0.022, 0.1), 0.5 if second else -0.5, side * 14, 0.3
        )
        film.ellipse((0.5 + side * 0.09, 0.55), (0.035, 0.05), 0.08, 0, 0.4)
    film.line([(0.5, 0.15), (0.5, 0.85)], 0.008, 0.25 if second else -0.25, 1)
    return _finished(studio, rng, film, "mri")


def brain_side(studio: Studio, rng: Random) -> Drawn:
    """MRI from the side: face, brain, stem, neck."""
    film = Film(rng, (330, 330))
    film.fill((0.52, 0.42), (0.4, 0.36), 0.65, 0, 0.03)
    film.fill((0.34, 0.72), (0.2, 0.24), 0.4, 15, 0.1)
    film.line([(0.62, 0.65), (0.64, 1.1)], 0.36, 0.35, 5)
    film.fill((0.52, 0.42), (0.37, 0.33), 0.06, 0, 0.03)
    film.fill((0.52, 0.41), (0.34, 0.3), 0.5, 0, 0.04)
    _folds(film, film.inside((0.52, 0.39), (0.34, 0.29)), -0.3, rng.uniform(5, 8))
    film.line([(0.36, 0.45), (0.44, 0.36), (0.56, 0.36), (0.66, 0.44)], 0.03, 0.35, 1)
    film.fill((0.68, 0.64), (0.11, 0.09), 0.45, 0, 0.1)
    _folds(film, film.inside((0.68, 0.64), (0.11, 0.09)), -0.25, 14)
    film.line([(0.53, 0.55), (0.56, 0.68), (0.6, 0.85), (0.6, 1.1)], 0.06, 0.3, 2)
    for place in range(6):
        film.ellipse((0.52, 0.8 + place * 0.06), (0.035, 0.02), 0.3, 0, 0.2)
    film.fill((0.2, 0.6), (0.06, 0.03), 0.05, -20, 0.3)
    return _finished(studio, rng, film, "mri")


def _trunk(film: Film, rng: Random, level: float) -> None:
    """An oval body with fat, a spine and ribs."""
    film.fill((0.5, 0.5), (0.46, 0.34), 0.25, 0, 0.03)
    film.fill((0.5, 0.5), (0.43, 0.31), level, 0, 0.04)
    for place in range(18):
        turn = place * math.pi / 9 + rng.uniform(-0.08, 0.08)
        where = 0.5 + 0.41 * math.cos(turn), 0.5 + 0.29 * math.sin(turn)
        film.ellipse(where, (0.03, 0.008), 0.5, math.degrees(turn) + 90, 0.3)
    film.ellipse((0.5, 0.7), (0.05, 0.05), 0.55, 0, 0.2)
    film.ellipse((0.5, 0.77), (0.018, 0.018), -0.3, 0, 0.3)
    film.line([(0.44, 0.81), (0.5, 0.76), (0.56, 0.81)], 0.02, 0.45, 1)
    film.line([(0.1, 0.88), (0.5, 0.95), (0.9, 0.88)], 0.008, 0.3, 1)


def chest_slice(studio: Studio, rng: Random) -> Drawn:
    film = Film(rng, (380, 320))
    _trunk(film, rng, 0.5)
    for side in (-1, 1):
        lung = (0.5 + side * 0.22, 0.5), (0.16, rng.uniform(0.2, 0.25))
        film.fill(*lung, 0.06, side * 8, 0.05)
        film.cloud(50, 0.05, film.inside(*lung))
        for _ in range(14):
            where = 0.5 + side * rng.uniform(0.1, 0.34), rng.uniform(0.34, 0.66)
            film.ellipse(where, (rng.uniform(0.003, 0.012),) * 2, 0.4, 0, 0.6)
    film.ellipse((0.54, 0.42), (0.12, 0.1), 0.12, 20, 0.2)
    film.ellipse((0.48, 0.56), (0.04, 0.04), 0.3, 0, 0.2)
    return _finished(studio, rng, film, "ct")


def belly_slice(studio: Studio, rng: Random) -> Drawn:
    film = Film(rng, (380, 320))
    _trunk(film, rng, rng.uniform(0.28, 0.38))
    film.ellipse((0.32, 0.45), (0.2, 0.17), 0.25, -12, 0.12)
    film.ellipse((0.72, 0.4), (0.11, 0.09), rng.choice((0.2, -0.25)), 25, 0.2)
    film.ellipse((0.8, 0.55), (0.05, 0.08), 0.25, -15, 0.15)
    for side in (-1, 1):
        film.ellipse((0.5 + side * 0.2, 0.65), (0.055, 0.075), 0.32, side * -20, 0.15)
        film.ellipse((0.5 + side * 0.18, 0.65), (0.02, 0.03), -0.2, 0, 0.4)
    film.ellipse((0.53, 0.6), (0.028, 0.03), 0.4, 0, 0.15)
    for _ in range(rng.randint(4, 12)):
        where = rng.uniform(0.4, 0.75), rng.uniform(0.28, 0.5)
        film.ellipse(
            where,
            (rng.uniform(0.02, 0.045), 0.022),
            rng.choice((0.2, -0.3)),
            rng.uniform(0, 90),
            0.25,
        )
    film.cloud(60, 0.03, film.inside((0.5, 0.5), (0.43, 0.31)))
    return _finished(studio, rng, film, "ct")


def _heated(image: Image.Image, rng: Random) -> Image.Image:
    black, middle, white = rng.choice(
        (
            ((0, 0, 0), (220, 60, 0), (255, 255, 190)),
            ((0, 0, 60), (40, 190, 90), (255, 60, 30)),
            ((0, 0, 0), (70, 30, 160), (250, 200, 80)),
        )
    )
    return ImageOps.colorize(image.convert("L"), black, white, middle)


def hot_spots(studio: Studio, rng: Random) -> Drawn:
    """Activity in false colours."""
    film = Film(rng, (300, 320))
    if rng.random() < 0.5:
        _head(film, rng, 0.15, 0.4)
    else:
        _trunk(film, rng, 0.3)
    for _ in range(rng.randint(3, 9)):
        where = 0.5 + rng.uniform(-0.26, 0.26), 0.5 + rng.uniform(-0.25, 0.25)
        film.ellipse(where, (rng.uniform(0.02, 0.11),) * 2, rng.uniform(0.2, 0.6), 0, 0.9)
    return Drawn(
        _corners(studio, rng, _heated(film.image(grain=0.03, soft=3), rng)), "scan", "film"
    )


def slices(studio: Studio, rng: Random) -> Drawn:
    """Many slices of one examination in rows."""
    draw = rng.choice((head_slice, brain_slice, brain_side, chest_slice, belly_slice))
    columns, rows = rng.choice(((3, 2), (4, 3), (2, 2), (5, 4)))
    side = 480 // columns
    sheet = Image.new("RGB", (columns * side, rows * side))
    shown = [draw(studio, rng) for _ in range(3)]
    for place in range(columns * rows):
        tile = shown[place % 3].image.resize((side - 2, side - 2), BILINEAR)
        sheet.paste(tile, (place % columns * side, place // columns * side))
    return Drawn(sheet, shown[0].kind, "film")


def joint_slice(studio: Studio, rng: Random) -> Drawn:
    """MRI of a knee from the side."""
    film = Film(rng, (300, 340), 0.02)
    film.line([(0.5, -0.1), (0.5, 1.1)], 0.72, 0.3, 8)
    film.cloud(30, 0.04)
    film.fill((0.52, 0.36), (0.2, 0.15), 0.75, 0, 0.08)
    film.line([(0.5, -0.1), (0.52, 0.3)], 0.24, 0.35, 4)
    film.fill((0.52, 0.63), (0.21, 0.1), 0.72, 0, 0.08)
    film.line([(0.52, 0.66), (0.54, 1.1)], 0.25, 0.32, 4)
    film.line([(0.32, 0.5), (0.7, 0.52)], 0.03, -0.5, 1)
    film.fill((0.24, 0.36), (0.06, 0.11), 0.7, 10, 0.1)
    return _finished(studio, rng, film, "mri")


def whole_body(studio: Studio, rng: Random) -> Drawn:
    """Activity from head to foot, dark on white, front and back."""
    film = Film(rng, (360, 420))
    for x in (0.27, 0.73):
        film.ellipse((x, 0.09), (0.045, 0.055), 0.5, 0, 0.4)
        film.line([(x, 0.15), (x, 0.5)], 0.15, 0.22, 6)
        for side in (-1, 1):
            film.line([(x + side * 0.05, 0.5), (x + side * 0.06, 0.98)], 0.05, 0.3, 4)
            film.line([(x + side * 0.1, 0.2), (x + side * 0.14, 0.52)], 0.03, 0.25, 3)
        film.line([(x, 0.15), (x, 0.5)], 0.02, 0.4, 2)
        film.ellipse((x, 0.53), (0.03, 0.025), 0.7, 0, 0.5)
    image = film.image(grain=0.08, soft=0.8)
    return Drawn(ImageOps.invert(image) if rng.random() < 0.7 else image, "scan", "film")
