"""More of the newer test templates of medical pictures: drawn X-rays and slices."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day, dice
from build_engines.pictures.unseen_props import CUBIC, Brush


def templates() -> tuple[Template, ...]:
    return (
        new_hand_x_ray,
        new_chest_x_ray,
        new_teeth,
        new_head_slices,
    )


def _grainy(layer: Image.Image, rng: Random, spread: float = 7) -> Image.Image:
    levels = np.asarray(layer.convert("L"), np.float32)
    noise = dice(rng).normal(0, spread, levels.shape)
    grey = Image.fromarray(np.clip(levels + noise, 0, 255).astype(np.uint8), "L")
    return grey.convert("RGB")


def _bone(
    pen: ImageDraw.ImageDraw, a: tuple[float, float], b: tuple[float, float], wide: float
) -> None:
    """A long bone: its ends are wider, its edges brighter than its middle."""
    for ink, part in ((205, 1.0), (165, 0.55)):
        pen.line((*a, *b), fill=ink, width=max(2, int(wide * part)))
    for x, y in (a, b):
        half = wide * 0.62
        pen.ellipse((x - half, y - half, x + half, y + half), fill=195)


def _marked(studio: Studio, rng: Random, image: Image.Image) -> Image.Image:
    """The letter of the side, and now and then what the machine writes."""
    brush = Brush(studio, image)
    brush.say(
        (rng.choice((18, image.width - 48)), 20), rng.choice("LR"), 30, (235, 235, 235), bold=True
    )
    if rng.random() < 0.5:
        people = studio.people(rng)
        for row, text in enumerate(
            (people.name().upper(), f"{a_day(rng)}", people.bothify("ID ######"))
        ):
            brush.say((14, image.height - 60 + row * 18), text, 13, (215, 215, 215), face="pt_sans")
    return image


def new_hand_x_ray(studio: Studio, rng: Random) -> Drawn:
    """The bones of a hand in its flesh."""
    width, height = 440, 560
    flesh, bones = (
        Image.new("L", (width, height), rng.randint(4, 20)),
        Image.new("L", (width, height), 0),
    )
    soft, pen = ImageDraw.Draw(flesh), ImageDraw.Draw(bones)
    soft.ellipse((120, 250, 330, 470), fill=70)
    soft.rectangle((160, 420, 290, 560), fill=66)
    for place, (angle, length) in enumerate(
        ((-58, 150), (-17, 230), (-3, 250), (11, 232), (26, 190))
    ):
        turn = math.radians(angle + rng.gauss(0, 2))
        x, y = 225.0 + (place - 2) * 34, 420.0 if place else 428.0
        parts = (0.42, 0.3, 0.17, 0.11) if place else (0.4, 0.34, 0.26)
        start = 24.0
        soft.line(
            (x, y, x + length * 1.34 * math.sin(turn), y - length * 1.34 * math.cos(turn)),
            fill=74,
            width=52,
        )
        for part in parts:
            end = start + length * part * 1.16
            a = x + start * math.sin(turn), y - start * math.cos(turn)
            b = x + (end - 8) * math.sin(turn), y - (end - 8) * math.cos(turn)
            _bone(pen, a, b, 20 - 2.5 * parts.index(part))
            start = end + 7
    for _ in range(8):
        x, y = rng.uniform(180, 272), rng.uniform(418, 456)
        pen.ellipse((x - 17, y - 14, x + 17, y + 14), fill=rng.randint(150, 200))
    _bone(pen, (200, 480), (194, 580), 40)
    _bone(pen, (254, 482), (260, 580), 32)
    flesh, bones = (
        flesh.filter(ImageFilter.GaussianBlur(9)),
        bones.filter(ImageFilter.GaussianBlur(2.2)),
    )
    grey = Image.fromarray(
        np.clip(
            np.asarray(flesh, np.float32) + 0.72 * np.asarray(bones, np.float32), 0, 255
        ).astype(np.uint8),
        "L",
    )
    if rng.random() < 0.5:
        grey = ImageOps.mirror(grey)
    return Drawn(_marked(studio, rng, _grainy(grey, rng)), "x_ray", "film")


def new_chest_x_ray(studio: Studio, rng: Random) -> Drawn:
    """Two dark lungs, ribs, the spine, the heart's shadow."""
    width, height = 500, 520
    body = Image.new("L", (width, height), 26)
    pen = ImageDraw.Draw(body)
    pen.rounded_rectangle((30, 60, 470, 600), 110, fill=150)
    pen.rectangle((190, 0, 310, 130), fill=140)
    for side in (-1, 1):
        x = 250 + side * 105
        pen.ellipse((x - 78, 84, x + 78, 300), fill=52)
        pen.rounded_rectangle((x - 84, 180, x + 84, 410), 56, fill=46)
    pen.rectangle((228, 0, 272, 520), fill=178)
    pen.ellipse((205, 250, 358, 440), fill=176)
    pen.ellipse((40, 388, 250, 520), fill=172)
    pen.ellipse((258, 400, 460, 520), fill=166)
    body = body.filter(ImageFilter.GaussianBlur(13))
    ribs = Image.new("L", (width, height), 0)
    pen = ImageDraw.Draw(ribs)
    for place in range(9):
        y = 84 + place * 38
        for side in (-1, 1):
            wide = 150 + 34 * math.sin(place / 8 * math.pi)
            outer = 250 + side * wide
            left, right = sorted((250 + side * 10, outer))
            pen.arc(
                (left, y - 26, right + 1, y + 66),
                *((200, 340) if place % 2 else (190, 350)),
                fill=62,
                width=13,
            )
    for side in (-1, 1):
        pen.line((250 + side * 24, 92, 250 + side * 172, 60), fill=90, width=20)
    for y in range(10, 520, 30):
        pen.rectangle((230, y, 270, y + 20), fill=26)
    ribs = ribs.filter(ImageFilter.GaussianBlur(2.4))
    levels = np.asarray(body, np.float32) + np.asarray(ribs, np.float32)
    grey = Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8), "L")
    return Drawn(_marked(studio, rng, _grainy(grey, rng, 5)), "x_ray", "film")


