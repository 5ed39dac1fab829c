"""Drawn X-rays: chests, hands, teeth, long bones, spines, pelves, skulls, breasts."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw, ImageOps

from build_engines.pictures.film import Film, Point
from build_engines.pictures.fonts import SANS
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, named


def templates(split: Split) -> Named:
    """What medical.py adds to its own templates."""
    if split == "train":
        return named(chest, chest, hand, jaws, long_bones, spine, pelvis, skull, breast)
    return named(knee, tooth) if split == "validation" else ()


def _finished(studio: Studio, rng: Random, film: Film, kind: str) -> Drawn:
    """Grain, a mark of the side, sometimes inverse, blue or on a black border."""
    image = film.image(grain=rng.uniform(0.005, 0.05), soft=rng.uniform(0.3, 1.3))
    pen = ImageDraw.Draw(image)
    if rng.random() < 0.6:
        font = studio.fonts.any(SANS[:5], rng.randint(14, 30), rng, bold=True)
        where = (rng.choice((12, image.width - 40)), rng.randint(8, 60))
        pen.text(where, rng.choice(("L", "R", "R", "AP", "PA")), font=font, fill=(235, 235, 235))
    draw = rng.random()
    if draw < 0.12:
        image = ImageOps.invert(image)
    elif draw < 0.3:
        tint = rng.choice(((190, 215, 255), (225, 235, 255), (255, 240, 220)))
        image = ImageOps.colorize(image.convert("L"), (0, 2, 8), tint)
    if rng.random() < 0.25:
        image = ImageOps.expand(image, rng.randint(8, 50), 0)
    if rng.random() < 0.3:
        image = image.rotate(rng.gauss(0, 5), Image.Resampling.BILINEAR)
    return Drawn(image, kind, "film")


def _ribs(film: Film, rng: Random, by: float) -> None:
    first, step = rng.uniform(0.14, 0.2), rng.uniform(0.055, 0.075)
    for place in range(rng.randint(8, 10)):
        y = first + place * step
        out = 0.4 - 0.16 / (1 + place) + rng.uniform(-0.01, 0.01)
        for side in (-1, 1):
            arch = [
                (0.5 + side * out * math.sin(turn), y + 0.14 * (1 - math.cos(turn)) - 0.04)
                for turn in (part * 0.16 for part in range(1, 12))
            ]
            film.line(arch, 0.02, by, 1.2)


def chest(studio: Studio, rng: Random) -> Drawn:
    """Two dark lungs, ribs, a heart, collar bones, a diaphragm."""
    film = Film(rng, (rng.randint(300, 380), rng.randint(320, 400)), 0.03)
    film.ellipse((0.5, 0.62), (0.52, 0.66), rng.uniform(0.45, 0.62), 0, 0.2)
    film.ellipse((0.5, 0.04), (0.13, 0.16), 0.3, 0, 0.4)
    for side in (-1, 1):
        lung = (
            (0.5 + side * rng.uniform(0.19, 0.22), 0.46),
            (rng.uniform(0.14, 0.17), rng.uniform(0.3, 0.36)),
        )
        film.ellipse(*lung, -rng.uniform(0.3, 0.42), side * 7, 0.25)
        film.cloud(40, 0.02, film.inside(*lung))
        film.line([(0.5 + side * 0.04, 0.2), (0.5 + side * 0.36, 0.14)], 0.03, 0.16)
        film.ellipse((0.5 + side * 0.24, 0.93), (0.26, 0.2), 0.28, 0, 0.25)
    _ribs(film, rng, rng.uniform(0.05, 0.12))
    film.line([(0.5, 0), (0.5, 1)], 0.07, 0.16, 4)
    film.ellipse(
        (0.5 + rng.uniform(0.03, 0.08), 0.62), (rng.uniform(0.12, 0.18), 0.17), 0.32, -24, 0.25
    )
    if rng.random() < 0.2:
        film.ellipse(
            (0.5 + rng.choice((-0.2, 0.2)), rng.uniform(0.3, 0.6)), (0.05, 0.05), 0.2, 0, 0.8
        )
    return _finished(studio, rng, film, "x_ray")


def hand(studio: Studio, rng: Random) -> Drawn:
    """Five fingers of three bones each, a wrist below."""
    film = Film(rng, (320, 400), 0.02)
    film.ellipse((0.5, 0.62), (0.3, 0.24), 0.22, 0, 0.3)
    film.line([(0.5, 0.7), (0.5, 1)], 0.34, 0.2, 10)
    for place in range(5):
        lean = (place - 2.2) * 15 + rng.uniform(-3, 3)
        angle, thumb = math.radians(lean), place == 4
        x, y = 0.33 + place * 0.09, 0.74 - (0.03 if not thumb else -0.04)
        size = (0.62, 0.95, 1.05, 0.95, 0.7)[place]
        flesh: list[Point] = [(x, y)]
        for length in (0.2, 0.13, 0.085, 0.06)[1 if thumb else 0 :]:
            u, v = x + math.sin(angle) * length * size, y - math.cos(angle) * length * size
            film.bone(((x, y), (u, v)), 0.042 if length > 0.1 else 0.034, rng.uniform(0.42, 0.55))
            x, y = u + math.sin(angle) * 0.022, v - math.cos(angle) * 0.022
            flesh.append((x, y))
        film.line(flesh, 0.085, 0.2, 4)
    for _ in range(8):
        centre = 0.5 + rng.uniform(-0.13, 0.13), 0.81 + rng.uniform(-0.035, 0.035)
        film.ellipse(centre, (0.045, 0.035), 0.28, rng.uniform(0, 90), 0.25)
    film.bone(((0.43, 0.9), (0.42, 1.1)), 0.11, 0.5)
    film.bone(((0.59, 0.91), (0.6, 1.1)), 0.075, 0.5)
    return _finished(studio, rng, film, "bones")


def jaws(studio: Studio, rng: Random) -> Drawn:
    """Both rows of teeth in one wide picture."""
    film = Film(rng, (460, 240), 0.12)
    film.ellipse((0.5, 0.5), (0.5, 0.48), 0.2, 0, 0.4)
    curve = rng.uniform(0.1, 0.22)
    for row in (-1, 1):
        arch = [
            (0.06 + part * 0.044, 0.5 + row * 0.22 + curve * ((part - 10) / 10) ** 2 * -1 + 0.08)
            for part in range(21)
        ]
        film.line(arch, 0.09, 0.18, 6)
        for place in range(15):
            part = (place - 7) / 7
            x = 0.5 + part * 0.34
            middle = 0.5 + 0.1 - curve * part**2
            wide = 0.011 + 0.008 * abs(part)
            lean = part * 12 * -row
            if rng.random() < 0.05:
                continue
            film.ellipse((x, middle + row * 0.075), (wide, 0.075), 0.35, lean, 0.3)
            film.ellipse((x, middle + row * 0.16), (wide * 0.7, 0.09), 0.22, lean, 0.4)
            if rng.random() < 0.15:
                film.ellipse((x, middle + row * 0.05), (wide * 0.8, 0.025), 0.5, 0, 0.1)
    for side in (-1, 1):
        film.line([(0.5 + side * 0.38, 0.75), (0.5 + side * 0.45, 0.12)], 0.07, 0.2, 4)
    film.line([(0.1, 0.62), (0.3, 0.92), (0.7, 0.92), (0.9, 0.62)], 0.05, 0.22, 3)
    film.cloud(30, 0.03)
    return _finished(studio, rng, film, "teeth")


def long_bones(studio: Studio, rng: Random) -> Drawn:
    """One or two shafts in soft flesh, some broken, some mended."""
    film = Film(rng, (rng.randint(200, 300), rng.randint(340, 420)), 0.02)
    film.line([(0.5, -0.1), (0.5 + rng.uniform(-0.1, 0.1), 1.1)], rng.uniform(0.5, 0.75), 0.22, 14)
    for place in range(rng.choice((1, 2))):
        x = 0.42 + place * 0.2
        ends = (x, rng.uniform(-0.05, 0.15)), (x + rng.uniform(-0.06, 0.06), rng.uniform(0.8, 1.05))
        film.bone(ends, rng.uniform(0.1, 0.17), rng.uniform(0.45, 0.6))
        if rng.random() < 0.35:
            y = rng.uniform(0.3, 0.7)
            film.line([(x - 0.12, y), (x + 0.12, y + rng.uniform(-0.08, 0.08))], 0.015, -0.35, 1)
    if rng.random() < 0.3:
        film.line([(0.5, 0.25), (0.5, 0.75)], 0.03, 0.7, 0.6)
        for screw in range(6):
            y = 0.28 + screw * 0.09
            film.line([(0.4, y), (0.6, y + 0.01)], 0.015, 0.6, 0.6)
    return _finished(studio, rng, film, "bones")


def spine(studio: Studio, rng: Random) -> Drawn:
    """Vertebrae one above the other along a bent line."""
    film = Film(rng, (rng.randint(220, 320), 420), 0.06)
    film.line([(0.5, -0.1), (0.5, 1.1)], 0.8, 0.2, 30)
    bend, phase = rng.uniform(-0.12, 0.12), rng.uniform(0, 3)
    count = rng.randint(7, 14)
    for place in range(count):
        y = (place + 0.5) / count
        x = 0.5 + bend * math.sin(y * 3.5 + phase)
        wide, high = 0.1 + 0.06 * y, 0.4 / count
        film.polygon(
            [
                (x - wide, y - high),
                (x + wide, y - high),
                (x + wide * 0.9, y),
                (x + wide, y + high),
                (x - wide, y + high),
                (x - wide * 0.9, y),
            ],
            0.3,
            2,
        )
        film.ellipse((x, y), (wide * 0.2, high * 0.8), 0.18, 0, 0.4)
        film.line(
            [(x - wide * 2, y + 0.01), (x - wide, y), (x + wide, y), (x + wide * 2, y + 0.01)],
            0.02,
            0.1,
            2,
        )
    film.cloud(18, 0.03)
    return _finished(studio, rng, film, "bones")


def pelvis(studio: Studio, rng: Random) -> Drawn:
    """Hips from the front."""
    film = Film(rng, (400, 330), 0.04)
    film.ellipse((0.5, 0.5), (0.52, 0.6), 0.28, 0, 0.3)
    for side in (-1, 1):
        film.ellipse((0.5 + side * 0.26, 0.32), (0.17, 0.22), 0.3, side * 28, 0.15)
        film.ellipse((0.5 + side * 0.12, 0.76), (0.1, 0.11), 0.25, 0, 0.2)
        film.ellipse((0.5 + side * 0.12, 0.77), (0.05, 0.06), -0.28, 0, 0.3)
        film.ellipse((0.5 + side * 0.3, 0.61), (0.065, 0.075), 0.38, 0, 0.15)
        film.bone(((0.5 + side * 0.39, 0.68), (0.5 + side * 0.36, 1.1)), 0.09, 0.5)
        film.line([(0.5 + side * 0.31, 0.63), (0.5 + side * 0.39, 0.7)], 0.07, 0.3, 3)
        if rng.random() < 0.15:
            film.ellipse((0.5 + side * 0.3, 0.61), (0.07, 0.08), 0.6, 0, 0.05)
            film.line([(0.5 + side * 0.33, 0.66), (0.5 + side * 0.37, 0.95)], 0.035, 0.6, 1)
    film.line([(0.5, 0), (0.5, 0.45)], 0.15, 0.25, 4)
    film.cloud(20, 0.03)
    return _finished(studio, rng, film, "bones")


def skull(studio: Studio, rng: Random) -> Drawn:
    """A head from the side or the front."""
    film = Film(rng, (340, 380), 0.02)
    wide = rng.choice((0.3, 0.4))
    film.ellipse((0.5, 0.38), (wide, 0.34), 0.42, 0, 0.06)
    film.ellipse((0.5, 0.39), (wide * 0.93, 0.31), -0.14, 0, 0.08)
    film.ellipse((0.5, 0.7), (wide * 0.6, 0.24), 0.22, 0, 0.25)
    for side in (-1, 1):
        x = 0.5 + side * 0.11 if wide < 0.35 else 0.2
        film.ellipse((x, 0.5), (0.075, 0.06), -0.24, side * 8, 0.25)
        film.ellipse((x, 0.5), (0.085, 0.07), 0.12, side * 8, 0.15)
    film.polygon([(0.5, 0.52), (0.45, 0.64), (0.55, 0.64)], -0.2, 3)
    for place in range(12):
        x = 0.38 + place * 0.021
        film.ellipse((x, 0.73), (0.009, 0.025), 0.3, 0, 0.3)
        film.ellipse((x, 0.78), (0.009, 0.025), 0.3, 0, 0.3)
    film.line([(0.5, 0.8), (0.5, 1.1)], 0.17, 0.25, 6)
    film.cloud(22, 0.02)
    return _finished(studio, rng, film, "bones")


def breast(studio: Studio, rng: Random) -> Drawn:
    """Soft tissue from the edge of the film, or two of them back to back."""
    film = Film(rng, (rng.choice((240, 300)), 380), 0.01)
    film.ellipse((0.0, 0.5), (rng.uniform(0.6, 0.9), rng.uniform(0.38, 0.46)), 0.28, 0, 0.12)
    mask = film.inside((0.05, 0.5), (0.65, 0.36), 0, 0.3)
    for scale in (8, 20, 50):
        film.cloud(scale, 0.09, mask)
    film.ellipse((0.25, 0.5), (0.3, 0.22), rng.uniform(0.1, 0.35), 0, 0.9)
    for _ in range(6):
        y = rng.uniform(0.35, 0.65)
        film.line([(0.0, y), (0.3, 0.5 + rng.uniform(-0.1, 0.1)), (0.62, 0.5)], 0.008, 0.1, 1)
    image = film.image(grain=0.02, soft=0.6)
    if rng.random() < 0.5:
        both = Image.new("RGB", (image.width * 2, image.height))
        both.paste(ImageOps.mirror(image), (0, 0))
        both.paste(image, (image.width, 0))
        image = both
    return Drawn(image, "x_ray", "film")


def knee(studio: Studio, rng: Random) -> Drawn:
    """A thigh and a shin that meet."""
    film = Film(rng, (300, 380), 0.02)
    film.line([(0.48, -0.1), (0.5, 1.1)], 0.6, 0.22, 16)
    film.bone(((0.47, -0.1), (0.48, 0.36)), 0.22, 0.5)
    for side in (-1, 1):
        film.ellipse((0.48 + side * 0.1, 0.42), (0.11, 0.08), 0.36, 0, 0.15)
    film.ellipse((0.49, 0.56), (0.22, 0.055), 0.38, 0, 0.15)
    film.bone(((0.49, 0.6), (0.5, 1.1)), 0.19, 0.45)
    film.bone(((0.71, 0.66), (0.69, 1.1)), 0.06, 0.4)
    film.ellipse((0.48, 0.34), (0.1, 0.09), 0.14, 0, 0.2)
    film.cloud(26, 0.02)
    return _finished(studio, rng, film, "bones")


def tooth(studio: Studio, rng: Random) -> Drawn:
    """Three teeth on a small film."""
    film = Film(rng, (300, 230), 0.25)
    film.cloud(40, 0.05)
    for place in range(3):
        x = 0.2 + place * 0.3
        film.ellipse((x, 0.32), (0.12, 0.17), 0.42, 0, 0.12)
        for side in (-1, 1):
            film.ellipse((x + side * 0.06, 0.62), (0.045, 0.26), 0.25, side * -7, 0.2)
            film.line([(x + side * 0.03, 0.36), (x + side * 0.06, 0.84)], 0.012, -0.12, 2)
        if rng.random() < 0.5:
            film.ellipse((x, 0.2), (0.07, 0.05), 0.6, 0, 0.06)
    return _finished(studio, rng, film, "teeth")
