"""More of the newer test templates of charts: areas, rays, figures of papers, histograms."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template
from build_engines.pictures.unseen_props import Brush, Colour

GREY: Colour = (96, 100, 108)

PALE: Colour = (222, 224, 228)

INKS: tuple[tuple[Colour, ...], ...] = (
    (
        (68, 114, 196),
        (237, 125, 49),
        (165, 165, 165),
        (255, 192, 0),
        (91, 155, 213),
        (112, 173, 71),
    ),
    ((227, 18, 11), (16, 96, 118), (90, 180, 200), (240, 170, 60), (120, 60, 90), (60, 60, 60)),
    ((99, 110, 250), (239, 85, 59), (0, 204, 150), (171, 99, 250), (255, 161, 90), (25, 211, 243)),
)

TITLES = (
    "Sales by quarter",
    "Unemployment rate, %",
    "Monthly active users",
    "CO2 emissions per head",
    "Where the money goes",
    "Survey: how often do you cook?",
    "Rainfall, mm",
    "Exports, $bn",
    "Market share",
    "Average house price",
    "Test scores by class",
    "Visitors per day",
)

NAMES = (
    "North East South West Centre Coast".split(),
    "Jan Feb Mar Apr May Jun".split(),
    "2019 2020 2021 2022 2023 2024".split(),
    "Food Rent Travel Health Fun Other".split(),
    "Japan Brazil Kenya France India Chile".split(),
    "Q1 Q2 Q3 Q4 Q5 Q6".split(),
)


def canvas(studio: Studio, size: tuple[int, int], ground: Colour = (255, 255, 255)) -> Brush:
    return Brush(studio, Image.new("RGB", size, ground))


def frame(brush: Brush, rng: Random, box: tuple[int, int, int, int], top: float) -> None:
    """Lines across with their values at the left."""
    left, up, right, low = box
    for step in range(6):
        y = low - (low - up) * step / 5
        brush.pen.line((left, y, right, y), fill=PALE)
        brush.say((left - 6, y - 7), f"{top * step / 5:g}", 12, GREY, face="roboto", right=True)


def templates() -> tuple[Template, ...]:
    return (
        new_radar,
        new_treemap,
        new_paper_lines,
        new_bell,
    )


def new_radar(studio: Studio, rng: Random) -> Drawn:
    """Values on rays from one point."""
    brush = canvas(studio, (460, 460))
    inks, names, count = rng.choice(INKS), rng.choice((NAMES[0], NAMES[3])), 6
    brush.say((20, 12), rng.choice(TITLES), 20, bold=True)

    def at(place: int, part: float) -> tuple[float, float]:
        turn = math.pi * 2 * place / count - math.pi / 2
        return 230 + 165 * part * math.cos(turn), 245 + 165 * part * math.sin(turn)

    for ring in range(1, 6):
        brush.pen.polygon([at(place, ring / 5) for place in range(count)], outline=(200, 204, 210))
    for place in range(count):
        brush.pen.line((230, 245, *at(place, 1)), fill=(200, 204, 210))
        x, y = at(place, 1.14)
        brush.say((x - 18, y - 8), names[place], 14, GREY)
    layer = ImageDraw.Draw(brush.image, "RGBA")
    for one in range(rng.randint(1, 3)):
        points = [at(place, rng.uniform(0.25, 0.98)) for place in range(count)]
        layer.polygon(points, fill=(*inks[one], 70))
        layer.line([*points, points[0]], fill=(*inks[one], 255), width=3)
    return Drawn(brush.image, "", "screen")


def new_treemap(studio: Studio, rng: Random) -> Drawn:
    """Areas in proportion, with names and shares; a title above."""
    brush = canvas(studio, (600, 420))
    brush.say((16, 10), rng.choice(TITLES), 20, bold=True)
    inks, people = rng.choice(INKS), studio.people(rng)
    boxes = [(16.0, 44.0, 584.0, 404.0)]
    while len(boxes) < 11:
        left, up, right, low = boxes.pop(
            max(
                range(len(boxes)),
                key=lambda one: (boxes[one][2] - boxes[one][0]) * (boxes[one][3] - boxes[one][1]),
            )
        )
        part = rng.uniform(0.35, 0.65)
        if right - left > low - up:
            middle = left + (right - left) * part
            boxes += [(left, up, middle, low), (middle, up, right, low)]
        else:
            middle = up + (low - up) * part
            boxes += [(left, up, right, middle), (left, middle, right, low)]
    for place, (left, up, right, low) in enumerate(boxes):
        brush.pen.rectangle((left, up, right - 3, low - 3), fill=inks[place % 6])
        share = (right - left) * (low - up) / 2044.8
        brush.say(
            (left + 6, up + 5), people.word().title(), 14, (255, 255, 255), face="roboto", bold=True
        )
        brush.say((left + 6, up + 23), f"{share:.1f}%", 13, (255, 255, 255), face="roboto")
    return Drawn(brush.image, "", "screen")


def new_paper_lines(studio: Studio, rng: Random) -> Drawn:
    """A figure of a paper: markers, bars of error, a legend, a number and words below."""
    brush = canvas(studio, (560, 430))
    box = (70, 24, 530, 330)
    brush.pen.rectangle(box, outline=(0, 0, 0))
    for step in range(1, 6):
        x, y = 70 + step * 76, 330 - step * 51
        brush.pen.line((x, 330, x, 324), fill=(0, 0, 0))
        brush.pen.line((70, y, 76, y), fill=(0, 0, 0))
        brush.say((x - 8, 334), str(step * 10), 13, face="noto_serif")
        brush.say((62, y - 9), f"{step * 0.2:.1f}", 13, face="noto_serif", right=True)
    brush.say(
        (250, 354), rng.choice(("Epoch", "Time (s)", "Dose (mg)", "n")), 15, face="noto_serif"
    )
    for one in range(rng.randint(2, 4)):
        ink, rate, level = INKS[1][one], rng.uniform(0.02, 0.09), rng.uniform(0.4, 0.95)
        points = [
            (70 + x * 46, 330 - 255 * (level * (1 - math.exp(-rate * x * 5)) + rng.gauss(0, 0.015)))
            for x in range(11)
        ]
        brush.pen.line(points, fill=ink, width=2)
        for at, high in points[1:]:
            brush.pen.line((at, high - 11, at, high + 11), fill=ink)
            brush.pen.ellipse((at - 4, high - 4, at + 4, high + 4), fill=ink)
        brush.pen.line((400, 250 + one * 18, 424, 250 + one * 18), fill=ink, width=2)
        brush.say((430, 242 + one * 18), f"model {'ABCD'[one]}", 13, face="noto_serif")
    brush.say(
        (70, 394),
        f"Fig. {rng.randint(1, 9)}: {rng.choice(TITLES)}, mean of five runs.",
        14,
        face="noto_serif",
    )
    return Drawn(brush.image, "line", "paper")


def new_bell(studio: Studio, rng: Random) -> Drawn:
    """A histogram below the curve that fits it."""
    brush = canvas(studio, (560, 400), rng.choice(((255, 255, 255), (234, 234, 242))))
    ink, dark = rng.choice(INKS)[0], (40, 40, 44)
    brush.say((70, 12), rng.choice(TITLES), 18, face="roboto")
    frame(brush, rng, (60, 50, 540, 340), rng.choice((20, 100, 500)))
    count, skew = rng.randint(14, 30), rng.uniform(0.35, 0.6)
    wide = 480 / count

    def high(part: float) -> float:
        return 250 * math.exp(-(((part - skew) / 0.19) ** 2))

    for place in range(count):
        y = 340 - high((place + 0.5) / count) * rng.uniform(0.86, 1.12)
        brush.pen.rectangle((60 + place * wide, y, 58 + (place + 1) * wide, 340), fill=ink)
    brush.pen.line([(60 + 480 * x / 80, 340 - high(x / 80)) for x in range(81)], fill=dark, width=3)
    for place in range(7):
        brush.say((54 + place * 80, 346), str(place * rng.choice((5, 10))), 12, GREY, face="roboto")
    return Drawn(brush.image, "", "screen")
