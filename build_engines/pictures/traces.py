"""Drawn traces of hearts and brains, on squared paper and on screens."""

from __future__ import annotations

from random import Random

import numpy as np
from PIL import Image, ImageDraw

from build_engines.pictures.film import Levels
from build_engines.pictures.fonts import SANS
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, a_day, dice, named


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(heart_paper, heart_screen, brain_waves)
    return named(monitor_strip) if split == "validation" else ()


def beat(x: Levels, rate: float, rng: Random) -> Levels:
    """The line of a heart: P, QRS and T as bells; `rate` in beats over the whole of `x`."""
    part = (x * rate + rng.random()) % 1
    bells = (
        (0.2, 0.025, 0.14),
        (0.36, 0.008, -0.14),
        (0.385, 0.011, 1.0),
        (0.41, 0.01, -0.28),
        (0.62, 0.045, 0.28),
    )
    flip, total = rng.choice((1, 1, 1, -0.6)), np.zeros_like(x)
    for centre, width, high in bells:
        total += high * rng.uniform(0.7, 1.3) * np.exp(-(((part - centre) / width) ** 2) / 2)
    return (flip * total).astype(np.float32)


def _trace(
    pen: ImageDraw.ImageDraw,
    values: Levels,
    left: int,
    middle: float,
    step: float,
    gain: float,
    ink: tuple[int, int, int],
    width: int = 1,
) -> None:
    points = [(left + place * step, middle - float(one) * gain) for place, one in enumerate(values)]
    pen.line(points, fill=ink, width=width)


def heart_paper(studio: Studio, rng: Random) -> Drawn:
    """Three to six rows of leads on pink squared paper."""
    rows, wide = rng.choice((1, 3, 4, 6)), 620
    high = rows * 84 + 60
    tint = rng.choice(((255, 236, 236), (255, 244, 232), (250, 250, 250)))
    line = rng.choice(((245, 170, 170), (240, 180, 140), (190, 200, 210)))
    image = Image.new("RGB", (wide, high), tint)
    pen = ImageDraw.Draw(image)
    for place in range(0, max(wide, high), 6):
        ink = (
            line
            if place % 30 == 0
            else tuple((a + 2 * b) // 3 for a, b in zip(line, tint, strict=True))
        )
        pen.line((place, 0, place, high), fill=ink)
        pen.line((0, place, wide, place), fill=ink)
    font = studio.fonts.any(SANS[:5], 12, rng)
    names = ["I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"]
    blue = rng.choice(((20, 20, 24), (20, 20, 24), (30, 40, 120)))
    rate = rng.uniform(1.6, 4)
    columns = rng.choice((1, 2, 4)) if rows > 1 else 1
    for row in range(rows):
        for column in range(columns):
            left, count = 10 + column * 600 // columns, 600 // columns
            values = beat(np.linspace(0, 600 / columns / 150, count, dtype=np.float32), rate, rng)
            middle = 70 + row * 84
            _trace(
                pen,
                values + dice(rng).normal(0, 0.01, count).astype(np.float32),
                left,
                middle,
                1,
                40,
                blue,
            )
            pen.text(
                (left + 3, middle - 50), names[(column * rows + row) % 12], font=font, fill=blue
            )
    pen.text(
        (10, 4),
        f"{studio.people(rng).name()}  {a_day(rng)}  {rng.randint(45, 140)} bpm  25 mm/s  10 mm/mV",
        font=font,
        fill=blue,
    )
    return Drawn(image, "trace", "paper")


def heart_screen(studio: Studio, rng: Random) -> Drawn:
    """A bedside monitor: curves in several colours, large numbers on the right."""
    image = Image.new("RGB", (620, 400), (4, 6, 8))
    pen = ImageDraw.Draw(image)
    big, font = (studio.fonts.any(SANS[:5], size, rng, bold=size > 20) for size in (44, 13))
    inks = [(60, 230, 90), (80, 190, 255), (250, 220, 70), (240, 90, 90), (240, 240, 240)]
    rows = rng.randint(3, 5)
    x = np.linspace(0, 3, 460, dtype=np.float32)
    for row, ink in enumerate(inks[:rows]):
        middle = 60 + row * 370 / rows
        values = (
            beat(x, rng.uniform(1.5, 3), rng) if row < 2 else np.sin(x * rng.uniform(4, 9)) * 0.5
        )
        _trace(pen, values.astype(np.float32), 8, middle, 1, 130 / rows, ink, 2)
        pen.text(
            (500, middle - 40),
            rng.choice(("HR", "SpO2", "NIBP", "RESP", "TEMP", "ABP")),
            font=font,
            fill=ink,
        )
        pen.text((500, middle - 26), str(rng.randint(12, 180)), font=big, fill=ink)
    return Drawn(image, "trace", "screen")


def brain_waves(studio: Studio, rng: Random) -> Drawn:
    """Many rows of restless lines with the names of their electrodes."""
    rows, dark = rng.randint(8, 20), rng.random() < 0.3
    image = Image.new("RGB", (620, rows * 22 + 30), (10, 12, 16) if dark else (254, 254, 250))
    pen = ImageDraw.Draw(image)
    ink = (120, 230, 160) if dark else rng.choice(((20, 20, 24), (20, 40, 140)))
    font = studio.fonts.any(SANS[:5], 10, rng)
    for second in range(10):
        pen.line((50 + second * 57, 0, 50 + second * 57, image.height), fill=(150, 150, 150))
    for row in range(rows):
        rough = np.convolve(dice(rng).normal(0, 1, 572), np.ones(rng.randint(2, 9)) / 3, "same")
        waves = rough + rng.uniform(0, 1.5) * np.sin(np.arange(572) * rng.uniform(0.2, 0.9))
        _trace(pen, waves.astype(np.float32), 48, 24 + row * 22, 1, rng.uniform(2, 6), ink)
        name = f"{rng.choice(('Fp', 'F', 'C', 'T', 'P', 'O'))}{rng.randint(1, 8)}"
        pen.text((8, 18 + row * 22), name, font=font, fill=ink)
    return Drawn(image, "trace", rng.choice(("screen", "paper")))


def monitor_strip(studio: Studio, rng: Random) -> Drawn:
    """One green line on black squares."""
    image = Image.new("RGB", (520, 240), (0, 10, 4))
    pen = ImageDraw.Draw(image)
    for place in range(0, 520, 26):
        pen.line((place, 0, place, 240), fill=(0, 46, 20))
        pen.line((0, place, 520, place), fill=(0, 46, 20))
    values = beat(np.linspace(0, 3, 500, dtype=np.float32), rng.uniform(1.2, 3), rng)
    _trace(pen, values, 10, 150, 1, 90, (60, 255, 120), 2)
    return Drawn(image, "trace", "screen")
