"""Newer test templates of charts: drawn without Matplotlib, as offices, papers and phones do."""

from __future__ import annotations

import math
from random import Random

from PIL import Image

from build_engines.pictures import unseen_graphs
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template
from build_engines.pictures.unseen_graphs import GREY, INKS, NAMES, TITLES, canvas, frame
from build_engines.pictures.unseen_props import Colour, laid, phone


def templates() -> tuple[Template, ...]:
    return (
        new_office_columns,
        new_long_bars,
        new_week_on_phone,
        new_share_price,
        new_pie_labels,
        new_printed_columns,
        *unseen_graphs.templates(),
    )


def _columns(studio: Studio, rng: Random) -> Image.Image:
    brush = canvas(studio, (620, 400))
    inks, names = rng.choice(INKS), rng.choice(NAMES)
    groups, series = rng.randint(3, 6), rng.randint(1, 3)
    brush.say((200, 14), rng.choice(TITLES), 20, GREY, face="roboto")
    top = rng.choice((10, 50, 100, 400))
    frame(brush, rng, (60, 56, 600, 330), top)
    wide = 540 / groups
    for group in range(groups):
        for one in range(series):
            high = 274 * rng.uniform(0.12, 0.97)
            step = wide * 0.72 / series
            x = 60 + group * wide + wide * 0.14 + one * step
            brush.pen.rectangle((x, 330 - high, x + step - 2, 330), fill=inks[one])
        brush.say((60 + group * wide + wide / 2 - 16, 336), names[group], 13, GREY, face="roboto")
    for one in range(series):
        x = 200 + one * 100
        brush.pen.rectangle((x, 370, x + 10, 380), fill=inks[one])
        brush.say((x + 16, 367), f"Series{one + 1}", 13, GREY, face="roboto")
    return brush.image


def new_office_columns(studio: Studio, rng: Random) -> Drawn:
    """Columns in groups with a legend below, as a spreadsheet draws them."""
    return Drawn(_columns(studio, rng), "bar", "screen")


def new_printed_columns(studio: Studio, rng: Random) -> Drawn:
    """The same on a printed sheet on a desk."""
    return Drawn(laid(_columns(studio, rng), rng, (560, 420), fill=0.94), "bar", "scene")


def new_long_bars(studio: Studio, rng: Random) -> Drawn:
    """Bars from the left with their values behind them; a red corner, a source below."""
    brush = canvas(studio, (520, 480))
    ink = rng.choice(INKS)[0]
    brush.pen.rectangle((24, 0, 64, 10), fill=(227, 18, 11))
    brush.say((24, 22), rng.choice(TITLES), 24, bold=True)
    brush.say((24, 54), "By place, latest year", 15, GREY)
    people = studio.people(rng)
    values = sorted((rng.uniform(3, 98) for _ in range(rng.randint(6, 11))), reverse=True)
    step = 360 / len(values)
    for row, value in enumerate(values):
        y = 84 + row * step
        brush.say((150, y + step / 2 - 10), people.country()[:17], 14, right=True)
        end = 160 + value * 3
        brush.pen.rectangle((160, y + 3, end, y + step - 4), fill=ink if row else (240, 140, 40))
        brush.say((end + 6, y + step / 2 - 10), f"{value:.1f}", 14)
    brush.say((24, 456), f"Source: {people.company()}", 12, GREY)
    return Drawn(brush.image, "bar", "screen")


def new_week_on_phone(studio: Studio, rng: Random) -> Drawn:
    """Seven days of steps, minutes or money in an app."""
    dark = rng.random() < 0.5
    ground, ink = ((16, 16, 20), (244, 244, 246)) if dark else ((248, 248, 252), (24, 24, 28))
    brush = canvas(studio, (350, 620), ground)
    accent = rng.choice(((255, 90, 90), (60, 200, 120), (90, 130, 255), (255, 170, 40)))
    name, unit = rng.choice((("Steps", ""), ("Spending", "$"), ("Screen time", ""), ("Sleep", "")))
    brush.say((20, 16), name, 28, ink, bold=True, face="roboto")
    brush.say((20, 56), f"{unit}{rng.randint(200, 9000):,} average", 18, GREY, face="roboto")
    for step in range(4):
        brush.pen.line((20, 120 + step * 90, 330, 120 + step * 90), fill=GREY)
    for day, letter in enumerate("MTWTFSS"):
        high, x = rng.uniform(30, 260), 28 + day * 43
        brush.pen.rounded_rectangle((x, 390 - high, x + 28, 390), 7, fill=accent)
        brush.say((x + 8, 398), letter, 15, GREY, face="roboto")
    points = [(20 + x * 10.4, 540 - 40 * math.sin(x / 4 + rng.uniform(0, 0.8))) for x in range(31)]
    brush.pen.line(points, fill=accent, width=3, joint="curve")
    brush.say((20, 448), "Trend", 18, ink, bold=True, face="roboto")
    return Drawn(phone(brush.image, studio, rng, dark=dark), "bar", "screen")


