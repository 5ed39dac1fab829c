"""Newer test templates of medical pictures: drawn films, ultrasound, a heart's curve, viewers."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from build_engines.pictures import photographs, unseen_films
from build_engines.pictures.photographs import Photograph
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day, dice
from build_engines.pictures.unseen_props import CUBIC, Brush, thumbed

Levels = npt.NDArray[np.float32]


def templates() -> tuple[Template, ...]:
    return (
        new_ultrasound,
        new_heart_curve,
        new_viewer,
        new_held_film,
        *unseen_films.templates(),
    )


def _scan(studio: Studio, rng: Random) -> tuple[Photograph, Image.Image]:
    """A scan of the split, one slice of a volume."""
    one = rng.choice(photographs.of(studio.split, "medical"))
    image = studio.show(one)
    if one.volume:
        side = image.width
        top = side * rng.randrange(image.height // side)
        image = image.crop((0, top, side, top + side))
    return one, image.copy()


def new_ultrasound(studio: Studio, rng: Random) -> Drawn:
    """A fan of speckle below the probe, with a scale and the machine's words."""
    width, height = 560, 430
    x, y = np.meshgrid(np.arange(width) - width / 2, np.arange(height) + 70.0)
    far, turn = np.hypot(x, y), np.arctan2(x, y)
    inside = (np.abs(turn) < rng.uniform(0.5, 0.72)) & (far > 120) & (far < 470)
    tissue = Image.fromarray(
        (dice(rng).random((height // 5, width // 4)) * 255).astype(np.uint8), "L"
    )
    speckle = np.asarray(tissue.resize((width, height), CUBIC), np.float32)
    layers = 40 * np.sin(far / rng.uniform(14, 30) + 2 * np.sin(turn * 5))
    levels = (0.5 * speckle + layers + 20) * np.clip(1.5 - far / 400, 0.2, 1.2)
    for _ in range(rng.randint(1, 3)):
        cx, cy, big = rng.uniform(-90, 90), rng.uniform(200, 380), rng.uniform(24, 62)
        near = np.hypot((x - cx) / 1.5, y - cy)
        levels = np.where(near < big, levels * 0.15, levels)
        levels = np.where(np.abs(near - big) < 4, levels + 90, levels)
    levels = np.where(inside, levels, 0)
    image = (
        Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8), "L")
        .filter(ImageFilter.GaussianBlur(0.8))
        .convert("RGB")
    )
    brush = Brush(studio, image)
    people, pale = studio.people(rng), (200, 210, 220)
    brush.say((12, 8), people.name().upper(), 13, pale, face="roboto")
    for row, text in enumerate(
        (
            f"{a_day(rng)}",
            f"FR {rng.randint(18, 60)}Hz",
            "2D",
            f"{rng.randint(40, 80)}%",
            "C 55",
            "P Low",
        )
    ):
        brush.say((12, 40 + row * 17), text, 12, pale, face="roboto")
    for step in range(9):
        brush.pen.line(
            (width - 26, 60 + step * 40, width - (12 if step % 2 else 18), 60 + step * 40),
            fill=pale,
        )
    for step in range(40):
        brush.pen.line((width - 60, 80 + step, width - 50, 80 + step), fill=(250 - step * 6,) * 3)
    return Drawn(image, "ultrasound", "film")


def new_heart_curve(studio: Studio, rng: Random) -> Drawn:
    """Leads of an electrocardiogram on pink squares."""
    image = Image.new("RGB", (640, 440), (253, 240, 238))
    brush = Brush(studio, image)
    for at in range(0, 640, 8):
        ink = (236, 160, 160) if at % 40 == 0 else (248, 212, 210)
        brush.pen.line((at, 0, at, 440), fill=ink)
        brush.pen.line((0, at, 640, at), fill=ink)
    beat, leads = (
        rng.uniform(60, 110),
        ("I", "aVR", "V1", "V4", "II", "aVL", "V2", "V5", "III", "aVF", "V3", "V6"),
    )
    for row in range(4):
        y = 76 + row * 98
        gains = [rng.choice((-0.5, 0.6, 1.0, 1.3)) for _ in range(4)]
        points = []
        for x in range(8, 634, 2):
            part = (x % beat) / beat
            gain = gains[min(3, x // 158)] if row < 3 else 1.0
            wave = 6 * math.exp(-(((part - 0.2) / 0.03) ** 2)) - 5 * math.exp(
                -(((part - 0.35) / 0.012) ** 2)
            )
            wave += 46 * math.exp(-(((part - 0.385) / 0.013) ** 2)) - 13 * math.exp(
                -(((part - 0.42) / 0.014) ** 2)
            )
            wave += 11 * math.exp(-(((part - 0.64) / 0.05) ** 2))
            points.append((x, y - gain * wave + rng.gauss(0, 0.4)))
        brush.pen.line(points, fill=(24, 24, 34), width=2, joint="curve")
        for place in range(4 if row < 3 else 1):
            brush.say(
                (10 + place * 158, y - 50),
                leads[row * 4 + place] if row < 3 else "II",
                13,
                bold=True,
            )
    people = studio.people(rng)
    text = f"{people.name()}   {a_day(rng)}   25 mm/s  10 mm/mV   HR {int(6000 / beat)} bpm"
    brush.say((12, 4), text, 13, face="roboto")
    return Drawn(image, "", "paper")


def new_viewer(studio: Studio, rng: Random) -> Drawn:
    """A black viewer: one or four scans with words in their corners, tools at a side."""
    one, image = _scan(studio, rng)
    screen = Image.new("RGB", (680, 470), (0, 0, 0))
    brush = Brush(studio, screen)
    name, day = studio.people(rng).name().upper()[:20], a_day(rng)
    pale = rng.choice(((230, 230, 230), (240, 210, 90), (120, 220, 160)))
    many = rng.choice((1, 1, 2, 4))
    across, down = (2 if many > 1 else 1), (2 if many == 4 else 1)
    wide, high = 620 // across, 446 // down
    for place in range(many):
        x, y = 58 + place % across * wide, 22 + place // across * high
        tile = ImageOps.contain(image, (wide - 6, high - 6))
        screen.paste(tile, (x + (wide - tile.width) // 2, y + (high - tile.height) // 2))
        brush.pen.rectangle((x, y, x + wide - 2, y + high - 2), outline=(70, 80, 96))
        brush.say((x + 6, y + 4), name, 12, pale, face="pt_sans")
        brush.say((x + 6, y + 20), f"{day}", 12, pale, face="pt_sans")
        brush.say(
            (x + 6, y + high - 22),
            f"W {rng.randint(80, 2000)} L {rng.randint(20, 600)}",
            12,
            pale,
            face="pt_sans",
        )
        brush.say(
            (x + wide - 8, y + 4),
            f"Im: {rng.randint(1, 80)}/{rng.randint(80, 160)}",
            12,
            pale,
            face="pt_sans",
            right=True,
        )
    for place in range(9):
        brush.pen.rounded_rectangle(
            (12, 30 + place * 46, 46, 64 + place * 46), 4, (44, 50, 60), (96, 104, 118)
        )
        brush.pen.ellipse(
            (22, 40 + place * 46, 36, 54 + place * 46), outline=(190, 196, 204), width=2
        )
    brush.say(
        (10, 3),
        "Study list    Layout    Window    Measure    Report",
        13,
        (190, 196, 204),
        face="roboto",
    )
    return Drawn(screen, one.kind, "screen", f"{one.package}: {one.file}", one.licence)


def new_held_film(studio: Studio, rng: Random) -> Drawn:
    """A film held against a window or a lamp by hand."""
    one, image = _scan(studio, rng)
    film = ImageOps.expand(ImageOps.contain(image, (360, 380)), 16, (12, 14, 20))
    film = ImageOps.colorize(film.convert("L"), (10, 14, 26), (222, 236, 250))
    wall = Image.new(
        "RGB", (470, 480), rng.choice(((228, 240, 248), (206, 220, 232), (240, 240, 230)))
    )
    pen = ImageDraw.Draw(wall)
    bar = rng.randint(60, 400)
    pen.rectangle((bar, 0, bar + 12, 480), fill=(170, 176, 180))
    turned = film.convert("RGBA").rotate(rng.gauss(0, 4), CUBIC, expand=True)
    wall.paste(turned, (30, 24), turned)
    return Drawn(
        thumbed(wall, rng, low=0.83), one.kind, "scene", f"{one.package}: {one.file}", one.licence
    )