def new_teeth(studio: Studio, rng: Random) -> Drawn:
    """Both jaws in one curve, as a dentist's machine takes them."""
    width, height = 640, 320
    image = Image.new("L", (width, height), 40)
    pen = ImageDraw.Draw(image)
    pen.ellipse((40, -190, 600, 270), fill=84)
    pen.arc((50, -150, 590, 290), 20, 160, fill=150, width=40)
    pen.ellipse((230, 20, 410, 90), fill=54)
    image = image.filter(ImageFilter.GaussianBlur(9))
    pen = ImageDraw.Draw(image)
    for jaw in (-1, 1):
        for place in range(-7, 8):
            if rng.random() < 0.06:
                continue
            x = 320 + place * 31
            y = 176 - (place / 7) ** 2 * 52 + jaw * 5
            wide = 10 + 3.4 * abs(place) / 3
            pen.rounded_rectangle(
                (x - wide, min(y, y + jaw * 34), x + wide, max(y, y + jaw * 34)), 6, fill=208
            )
            for root in (-0.5, 0.5) if abs(place) > 3 else (0,):
                pen.polygon(
                    (
                        (x + root * wide - 6, y + jaw * 32),
                        (x + root * wide + 6, y + jaw * 32),
                        (x + root * wide, y + jaw * 76),
                    ),
                    fill=178,
                )
            pen.line((x, y + jaw * 12, x, y + jaw * 60), fill=132, width=3)
            if rng.random() < 0.15:
                pen.ellipse((x - 7, y + jaw * 12 - 6, x + 7, y + jaw * 12 + 6), fill=250)
    image = image.filter(ImageFilter.GaussianBlur(1.8))
    return Drawn(_marked(studio, rng, _grainy(image, rng, 6)), "x_ray", "film")


def new_head_slices(studio: Studio, rng: Random) -> Drawn:
    """Slices through a head on one film, bone bright."""
    across, down = rng.choice(((3, 2), (4, 3), (2, 2)))
    side = 560 // across
    film = Image.new("RGB", (side * across, side * down), (6, 6, 8))
    for place in range(across * down):
        tile = Image.new("L", (160, 160), 4)
        pen = ImageDraw.Draw(tile)
        size = 0.55 + 0.45 * math.sin(math.pi * (place + 1) / (across * down + 1))
        w, h = 56 * size, 70 * size
        pen.ellipse((80 - w, 80 - h, 80 + w, 80 + h), fill=246)
        pen.ellipse((86 - w, 86 - h, 74 + w, 74 + h), fill=118)
        pen.line((80, 86 - h, 80, 74 + h), fill=150)
        for turn in range(14):
            a = turn * math.pi / 7
            x, y = 80 + 0.8 * w * math.cos(a), 80 + 0.8 * h * math.sin(a)
            pen.line(
                (x, y, 80 + 0.62 * w * math.cos(a), 80 + 0.62 * h * math.sin(a)), fill=92, width=3
            )
        for mirror in (-1, 1):
            x = 80 + mirror * 13 * size
            pen.ellipse((x - 7 * size, 80 - 30 * size, x + 7 * size, 80 + 4), fill=44)
            pen.ellipse((x - 5 * size, 84, x + 9 * size, 80 + 34 * size), fill=48)
        tile = tile.filter(ImageFilter.GaussianBlur(1.3)).resize((side - 6, side - 6), CUBIC)
        film.paste(_grainy(tile, rng, 9), (place % across * side + 3, place // across * side + 3))
    return Drawn(film, "ct", "film")
