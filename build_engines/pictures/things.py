"""Drawn things that learn to be *other*: food, goods, animals, maps, comics, games, signs."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.camera import surface
from build_engines.pictures.fonts import SERIF
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.scenes import any_colour, sky, soft
from build_engines.pictures.studio import Named, Studio, named
from build_engines.pictures.views import between, rough


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(meal, product, fruit, blossom, beast, brush_strokes)
    return named(cards_on_table) if split == "validation" else ()


def blob(rng: Random, x: float, y: float, r: float) -> list[tuple[float, float]]:
    """A round shape that is not quite round."""
    phase, lobes, swing = rng.uniform(0, 6), rng.randint(2, 6), rng.uniform(0.03, 0.2)
    return [
        (
            x + r * (1 + swing * math.sin(lobes * turn + phase)) * math.cos(turn),
            y + r * (1 + swing * math.sin(lobes * turn + phase)) * math.sin(turn),
        )
        for turn in (step * math.pi / 24 for step in range(48))
    ]


def meal(studio: Studio, rng: Random) -> Drawn:
    """A plate from above, with heaps of several colours, a fork, a glass."""
    image = surface((400, 360), rng)
    pen = ImageDraw.Draw(image)
    x, y, r = 200 + rng.randint(-30, 30), 180 + rng.randint(-20, 20), rng.randint(110, 150)
    pen.ellipse(
        (x - r, y - r, x + r, y + r), fill=(246, 244, 240), outline=(205, 203, 198), width=3
    )
    pen.ellipse(
        (x - r * 0.75, y - r * 0.75, x + r * 0.75, y + r * 0.75), outline=(222, 220, 214), width=2
    )
    for _ in range(rng.randint(2, 5)):
        u, v, size = (
            x + rng.uniform(-0.35, 0.35) * r,
            y + rng.uniform(-0.35, 0.35) * r,
            rng.uniform(0.2, 0.42) * r,
        )
        tone = rng.choice(
            (
                (170, 90, 40),
                (210, 50, 30),
                (70, 130, 40),
                (235, 200, 90),
                (245, 235, 215),
                (110, 60, 30),
                (240, 150, 50),
            )
        )
        pen.polygon(blob(rng, u, v, size), fill=tone)
        for _ in range(rng.randint(6, 40)):
            a, b = u + rng.gauss(0, size * 0.45), v + rng.gauss(0, size * 0.45)
            dot = tuple(max(0, min(255, one + rng.randint(-40, 40))) for one in tone)
            pen.ellipse((a, b, a + rng.randint(2, 14), b + rng.randint(2, 9)), fill=dot)
    pen.rounded_rectangle((x + r + 10, y - 70, x + r + 16, y + 80), 3, fill=(190, 192, 196))
    return Drawn(soft(image, rng), "drawing", "scene")


def product(studio: Studio, rng: Random) -> Drawn:
    """A bottle, a box, a mug or a shoe before a plain wall, with a shadow."""
    level = rng.randint(215, 255)
    image = Image.new("RGB", (360, 380), (level, level, level))
    pen = ImageDraw.Draw(image)
    pen.ellipse((80, 300, 290, 340), fill=(level - 40,) * 3)
    image = image.filter(ImageFilter.GaussianBlur(8))
    pen, paint, second = ImageDraw.Draw(image), any_colour(rng), any_colour(rng)
    what = rng.randint(0, 3)
    if what == 0:
        pen.rounded_rectangle((135, 130, 225, 325), 18, fill=paint)
        pen.rectangle((162, 60, 198, 140), fill=paint)
        pen.rectangle((158, 50, 202, 76), fill=second)
        pen.rectangle((135, 190, 225, 270), fill=(245, 245, 240))
    elif what == 1:
        pen.polygon([(90, 140), (210, 110), (210, 300), (90, 325)], fill=paint)
        pen.polygon(
            [(210, 110), (280, 140), (280, 315), (210, 300)], fill=tuple(one // 2 for one in paint)
        )
        pen.polygon([(90, 140), (160, 112), (280, 140), (210, 110)], fill=second)
    elif what == 2:
        pen.rounded_rectangle((110, 150, 240, 320), 14, fill=paint)
        pen.arc((215, 180, 300, 280), 270, 90, fill=paint, width=18)
        pen.ellipse((110, 138, 240, 166), fill=tuple(one * 2 // 3 for one in paint))
    else:
        pen.polygon(
            [(70, 230), (150, 180), (190, 230), (300, 270), (305, 310), (70, 310)], fill=paint
        )
        pen.rectangle((66, 305, 308, 324), fill=second)
        for lace in range(4):
            pen.line(
                (160 + lace * 16, 205 + lace * 13, 184 + lace * 16, 196 + lace * 13),
                fill=(250, 250, 250),
                width=4,
            )
    return Drawn(soft(image, rng), "drawing", "scene")


def fruit(studio: Studio, rng: Random) -> Drawn:
    """Round fruit in a heap, each with its light."""
    image = surface((400, 320), rng)
    pen = ImageDraw.Draw(image)
    tone = rng.choice(
        ((210, 40, 40), (240, 150, 30), (110, 170, 50), (240, 215, 60), (110, 40, 110))
    )
    for _ in range(rng.randint(3, 22)):
        x, y, r = rng.randint(30, 370), rng.randint(60, 300), rng.randint(18, 60)
        for part in range(10, 0, -1):
            shade = tuple(min(255, int(one * (0.55 + 0.06 * (10 - part)))) for one in tone)
            u, v, s = x - r * 0.03 * (10 - part), y - r * 0.03 * (10 - part), r * part / 10
            pen.ellipse((u - s, v - s, u + s, v + s), fill=shade)
        pen.line((x, y - r, x + rng.randint(-6, 6), y - r - 12), fill=(80, 60, 30), width=3)
    return Drawn(soft(image, rng), "drawing", "scene")


def blossom(studio: Studio, rng: Random) -> Drawn:
    """Flowers before green out of focus."""
    image = between(rough(rng, (380, 340), (4, 8)), (20, 60, 25), (120, 160, 80)).filter(
        ImageFilter.GaussianBlur(5)
    )
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(1, 5)):
        x, y, r, petals = (
            rng.randint(60, 320),
            rng.randint(60, 260),
            rng.randint(30, 80),
            rng.randint(5, 14),
        )
        tone = any_colour(rng)
        pen.line((x, y, x + rng.randint(-40, 40), 340), fill=(60, 110, 40), width=6)
        for petal in range(petals):
            turn = petal * 2 * math.pi / petals
            u, v = x + r * 0.6 * math.cos(turn), y + r * 0.6 * math.sin(turn)
            shade = tuple(max(0, min(255, one + rng.randint(-22, 22))) for one in tone)
            pen.polygon(blob(rng, u, v, r * 0.42), fill=shade)
        pen.ellipse((x - r * 0.28, y - r * 0.28, x + r * 0.28, y + r * 0.28), fill=(230, 180, 50))
    return Drawn(soft(image, rng), "drawing", "scene")


def beast(studio: Studio, rng: Random) -> Drawn:
    """An animal of four legs, as children's books have it."""
    image = sky(rng, (420, 320))
    pen, coat = ImageDraw.Draw(image), any_colour(rng)
    pen.rectangle((0, 250, 420, 320), fill=(90, rng.randint(120, 170), 70))
    x, long, thick, leg = 120, rng.randint(110, 180), rng.randint(50, 95), rng.randint(40, 90)
    body = 265 - leg
    for place in (0.08, 0.25, 0.72, 0.9):
        pen.rectangle((x + long * place, body - 10, x + long * place + 14, body + leg), fill=coat)
    pen.ellipse((x - 6, body - thick, x + long + 6, body + 6), fill=coat)
    head, neck = rng.randint(24, 42), rng.randint(0, 70)
    u, v = x + long + 14, body - thick * 0.75 - neck
    pen.line((x + long - 14, body - thick * 0.5, u, v), fill=coat, width=28)
    pen.ellipse((u - head, v - head, u + head, v + head * 0.9), fill=coat)
    for side in (-0.6, 0.5):
        pen.polygon(
            [
                (u + head * side - 8, v - head * 0.6),
                (u + head * side + 8, v - head * 0.6),
                (u + head * side, v - head * rng.uniform(1.3, 2.2)),
            ],
            fill=coat,
        )
    pen.ellipse((u + 6, v - 8, u + 13, v - 1), fill=(10, 10, 10))
    pen.line((x, body - thick * 0.6, x - 36, body - rng.randint(0, 90)), fill=coat, width=9)
    return Drawn(soft(image, rng), "drawing", "scene")


