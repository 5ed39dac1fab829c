"""Newer test templates of what is none of the eight: things, maps, posters, games, art, places."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageOps

from build_engines.pictures import photographs, unseen_things
from build_engines.pictures.photographs import Photograph
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template
from build_engines.pictures.unseen_props import CUBIC, Brush, laid
from build_engines.pictures.unseen_things import bright


def templates() -> tuple[Template, ...]:
    return (
        new_altered_photograph,
        new_poster,
        new_street_map,
        new_brush_art,
        new_captioned_photograph,
        new_print_on_desk,
        *unseen_things.templates(),
    )


def _photo(studio: Studio, rng: Random) -> tuple[Photograph, Image.Image]:
    one = rng.choice(photographs.of(studio.split, "photo", "portrait"))
    image = studio.show(one).copy()
    width, height = image.size
    part = rng.uniform(0.45, 1)
    left, top = rng.uniform(0, 1 - part) * width, rng.uniform(0, 1 - part) * height
    return one, image.crop(
        (int(left), int(top), int(left + part * width), int(top + part * height))
    )


def _taken(image: Image.Image, one: Photograph) -> Drawn:
    return Drawn(image, "photograph", "scene", f"{one.package}: {one.file}", one.licence)


def new_altered_photograph(studio: Studio, rng: Random) -> Drawn:
    """A photograph with the filter of an app: other colours, dark corners, tilted."""
    one, image = _photo(studio, rng)
    image = ImageOps.fit(image, rng.choice(((480, 480), (560, 400), (400, 560))))
    way = rng.choice(("sepia", "pop", "faded", "night"))
    if way == "sepia":
        image = ImageOps.colorize(image.convert("L"), (40, 24, 12), (252, 236, 206))
    elif way == "pop":
        image = ImageEnhance.Color(ImageOps.autocontrast(image)).enhance(2)
    elif way == "faded":
        image = Image.blend(image, Image.new("RGB", image.size, (226, 206, 200)), 0.35)
    else:
        image = ImageEnhance.Brightness(image).enhance(0.45)
    x, y = np.meshgrid(np.linspace(-1, 1, image.width), np.linspace(-1, 1, image.height))
    dark = np.clip(1.15 - 0.4 * (x**2 + y**2), 0, 1)[..., None]
    levels = (np.asarray(image, np.float32) * dark).astype(np.uint8)
    return _taken(Image.fromarray(levels, "RGB").rotate(rng.gauss(0, 2), CUBIC), one)


def new_captioned_photograph(studio: Studio, rng: Random) -> Drawn:
    """A photograph with a joke above and below it."""
    one, image = _photo(studio, rng)
    image = ImageOps.fit(image, (480, 420))
    brush = Brush(studio, image)
    for y, text in (
        (10, rng.choice(("ME ON MONDAY", "NOBODY:", "THAT MOMENT", "WHEN IT WORKS"))),
        (360, rng.choice(("AGAIN", "COFFEE FIRST", "I REGRET NOTHING", "EVERY TIME"))),
    ):
        font = studio.fonts.get("oswald", 42, bold=True)
        x = (480 - font.getlength(text)) / 2
        brush.pen.text(
            (x, y), text, font=font, fill=(255, 255, 255), stroke_width=3, stroke_fill=(0, 0, 0)
        )
    return _taken(image, one)


def new_print_on_desk(studio: Studio, rng: Random) -> Drawn:
    """A print with a white border on a desk."""
    one, image = _photo(studio, rng)
    print_ = ImageOps.expand(ImageOps.fit(image, (360, 330)), 18, (250, 250, 248))
    return _taken(laid(print_, rng, (520, 460), fill=0.86, turn=12), one)


def new_poster(studio: Studio, rng: Random) -> Drawn:
    """A poster of a film or a concert: few large words over colours or a photograph."""
    people, ink = studio.people(rng), bright(rng)
    back: Image.Image = Image.new("RGB", (400, 580), tuple(one // 4 for one in ink))
    one: Photograph | None = None
    if rng.random() < 0.6:
        one, photo = _photo(studio, rng)
        back = ImageOps.colorize(
            ImageOps.fit(photo, (400, 580)).convert("L"), tuple(part // 6 for part in ink), ink
        )
    brush = Brush(studio, back)
    if one is None:
        for ring in range(rng.randint(3, 8), 0, -1):
            size = ring * 32
            brush.pen.ellipse((200 - size, 260 - size, 200 + size, 260 + size), fill=bright(rng))
    face = rng.choice(("oswald", "barlow_condensed", "libre_baskerville"))
    brush.say((26, 400), people.word().upper(), 64, (255, 255, 255), face=face, bold=True)
    brush.say((26, 474), people.word().upper(), 48, (255, 255, 255), face=face, bold=True)
    brush.say(
        (28, 546),
        rng.choice(("IN CINEMAS THIS MAY", "LIVE · SAT 9 PM", "THE MUSICAL")),
        17,
        (240, 240, 240),
        face="lato",
    )
    if one is None:
        return Drawn(back, "", "scene")
    return Drawn(back, "", "scene", f"{one.package}: {one.file}", one.licence)


def new_street_map(studio: Studio, rng: Random) -> Drawn:
    """Streets, water and parks of a town, a pin somewhere."""
    image = Image.new("RGB", (560, 520), (242, 239, 233))
    brush, people = Brush(studio, image), studio.people(rng)
    for _ in range(rng.randint(2, 4)):
        x, y = rng.randint(0, 500), rng.randint(0, 460)
        brush.pen.polygon(
            [
                (x + 70 * math.cos(a) * rng.uniform(0.6, 1.4), y + 60 * math.sin(a))
                for a in range(7)
            ],
            fill=(200, 230, 190),
        )
    river = [
        (x, 260 + 110 * math.sin(x / 130 + rng.uniform(0, 0.1)) + x / 8)
        for x in range(-20, 600, 20)
    ]
    brush.pen.line(river, fill=(160, 204, 236), width=rng.randint(24, 44), joint="curve")
    turn = rng.uniform(0, 0.7)
    for far in range(-600, 1200, 46):
        for angle in (turn, turn + math.pi / 2):
            dx, dy = math.cos(angle), math.sin(angle)
            at, low = 280 - dy * (far - 300), 260 + dx * (far - 300)
            wide, ink = rng.choice(
                (
                    (4, (255, 255, 255)),
                    (4, (255, 255, 255)),
                    (6, (255, 255, 255)),
                    (9, (252, 214, 120)),
                )
            )
            start = rng.choice((-900, -900, rng.randint(-200, 100)))
            brush.pen.line(
                (at + dx * start, low + dy * start, at + dx * 900, low + dy * 900),
                fill=ink,
                width=wide,
            )
    for _ in range(9):
        brush.say(
            (rng.randint(0, 460), rng.randint(0, 500)),
            people.street_name(),
            12,
            (110, 106, 100),
            face="roboto",
        )
    x, y = rng.randint(120, 440), rng.randint(120, 400)
    brush.pen.polygon(((x - 12, y - 22), (x + 12, y - 22), (x, y)), fill=(220, 50, 40))
    brush.pen.ellipse((x - 14, y - 42, x + 14, y - 14), fill=(220, 50, 40))
    brush.pen.ellipse((x - 5, y - 33, x + 5, y - 23), fill=(255, 255, 255))
    return Drawn(image, "", "scene")


def new_brush_art(studio: Studio, rng: Random) -> Drawn:
    """Thick strokes of paint, large below small."""
    image = Image.new("RGB", (480, 420), bright(rng))
    pen, inks = ImageDraw.Draw(image), [bright(rng) for _ in range(5)]
    for step in range(260):
        x, y, turn = rng.uniform(0, 480), rng.uniform(0, 420), rng.gauss(0.6, 0.5)
        length, wide = rng.uniform(20, 120), max(3, int(40 - step / 7))
        ink = tuple(max(0, min(255, one + rng.randint(-24, 24))) for one in rng.choice(inks))
        points = [
            (x + length * part * math.cos(turn + part), y + length * part * math.sin(turn + part))
            for part in (0, 0.3, 0.6, 1)
        ]
        pen.line(points, fill=ink, width=wide, joint="curve")
    return Drawn(image.filter(ImageFilter.GaussianBlur(0.8)), "", "scene")
