"""Charts of boxes: gauges, schedules, maps of shares."""

from __future__ import annotations

import math
from random import Random

from build_engines.pictures.fonts import SANS
from build_engines.pictures.panels import Box, colours, page_of
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, named


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(gauges, schedule, tree_map)
    return ()


def gauges(studio: Studio, rng: Random) -> Drawn:
    """Half rings with a needle."""
    count = rng.choice((1, 2, 3))
    image, pen, ink = page_of(rng, (240 * count, 210))
    font = studio.fonts.any(SANS[:5], 22, rng, bold=True)
    for place in range(count):
        x, y = 120 + place * 240, 150
        inks = ((60, 170, 90), (240, 190, 60), (220, 70, 60))
        for part, colour in enumerate(inks):
            pen.arc(
                (x - 90, y - 90, x + 90, y + 90),
                180 + part * 60,
                239 + part * 60,
                fill=colour,
                width=26,
            )
        value = rng.random()
        angle = math.pi * (1 + value)
        pen.line((x, y, x + 74 * math.cos(angle), y + 74 * math.sin(angle)), fill=ink, width=4)
        pen.ellipse((x - 7, y - 7, x + 7, y + 7), fill=ink)
        pen.text((x, y + 18), f"{value * 100:.1f}", font=font, fill=ink, anchor="ma")
    return Drawn(image, "gauge", "screen")


def schedule(studio: Studio, rng: Random) -> Drawn:
    """Bars of tasks over weeks."""
    rows = rng.randint(6, 14)
    image, pen, ink = page_of(rng, (640, rows * 28 + 50))
    font = studio.fonts.any(SANS[:5], 12, rng)
    people, inks = studio.people(rng), colours(rng, 4)
    for week in range(12):
        x = 170 + week * 38
        pen.line((x, 30, x, image.height), fill=(170, 172, 178))
        pen.text((x + 6, 10), f"W{week + 1}", font=font, fill=ink)
    start = 0.0
    for row in range(rows):
        y = 38 + row * 28
        pen.text((12, y), people.bs()[:22].title(), font=font, fill=ink)
        start = min(9.5, start + rng.uniform(0, 1.6))
        end = min(12.0, start + rng.uniform(0.6, 4))
        pen.rounded_rectangle(
            (170 + start * 38, y, 170 + end * 38, y + 17), 4, fill=rng.choice(inks)
        )
    return Drawn(image, "schedule", "screen")


def tree_map(studio: Studio, rng: Random) -> Drawn:
    """Boxes as large as their share."""
    image, pen, _ = page_of(rng, (560, 380))
    people = studio.people(rng)
    boxes: list[Box] = [(8, 8, 552, 372)]
    for _ in range(rng.randint(6, 18)):
        boxes.sort(key=lambda box: (box[2] - box[0]) * (box[3] - box[1]))
        left, top, right, bottom = boxes.pop()
        part = rng.uniform(0.3, 0.7)
        if right - left > bottom - top:
            middle = int(left + (right - left) * part)
            boxes += [(left, top, middle, bottom), (middle, top, right, bottom)]
        else:
            middle = int(top + (bottom - top) * part)
            boxes += [(left, top, right, middle), (left, middle, right, bottom)]
    inks = colours(rng, 6)
    font = studio.fonts.any(SANS[:5], 14, rng)
    for left, top, right, bottom in boxes:
        pen.rectangle((left + 1, top + 1, right - 1, bottom - 1), fill=rng.choice(inks))
        if right - left > 70:
            pen.text((left + 8, top + 6), people.word(), font=font, fill=(255, 255, 255))
            pen.text(
                (left + 8, top + 24), f"{rng.uniform(-9, 30):.1f}%", font=font, fill=(255, 255, 255)
            )
    return Drawn(image, "tree_map", "screen")