def brush_strokes(studio: Studio, rng: Random) -> Drawn:
    """Thick paint without a subject."""
    image = Image.new("RGB", (400, 340), any_colour(rng))
    pen = ImageDraw.Draw(image)
    inks = [any_colour(rng) for _ in range(rng.randint(2, 6))]
    for _ in range(rng.randint(20, 160)):
        x, y, turn, long = (
            rng.randint(0, 400),
            rng.randint(0, 340),
            rng.uniform(0, 3.1),
            rng.randint(20, 160),
        )
        ink = rng.choice(inks)
        for hair in range(rng.randint(2, 10)):
            tone = tuple(max(0, min(255, one + rng.randint(-20, 20))) for one in ink)
            pen.line(
                (
                    x + hair * 2,
                    y + hair * 2,
                    x + long * math.cos(turn) + hair * 2,
                    y + long * math.sin(turn) + hair * 2,
                ),
                fill=tone,
                width=3,
            )
    return Drawn(soft(image, rng), "pattern", "scene")


def cards_on_table(studio: Studio, rng: Random) -> Drawn:
    """Playing cards in a fan."""
    image = Image.new("RGB", (440, 320), rng.choice(((30, 100, 60), (70, 50, 40), (30, 40, 90))))
    font = studio.fonts.any(SERIF[:3], 26, rng, bold=True)
    for place in range(rng.randint(2, 6)):
        card = Image.new("RGBA", (110, 160), (0, 0, 0, 0))
        pen = ImageDraw.Draw(card)
        pen.rounded_rectangle((0, 0, 109, 159), 9, fill=(252, 252, 250), outline=(120, 120, 120))
        ink = rng.choice(((200, 20, 30), (20, 20, 20)))
        pen.text((9, 6), rng.choice("A23456789JQK"), font=font, fill=ink)
        pen.regular_polygon((55, 82, 24), rng.choice((3, 4, 5)), 45, fill=ink)
        turned = card.rotate(30 - place * 14, expand=True, resample=Image.Resampling.BILINEAR)
        image.paste(turned, (30 + place * 52, 60 + rng.randint(-10, 10)), turned)
    return Drawn(soft(image, rng), "drawing", "scene")
