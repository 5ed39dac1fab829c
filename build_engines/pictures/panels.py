"""Charts as offices, web pages and telephones draw them: by hand, without Matplotlib."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import SANS, Font
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.plots import palette
from build_engines.pictures.studio import Named, Studio, named

Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(office_columns, solid_columns, tilted_pie, rings)
    return ()


def colours(rng: Random, count: int) -> list[Colour]:
    return [
        (int(red * 255), int(green * 255), int(blue * 255))
        for red, green, blue in palette(rng, count)
    ]


def darker(colour: Colour, by: float) -> Colour:
    red, green, blue = (max(0, min(255, int(one * by))) for one in colour)
    return red, green, blue


def page_of(rng: Random, size: tuple[int, int]) -> tuple[Image.Image, ImageDraw.ImageDraw, Colour]:
    """A light or a dark page and its ink."""
    dark = rng.random() < 0.3
    ground: Colour = (
        rng.choice(((18, 20, 28), (33, 37, 43)))
        if dark
        else rng.choice(((255, 255, 255), (247, 248, 250)))
    )
    image = Image.new("RGB", size, ground)
    return image, ImageDraw.Draw(image), (222, 224, 230) if dark else (60, 64, 72)


def _axes(pen: ImageDraw.ImageDraw, rng: Random, box: Box, ink: Colour, font: Font) -> None:
    """Lines across, their numbers on the left."""
    left, top, right, bottom = box
    count, step = rng.randint(3, 7), rng.choice((5, 10, 20, 250, 1000))
    for line in range(count + 1):
        y = bottom - (bottom - top) * line // count
        pen.line((left, y, right, y), fill=(150, 152, 158) if line else ink)
        pen.text((left - 8, y - 7), str(line * step), font=font, fill=ink, anchor="ra")


def _legend(
    studio: Studio,
    rng: Random,
    pen: ImageDraw.ImageDraw,
    place: tuple[int, int],
    inks: list[Colour],
    font: Font,
    ink: Colour,
) -> None:
    x, y = place
    people = studio.people(rng)
    for colour in inks:
        pen.rectangle((x, y + 3, x + 10, y + 13), fill=colour)
        name = people.word()
        pen.text((x + 16, y), name, font=font, fill=ink)
        x += 34 + int(font.getlength(name))


def columns_in(
    studio: Studio,
    rng: Random,
    pen: ImageDraw.ImageDraw,
    box: Box,
    ink: Colour,
    *,
    solid: bool = False,
) -> None:
    """Groups of columns with their axis, names and legend."""
    left, top, right, bottom = box
    font = studio.fonts.any(SANS[:5], 11, rng)
    groups, series = rng.randint(3, 7), rng.randint(1, 4)
    inks = colours(rng, series)
    _axes(pen, rng, box, ink, font)
    wide = (right - left) / groups
    people = studio.people(rng)
    for group in range(groups):
        bar = wide * 0.75 / series
        for place, colour in enumerate(inks):
            x = left + group * wide + wide * 0.12 + place * bar
            y = bottom - rng.uniform(0.08, 0.95) * (bottom - top)
            if solid:
                deep = bar * 0.35
                pen.polygon(
                    [(x, y), (x + deep, y - deep), (x + bar + deep, y - deep), (x + bar, y)],
                    fill=darker(colour, 1.25),
                )
                pen.polygon(
                    [
                        (x + bar, y),
                        (x + bar + deep, y - deep),
                        (x + bar + deep, bottom - deep),
                        (x + bar, bottom),
                    ],
                    fill=darker(colour, 0.65),
                )
            pen.rectangle((x, y, x + bar - (0 if solid else 2), bottom), fill=colour)
        pen.text(
            (left + (group + 0.5) * wide, bottom + 5),
            people.word()[:8],
            font=font,
            fill=ink,
            anchor="ma",
        )
    _legend(studio, rng, pen, (left, bottom + 22), inks, font, ink)


def _titled(studio: Studio, rng: Random, pen: ImageDraw.ImageDraw, width: int, ink: Colour) -> None:
    font = studio.fonts.any(SANS[:5], rng.randint(16, 24), rng, bold=rng.random() < 0.5)
    text = studio.people(rng).bs()[:34].title()
    pen.text((width // 2, 14), text, font=font, fill=ink, anchor="ma")


def office_columns(studio: Studio, rng: Random) -> Drawn:
    image, pen, ink = page_of(rng, (rng.randint(460, 620), rng.randint(320, 420)))
    _titled(studio, rng, pen, image.width, ink)
    columns_in(studio, rng, pen, (60, 60, image.width - 24, image.height - 56), ink)
    return Drawn(image, "bar", "screen")


def solid_columns(studio: Studio, rng: Random) -> Drawn:
    """Columns with a depth."""
    image, pen, ink = page_of(rng, (rng.randint(460, 620), rng.randint(320, 420)))
    _titled(studio, rng, pen, image.width, ink)
    columns_in(studio, rng, pen, (60, 70, image.width - 40, image.height - 56), ink, solid=True)
    return Drawn(image, "bar", "screen")


def _shares(rng: Random, count: int) -> list[float]:
    parts = [rng.uniform(0.3, 2) for _ in range(count)]
    return [one / sum(parts) for one in parts]


def tilted_pie(studio: Studio, rng: Random) -> Drawn:
    """A pie seen from the side, with a rim."""
    image, pen, ink = page_of(rng, (500, rng.randint(330, 400)))
    _titled(studio, rng, pen, 500, ink)
    count = rng.randint(3, 7)
    inks, font = colours(rng, count), studio.fonts.any(SANS[:5], 13, rng)
    high, deep = rng.randint(120, 200), rng.randint(14, 40)
    box = (90, 80, 410, 80 + high)
    shares = _shares(rng, count)
    for layer in range(deep, -1, -1):
        turn = 20.0
        for share, colour in zip(shares, inks, strict=True):
            fill = colour if layer == 0 else darker(colour, 0.68)
            pen.pieslice(
                (box[0], box[1] + layer, box[2], box[3] + layer),
                turn,
                turn + share * 360,
                fill=fill,
            )
            turn += share * 360
    turn = 20.0
    for share in shares:
        angle = math.radians(turn + share * 180)
        where = 250 + 105 * math.cos(angle), 80 + high / 2 + high * 0.33 * math.sin(angle)
        pen.text(where, f"{share:.0%}", font=font, fill=(255, 255, 255), anchor="mm")
        turn += share * 360
    _legend(studio, rng, pen, (40, image.height - 28), inks, font, ink)
    return Drawn(image, "pie", "screen")


def ring(
    pen: ImageDraw.ImageDraw,
    rng: Random,
    centre: tuple[int, int],
    radius: int,
    inks: list[Colour],
    width: int,
) -> None:
    x, y = centre
    turn = -90.0
    for share, colour in zip(_shares(rng, len(inks)), inks, strict=True):
        pen.arc(
            (x - radius, y - radius, x + radius, y + radius),
            turn,
            turn + share * 360 - 2,
            fill=colour,
            width=width,
        )
        turn += share * 360


def rings(studio: Studio, rng: Random) -> Drawn:
    """One ring with a sum in its middle and a list beside it, or three small ones."""
    image, pen, ink = page_of(rng, (560, 330))
    big = studio.fonts.any(SANS[:5], 30, rng, bold=True)
    font = studio.fonts.any(SANS[:5], 14, rng)
    people = studio.people(rng)
    if rng.random() < 0.4:
        for place in range(3):
            centre = (100 + place * 180, 160)
            ring(pen, rng, centre, 70, [*colours(rng, 1), (190, 192, 196)], rng.randint(10, 22))
            pen.text(centre, f"{rng.randint(3, 99)}%", font=big, fill=ink, anchor="mm")
            pen.text((centre[0], 256), people.word(), font=font, fill=ink, anchor="ma")
        return Drawn(image, "pie", "screen")
    count = rng.randint(3, 8)
    inks = colours(rng, count)
    ring(pen, rng, (165, 165), 120, inks, rng.randint(20, 60))
    pen.text((165, 165), f"{rng.randint(100, 9999):,}", font=big, fill=ink, anchor="mm")
    for place, colour in enumerate(inks):
        y = 40 + place * 34
        pen.ellipse((330, y, 344, y + 14), fill=colour)
        pen.text((354, y - 2), people.bs()[:14], font=font, fill=ink)
        pen.text((530, y - 2), f"{rng.randint(1, 60)}%", font=font, fill=ink, anchor="ra")
    return Drawn(image, "pie", "screen")