def new_share_price(studio: Studio, rng: Random) -> Drawn:
    """A price with the area below its line and the spans one may choose."""
    dark = rng.random() < 0.6
    ground, ink = ((18, 22, 28), (236, 238, 242)) if dark else ((255, 255, 255), (24, 28, 34))
    brush = canvas(studio, (560, 420), ground)
    people, value = studio.people(rng), rng.uniform(20, 90)
    rises = rng.random() < 0.5
    tone: Colour = (38, 190, 110) if rises else (236, 70, 70)
    brush.say((20, 14), people.company()[:26], 20, ink, face="roboto")
    brush.say((20, 42), f"{value:.2f} USD", 30, ink, face="roboto", bold=True)
    brush.say(
        (20, 80),
        f"{'+' if rises else '-'}{rng.uniform(0.1, 9):.2f}%  past month",
        16,
        tone,
        face="roboto",
    )
    for place, text in enumerate(("1D", "5D", "1M", "6M", "YTD", "1Y", "MAX")):
        brush.say((24 + place * 70, 112), text, 14, tone if place == 2 else GREY, face="roboto")
    points, y = [], 260.0
    for x in range(20, 500, 4):
        y = min(356, max(150, y + rng.gauss(-0.5 if rises else 0.5, 6)))
        points.append((x, y))
    faint = tuple(int(0.75 * a + 0.25 * b) for a, b in zip(ground, tone, strict=True))
    brush.pen.polygon([(20, 370), *points, (496, 370)], fill=faint)
    brush.pen.line(points, fill=tone, width=3, joint="curve")
    for step in range(5):
        brush.pen.line((20, 150 + step * 55, 500, 150 + step * 55), fill=GREY)
        brush.say((508, 142 + step * 55), f"{value + 4 - 2 * step:.1f}", 12, GREY, face="roboto")
    for place in range(5):
        brush.say((40 + place * 96, 380), f"{3 + place * 6} May", 12, GREY, face="roboto")
    return Drawn(brush.image, "line", "screen")


def new_pie_labels(studio: Studio, rng: Random) -> Drawn:
    """A pie with what each slice is and its share written beside it."""
    brush = canvas(studio, (560, 420))
    inks, names = rng.choice(INKS), rng.choice((NAMES[0], NAMES[3], NAMES[4]))
    parts = [rng.uniform(0.3, 3) for _ in range(rng.randint(3, 6))]
    brush.say((180, 14), rng.choice(TITLES), 22, face="noto_sans", bold=True)
    turn, deep = rng.uniform(0, 360), rng.choice((0, 0, 22))
    spans = []
    for part in parts:
        wide = 360 * part / sum(parts)
        spans.append((turn, turn + wide))
        turn += wide
    flat = 0.6 if deep else 1.0
    box = (150, 230 - 130 * flat, 410, 230 + 130 * flat)
    for shift in range(deep, -1, -1):
        for place, (start, end) in enumerate(spans):
            fill = tuple(int(one * (0.7 if shift else 1)) for one in inks[place])
            brush.pen.pieslice(
                (box[0], box[1] + shift, box[2], box[3] + shift),
                start,
                end,
                fill=fill,
                outline=None if shift else (255, 255, 255),
                width=2,
            )
    for place, (start, end) in enumerate(spans):
        middle = math.radians((start + end) / 2)
        x, y = 280 + 168 * math.cos(middle), 230 + 168 * flat * math.sin(middle)
        brush.say((x, y - 16), names[place], 15, face="noto_sans", right=math.cos(middle) < 0)
        brush.say(
            (x, y + 2),
            f"{(end - start) / 3.6:.0f}%",
            15,
            GREY,
            face="noto_sans",
            right=math.cos(middle) < 0,
        )
    return Drawn(brush.image, "pie", "screen")
