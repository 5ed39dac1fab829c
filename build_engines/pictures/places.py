"""Drawn streets, towers, rooms and people that learn to be *other*."""

from __future__ import annotations

from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.scenes import Colour, any_colour, sky, soft
from build_engines.pictures.studio import Named, Studio, named
from build_engines.pictures.views import between, size_of, tone_of


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(night_skyline, street_by_day, silhouettes, living_room)
    return named(corridor) if split == "validation" else ()


def night_skyline(studio: Studio, rng: Random) -> Drawn:
    """Towers at night with their lights, doubled in water."""
    width, high = rng.choice(((480, 320), (400, 400), (520, 260)))
    level = int(high * rng.uniform(0.6, 1))
    image = between(
        np.linspace(0, 1, high, dtype=np.float32)[:, None].repeat(width, 1),
        tone_of(rng, (10, 10, 34), 10),
        tone_of(rng, (90, 50, 80), 40),
    )
    pen, x = ImageDraw.Draw(image), -10
    while x < width:
        wide, tall = rng.randint(18, 70), rng.randint(int(high * 0.15), int(level * 0.9))
        dark = tone_of(rng, (22, 22, 34), 12)
        pen.rectangle((x, level - tall, x + wide, level), fill=dark)
        step_x, step_y, lit = rng.randint(5, 12), rng.randint(6, 14), rng.uniform(0.1, 0.8)
        glow = rng.choice(((255, 214, 130), (200, 225, 255), (255, 180, 90)))
        for u in range(x + 3, x + wide - 4, step_x):
            for v in range(level - tall + 5, level - 5, step_y):
                if rng.random() < lit:
                    pen.rectangle(
                        (u, v, u + step_x // 2, v + step_y // 2), fill=tone_of(rng, glow, 24)
                    )
        if rng.random() < 0.2:
            pen.line(
                (x + wide / 2, level - tall - 30, x + wide / 2, level - tall), fill=dark, width=2
            )
        x += wide + rng.randint(-4, 8)
    if level < high:
        mirror = image.crop((0, max(0, 2 * level - high), width, level)).transpose(
            Image.Transpose.FLIP_TOP_BOTTOM
        )
        mirror = mirror.resize((width, high - level)).filter(ImageFilter.BoxBlur(2))
        image.paste(mirror.point(lambda one: one * 0.6), (0, level))
    return Drawn(soft(image, rng), "drawing", "scene")


def street_by_day(studio: Studio, rng: Random) -> Drawn:
    """Fronts of houses, doors, a road, cars."""
    image = sky(rng, (500, 340))
    pen, x = ImageDraw.Draw(image), 0
    while x < 500:
        wide, top = rng.randint(70, 130), rng.randint(50, 140)
        wall = tone_of(
            rng, rng.choice(((200, 170, 140), (170, 90, 70), (220, 215, 200), (130, 150, 170))), 20
        )
        pen.rectangle((x, top, x + wide, 250), fill=wall)
        pen.polygon(
            [(x - 4, top), (x + wide / 2, top - rng.randint(0, 50)), (x + wide + 4, top)],
            fill=tone_of(rng, (110, 60, 50), 25),
        )
        for u in range(x + 12, x + wide - 22, 34):
            for v in range(top + 14, 200, 46):
                pen.rectangle(
                    (u, v, u + 20, v + 28),
                    fill=tone_of(rng, (90, 120, 150), 30),
                    outline=(240, 240, 236),
                    width=2,
                )
        pen.rectangle((x + wide // 2 - 10, 208, x + wide // 2 + 12, 250), fill=any_colour(rng))
        x += wide
    pen.rectangle((0, 250, 500, 270), fill=(170, 168, 164))
    pen.rectangle((0, 270, 500, 340), fill=(78, 78, 82))
    for _ in range(rng.randint(1, 4)):
        u, paint = rng.randint(-20, 440), any_colour(rng)
        pen.rounded_rectangle((u, 268, u + 100, 300), 8, fill=paint)
        pen.polygon(
            [(u + 18, 270), (u + 32, 248), (u + 72, 248), (u + 86, 270)], fill=(60, 80, 100)
        )
        for wheel in (u + 14, u + 66):
            pen.ellipse((wheel, 288, wheel + 22, 310), fill=(20, 20, 22))
    return Drawn(soft(image, rng), "drawing", "scene")


def person(
    pen: ImageDraw.ImageDraw, rng: Random, x: float, foot: float, tall: float, ink: Colour
) -> None:
    """Somebody who stands or walks, from head to foot."""
    head, leg = tall * 0.075, rng.uniform(0.02, 0.12) * tall
    pen.ellipse((x - head, foot - tall, x + head, foot - tall + head * 2.3), fill=ink)
    pen.rounded_rectangle(
        (x - tall * 0.11, foot - tall * 0.83, x + tall * 0.11, foot - tall * 0.45),
        tall * 0.06,
        fill=ink,
    )
    for side in (-1, 1):
        pen.line(
            (x + side * tall * 0.05, foot - tall * 0.5, x + side * leg, foot),
            fill=ink,
            width=max(2, int(tall * 0.08)),
        )
        hand = x + side * tall * rng.uniform(0.12, 0.25), foot - tall * rng.uniform(0.4, 0.7)
        pen.line(
            (x + side * tall * 0.09, foot - tall * 0.78, *hand),
            fill=ink,
            width=max(2, int(tall * 0.05)),
        )


def silhouettes(studio: Studio, rng: Random) -> Drawn:
    """People before a bright sky or in coloured clothes."""
    size = size_of(rng)
    image = sky(rng, size)
    pen = ImageDraw.Draw(image)
    ground = int(size[1] * rng.uniform(0.7, 0.92))
    dark = rng.random() < 0.6
    pen.rectangle(
        (0, ground, *size), fill=(16, 14, 18) if dark else tone_of(rng, (150, 150, 120), 40)
    )
    for _ in range(rng.randint(1, 9)):
        ink = (14, 12, 16) if dark else any_colour(rng)
        person(
            pen,
            rng,
            rng.uniform(20, size[0] - 20),
            ground + rng.uniform(0, 20),
            rng.uniform(0.25, 0.6) * size[1],
            ink,
        )
    return Drawn(soft(image, rng), "drawing", "scene")


def living_room(studio: Studio, rng: Random) -> Drawn:
    """A wall, a floor, a window, a sofa, a lamp, pictures."""
    wall = tone_of(
        rng, rng.choice(((225, 215, 200), (150, 170, 160), (190, 190, 205), (90, 100, 120))), 15
    )
    image = Image.new("RGB", (480, 340), wall)
    pen = ImageDraw.Draw(image)
    floor = rng.randint(230, 265)
    for y in range(floor, 340, 3):
        pen.line((0, y, 480, y), fill=tone_of(rng, (150, 105, 65), 10), width=3)
    x = rng.randint(20, 300)
    pen.rectangle((x, 40, x + 120, 160), fill=(190, 220, 240), outline=(250, 250, 250), width=7)
    pen.line((x + 60, 40, x + 60, 160), fill=(250, 250, 250), width=5)
    sofa, u = any_colour(rng), rng.randint(10, 220)
    pen.rounded_rectangle((u, 180, u + 220, 250), 16, fill=sofa)
    pen.rounded_rectangle((u - 14, 215, u + 234, 285), 14, fill=tone_of(rng, sofa, 25))
    v = rng.randint(20, 440)
    pen.line((v, 110, v, 290), fill=(40, 36, 34), width=4)
    pen.polygon([(v - 30, 110), (v + 30, 110), (v + 18, 66), (v - 18, 66)], fill=(250, 225, 160))
    for _ in range(rng.randint(0, 3)):
        a, b = rng.randint(10, 420), rng.randint(20, 110)
        pen.rectangle((a, b, a + 50, b + 60), fill=any_colour(rng), outline=(50, 40, 34), width=4)
    return Drawn(soft(image, rng), "drawing", "scene")


def corridor(studio: Studio, rng: Random) -> Drawn:
    """Walls that run to a point, doors on both sides."""
    tone = tone_of(rng, (180, 185, 180), 40)
    image = Image.new("RGB", (420, 360), tone)
    pen = ImageDraw.Draw(image)
    pen.polygon([(0, 0), (420, 0), (240, 150), (180, 150)], fill=tone_of(rng, (225, 225, 220), 15))
    pen.polygon(
        [(0, 360), (420, 360), (240, 220), (180, 220)], fill=tone_of(rng, (120, 100, 80), 30)
    )
    pen.rectangle((180, 150, 240, 220), fill=tone_of(rng, (240, 236, 220), 15))
    for part in (0.1, 0.45, 0.7):
        near, far = 180 * part, 180 * (part + 0.16)
        for flip in (False, True):
            xs = (420 - near, 420 - far) if flip else (near, far)
            pen.polygon(
                [
                    (xs[0], 60 + near * 0.55),
                    (xs[1], 60 + far * 0.55),
                    (xs[1], 360 - far * 0.78),
                    (xs[0], 360 - near * 0.78),
                ],
                fill=tone_of(rng, (110, 70, 50), 20),
            )
    return Drawn(soft(image, rng), "drawing", "scene")
