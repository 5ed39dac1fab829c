"""Flat drawings that learn to be *other*: maps, comics, codes, signs, posters."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import SANS, SERIF
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.places import person
from build_engines.pictures.scenes import any_colour, soft
from build_engines.pictures.studio import Named, Studio, named
from build_engines.pictures.things import blob
from build_engines.pictures.views import between, rough


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(town_map, comic, square_code, stripe_code, emblem, big_words)
    return named(sheet_music, jigsaw) if split == "validation" else ()


def town_map(studio: Studio, rng: Random) -> Drawn:
    """Streets, blocks, a river, a park, a few names and a mark."""
    ground, road, block = rng.choice(
        (
            ((242, 239, 233), (255, 255, 255), (225, 220, 210)),
            ((38, 42, 52), (70, 78, 94), (48, 54, 66)),
            ((235, 235, 225), (250, 205, 120), (222, 224, 210)),
        )
    )
    image = Image.new("RGB", (440, 360), ground)
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(10, 40)):
        x, y = rng.randint(-20, 430), rng.randint(-20, 350)
        pen.rectangle((x, y, x + rng.randint(20, 80), y + rng.randint(20, 60)), fill=block)
    pen.polygon(
        blob(rng, rng.randint(40, 400), rng.randint(40, 320), rng.randint(30, 70)),
        fill=(190, 220, 170),
    )
    phase = rng.uniform(0, 6)
    river = [(x, 180 + 90 * math.sin(x / 110 + phase)) for x in range(-20, 470, 10)]
    pen.line(river, fill=(150, 200, 230), width=rng.randint(10, 34), joint="curve")
    for _ in range(rng.randint(8, 24)):
        x, y, turn = rng.randint(0, 440), rng.randint(0, 360), rng.choice((0, 1.57, 0.3, 1.2))
        u, v = 500 * math.cos(turn), 500 * math.sin(turn)
        pen.line((x - u, y - v, x + u, y + v), fill=road, width=rng.choice((2, 4, 8)))
    font = studio.fonts.any(SANS[:5], 12, rng)
    people = studio.people(rng)
    for _ in range(rng.randint(0, 6)):
        pen.text(
            (rng.randint(0, 360), rng.randint(0, 340)),
            people.city()[:14],
            font=font,
            fill=(110, 110, 120),
        )
    x, y = rng.randint(60, 380), rng.randint(60, 300)
    pen.polygon([(x - 11, y - 22), (x + 11, y - 22), (x, y)], fill=(220, 50, 40))
    pen.ellipse((x - 12, y - 36, x + 12, y - 12), fill=(220, 50, 40))
    return Drawn(image, "map", "screen")


def comic(studio: Studio, rng: Random) -> Drawn:
    """Frames with people and round bubbles."""
    columns, rows = rng.choice(((2, 2), (3, 1), (2, 3), (1, 3)))
    image = Image.new("RGB", (420, 400), (255, 255, 255))
    pen, people = ImageDraw.Draw(image), studio.people(rng)
    font = studio.fonts.any(("kalam", "indie_flower"), 14, rng)
    for place in range(columns * rows):
        wide, high = 410 // columns, 390 // rows
        left, top = 8 + place % columns * wide, 8 + place // columns * high
        box = (left, top, left + wide - 8, top + high - 8)
        pen.rectangle(
            box,
            fill=any_colour(rng) if rng.random() < 0.7 else (255, 255, 255),
            outline=(0, 0, 0),
            width=3,
        )
        for _ in range(rng.randint(1, 2)):
            person(
                pen,
                rng,
                rng.uniform(left + 30, left + wide - 36),
                top + high - 12,
                high * rng.uniform(0.4, 0.6),
                any_colour(rng),
            )
        pen.ellipse(
            (left + 10, top + 8, left + wide * 0.75, top + 54),
            fill=(255, 255, 255),
            outline=(0, 0, 0),
            width=2,
        )
        pen.text((left + 28, top + 20), people.sentence(2)[:14], font=font, fill=(0, 0, 0))
    return Drawn(image, "drawing", "scene")


def square_code(studio: Studio, rng: Random) -> Drawn:
    """A square code for telephones, its three eyes in place; it says nothing."""
    side = rng.choice((21, 25, 29, 37))
    small = Image.new("L", (side, side), 255)
    for place in range(side * side):
        small.putpixel((place % side, place // side), rng.choice((0, 255)))
    pen = ImageDraw.Draw(small)
    for x, y in ((0, 0), (side - 7, 0), (0, side - 7)):
        pen.rectangle((x - 1, y - 1, x + 7, y + 7), fill=255)
        pen.rectangle((x, y, x + 6, y + 6), outline=0)
        pen.rectangle((x + 2, y + 2, x + 4, y + 4), fill=0)
    edge = rng.randint(10, 60)
    code = small.resize((rng.randint(170, 300),) * 2, Image.Resampling.NEAREST).convert("RGB")
    image = Image.new(
        "RGB",
        (code.width + 2 * edge, code.height + 2 * edge + rng.choice((0, 30))),
        (255, 255, 255),
    )
    image.paste(code, (edge, edge))
    return Drawn(image, "machine_code", rng.choice(("screen", "card", "paper")))


def stripe_code(studio: Studio, rng: Random) -> Drawn:
    """The stripes on goods, with digits below."""
    image = Image.new("RGB", (340, 190), rng.choice(((255, 255, 255), (250, 245, 230))))
    pen, x = ImageDraw.Draw(image), 30
    while x < 310:
        wide = rng.choice((1, 2, 3, 4))
        pen.rectangle((x, 20, x + wide - 1, 140), fill=(10, 10, 10))
        x += wide + rng.choice((1, 2, 3, 4))
    font = studio.fonts.any(SANS[:5], 20, rng)
    pen.text(
        (50, 148),
        "  ".join(str(rng.randint(0, 9)) for _ in range(12)),
        font=font,
        fill=(10, 10, 10),
    )
    return Drawn(image, "machine_code", rng.choice(("screen", "card")))


def emblem(studio: Studio, rng: Random) -> Drawn:
    """A sign of a firm: simple shapes, one word or none."""
    ground = rng.choice(((255, 255, 255), (20, 20, 24), any_colour(rng)))
    image = Image.new("RGB", (360, 300), ground)
    pen, ink, second = ImageDraw.Draw(image), any_colour(rng), any_colour(rng)
    sides, turn = rng.choice((3, 4, 5, 6, 8, 60)), rng.randint(0, 90)
    pen.regular_polygon((180, 125, rng.randint(60, 90)), sides, turn, fill=ink)
    inner = rng.choice((3, 4, 6, 60))
    pen.regular_polygon(
        (180 + rng.randint(-20, 20), 125, rng.randint(20, 50)),
        inner,
        rng.randint(0, 90),
        fill=second,
    )
    if rng.random() < 0.6:
        font = studio.fonts.any(SANS, rng.randint(28, 44), rng, bold=True)
        pen.text((180, 222), studio.people(rng).word().title(), font=font, fill=ink, anchor="ma")
    return Drawn(image, "icon", "screen")


def big_words(studio: Studio, rng: Random) -> Drawn:
    """A poster, a meme, a sign: very few very large words."""
    size = rng.choice(((360, 480), (440, 300), (400, 400)))
    image = (
        between(rough(rng, size, (2, 3, 9)), any_colour(rng), any_colour(rng))
        if rng.random() < 0.5
        else Image.new("RGB", size, any_colour(rng))
    )
    pen, people = ImageDraw.Draw(image), studio.people(rng)
    for _ in range(rng.randint(0, 4)):
        pen.polygon(
            blob(rng, rng.randint(0, size[0]), rng.randint(0, size[1]), rng.randint(20, 120)),
            fill=any_colour(rng),
        )
    ink = rng.choice(((255, 255, 255), (0, 0, 0), any_colour(rng)))
    y = rng.randint(16, size[1] // 2)
    for _ in range(rng.randint(1, 3)):
        font = studio.fonts.any((*SANS, *SERIF), rng.randint(40, 84), rng, bold=True)
        pen.text(
            (size[0] // 2, y),
            people.word().upper(),
            font=font,
            fill=ink,
            anchor="ma",
            stroke_width=rng.choice((0, 3)),
            stroke_fill=(0, 0, 0),
        )
        y += 90
    return Drawn(image, "poster", rng.choice(("scene", "screen")))


def sheet_music(studio: Studio, rng: Random) -> Drawn:
    """Staves with notes."""
    image = Image.new("RGB", (400, 460), (252, 250, 242))
    pen = ImageDraw.Draw(image)
    for stave in range(rng.randint(4, 6)):
        top = 40 + stave * 74
        for line in range(5):
            pen.line((20, top + line * 7, 380, top + line * 7), fill=(60, 60, 60))
        x = 50
        while x < 370:
            y = top + rng.randint(-1, 8) * 3.5
            pen.ellipse((x - 5, y - 4, x + 5, y + 4), fill=(10, 10, 10))
            pen.line((x + 5, y, x + 5, y - 24), fill=(10, 10, 10), width=2)
            x += rng.choice((16, 24, 32))
    return Drawn(image, "drawing", "paper")


def jigsaw(studio: Studio, rng: Random) -> Drawn:
    """Coloured tiles without an order."""
    image = Image.new("RGB", (400, 320), (60, 54, 50))
    pen = ImageDraw.Draw(image)
    inks = [any_colour(rng) for _ in range(5)]
    for place in range(30):
        x, y = place % 6 * 66 + rng.randint(0, 8), place // 6 * 63 + rng.randint(0, 8)
        pen.regular_polygon(
            (x + 30, y + 30, 34), rng.choice((4, 6, 8)), rng.randint(0, 45), fill=rng.choice(inks)
        )
        pen.ellipse((x + 50, y + 20, x + 66, y + 36), fill=rng.choice(inks))
    return Drawn(soft(image, rng), "drawing", "scene")
