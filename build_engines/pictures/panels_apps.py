"""Charts inside programs: trading, telephones, pages of figures, spreadsheets, tables."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.devices import browser, telephone, window
from build_engines.pictures.figures import walk
from build_engines.pictures.fonts import SANS
from build_engines.pictures.panels import Box, Colour, colours, columns_in, page_of, ring
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, named


def templates(split: Split) -> Named:
    """What chart.py adds to its own templates."""
    if split == "train":
        return named(trading, pocket_panel, wide_panel, spreadsheet, sparks)
    return named(funnel, pictogram_bars) if split == "validation" else ()


def curve_in(
    rng: Random, pen: ImageDraw.ImageDraw, box: Box, ink: Colour, *, filled: bool = False
) -> None:
    """A curve through the whole of the box."""
    left, top, right, bottom = box
    values = walk(rng, rng.choice((12, 30, 80)))
    low, high = float(values.min()), float(values.max())
    step = (right - left) / (len(values) - 1)
    points = [
        (left + place * step, bottom - (float(one) - low) / (high - low + 1e-6) * (bottom - top))
        for place, one in enumerate(values)
    ]
    if filled:
        pale = (ink[0] // 3 + 20, ink[1] // 3 + 20, ink[2] // 3 + 20)
        pen.polygon([*points, (right, bottom), (left, bottom)], fill=pale)
    pen.line(points, fill=ink, width=rng.choice((2, 3)))


def trading(studio: Studio, rng: Random) -> Drawn:
    """A dark page of an exchange: candles, volumes, prices on the right."""
    image = Image.new("RGB", (680, 420), (19, 23, 34))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 12, rng)
    for line in range(9):
        pen.line((0, 40 + line * 38, 620, 40 + line * 38), fill=(38, 43, 56))
        pen.text(
            (626, 33 + line * 38), f"{rng.uniform(100, 999):.2f}", font=font, fill=(150, 155, 168)
        )
    name = studio.people(rng).lexify("???").upper()
    pen.text(
        (12, 10),
        f"{name}/USD   1D   O {rng.uniform(1, 99):.2f}   H {rng.uniform(1, 99):.2f}",
        font=font,
        fill=(210, 214, 224),
    )
    price, count = 210.0, rng.randint(30, 90)
    wide = 610 / count
    up, down = rng.choice((((8, 153, 129), (242, 54, 69)), ((240, 240, 240), (60, 110, 240))))
    for place in range(count):
        close = min(320.0, max(60.0, price + rng.gauss(0, 14)))
        colour = up if close < price else down
        x = 5 + place * wide
        pen.line(
            (
                x + wide / 2,
                min(price, close) - rng.uniform(0, 14),
                x + wide / 2,
                max(price, close) + rng.uniform(0, 14),
            ),
            fill=colour,
        )
        pen.rectangle((x + 1, min(price, close), x + wide - 1, max(price, close) + 1), fill=colour)
        pen.rectangle((x + 1, 415 - rng.uniform(4, 50), x + wide - 1, 415), fill=colour)
        price = close
    return Drawn(image, "candles", "screen")


def pocket_panel(studio: Studio, rng: Random) -> Drawn:
    """A telephone: a large number, a curve or bars, a list."""
    image, pen, ink = page_of(rng, (320, rng.randint(480, 600)))
    people = studio.people(rng)
    big, font = (studio.fonts.any(SANS[:5], size, rng, bold=size > 20) for size in (32, 14))
    pen.text((20, 16), people.word().title(), font=font, fill=ink)
    pen.text((20, 36), f"{rng.randint(1, 99)},{rng.randint(100, 999)}", font=big, fill=ink)
    (colour,) = colours(rng, 1)
    box = (20, 100, 300, 270)
    if rng.random() < 0.5:
        curve_in(rng, pen, box, colour, filled=rng.random() < 0.5)
    else:
        for day in range(7):
            x = 24 + day * 40
            pen.rounded_rectangle((x, 270 - rng.randint(10, 165), x + 22, 270), 5, fill=colour)
    for place, letter in enumerate("MTWTFSS"):
        pen.text((30 + place * 40, 278), letter, font=font, fill=ink)
    for row in range((image.height - 330) // 40):
        y = 316 + row * 40
        pen.text((20, y), people.bs()[:20], font=font, fill=ink)
        pen.text((300, y), f"{rng.uniform(-9, 99):.1f}%", font=font, fill=ink, anchor="ra")
        pen.line((20, y + 30, 300, y + 30), fill=(150, 152, 158))
    return Drawn(telephone(image, studio, rng), "dashboard", "screen")


def wide_panel(studio: Studio, rng: Random) -> Drawn:
    """Six or eight boxes in rows: curves, columns, rings, numbers."""
    image, pen, ink = page_of(rng, (760, rng.choice((430, 520))))
    people = studio.people(rng)
    font = studio.fonts.any(SANS[:5], 12, rng)
    big = studio.fonts.any(SANS[:5], 34, rng, bold=True)
    columns, rows = rng.choice(((3, 2), (4, 2), (2, 2), (3, 3)))
    inks = colours(rng, 5)
    for place in range(columns * rows):
        left = 10 + place % columns * (750 // columns)
        top = 10 + place // columns * ((image.height - 10) // rows)
        right, bottom = left + 750 // columns - 12, top + (image.height - 10) // rows - 12
        pen.rectangle((left, top, right, bottom), outline=(140, 142, 148))
        pen.text((left + 10, top + 7), people.bs()[:20], font=font, fill=ink)
        inner = (left + 14, top + 34, right - 14, bottom - 14)
        what = rng.randint(0, 4)
        if what == 0:
            centre = (left + right) // 2, (top + bottom) // 2 + 8
            ring(pen, rng, centre, (bottom - top) // 3, inks[: rng.randint(2, 5)], 16)
        elif what == 1:
            text = f"{rng.uniform(1, 999):.1f}"
            pen.text(
                ((left + right) // 2, (top + bottom) // 2),
                text,
                font=big,
                fill=inks[0],
                anchor="mm",
            )
        elif what == 2:
            columns_in(studio, rng, pen, (left + 44, top + 36, right - 10, bottom - 44), ink)
        else:
            for one in range(rng.randint(1, 3)):
                curve_in(rng, pen, inner, inks[one], filled=what == 4 and one == 0)
    shown = browser(image, studio, rng) if rng.random() < 0.4 else image
    return Drawn(shown, "dashboard", "screen")


def spreadsheet(studio: Studio, rng: Random) -> Drawn:
    """A chart over the cells of a table."""
    image = Image.new("RGB", (700, 440), (255, 255, 255))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 12, rng)
    people = studio.people(rng)
    pen.rectangle((0, 0, 700, 20), fill=(230, 232, 235))
    for column in range(10):
        x = 30 + column * 72
        pen.line((x, 0, x, 440), fill=(208, 210, 214))
        pen.text((x + 30, 3), "ABCDEFGHIJ"[column], font=font, fill=(90, 90, 90))
    for row in range(21):
        y = 20 + row * 20
        pen.line((0, y, 700, y), fill=(208, 210, 214))
        pen.text((8, y + 3), str(row + 1), font=font, fill=(90, 90, 90))
        pen.text((34, y + 3), people.word()[:9], font=font, fill=(30, 30, 30))
        for column in range(1, rng.choice((2, 3))):
            pen.text(
                (100 + column * 72, y + 3),
                str(rng.randint(1, 9999)),
                font=font,
                fill=(30, 30, 30),
                anchor="ra",
            )
    left, top = rng.randint(190, 260), rng.randint(40, 110)
    pen.rectangle((left, top, left + 410, top + 290), fill=(255, 255, 255), outline=(160, 160, 160))
    if rng.random() < 0.7:
        columns_in(studio, rng, pen, (left + 48, top + 40, left + 396, top + 240), (80, 80, 80))
    else:
        for colour in colours(rng, 3):
            curve_in(rng, pen, (left + 40, top + 50, left + 390, top + 260), colour)
    menu = "File   Home   Insert   Layout   Formulas   Data   Review"
    return Drawn(
        window(image, studio, rng, people.file_name(extension="xlsx"), menu=menu), "bar", "screen"
    )


def sparks(studio: Studio, rng: Random) -> Drawn:
    """A table whose rows end in small curves."""
    rows = rng.randint(5, 12)
    image, pen, ink = page_of(rng, (600, rows * 36 + 44))
    people = studio.people(rng)
    font = studio.fonts.any(SANS[:5], 14, rng)
    for row in range(rows):
        y = 30 + row * 36
        pen.text((20, y), people.company()[:20], font=font, fill=ink)
        pen.text((300, y), f"{rng.uniform(1, 900):.2f}", font=font, fill=ink, anchor="ra")
        up = rng.random() < 0.5
        colour = (30, 160, 90) if up else (214, 60, 60)
        pen.text(
            (380, y),
            f"{'+' if up else '-'}{rng.uniform(0, 9):.2f}%",
            font=font,
            fill=colour,
            anchor="ra",
        )
        curve_in(rng, pen, (410, y - 4, 580, y + 22), colour)
    return Drawn(image, "line", "screen")


def funnel(studio: Studio, rng: Random) -> Drawn:
    """Steps of which each is narrower than the one above."""
    image, pen, ink = page_of(rng, (520, 380))
    font = studio.fonts.any(SANS[:5], 15, rng)
    rows = rng.randint(3, 6)
    inks, wide, people = colours(rng, rows), 230.0, studio.people(rng)
    step = 320 // rows
    for row, colour in enumerate(inks):
        less, y = wide * rng.uniform(0.55, 0.9), 30 + row * step
        pen.polygon(
            [
                (260 - wide, y),
                (260 + wide, y),
                (260 + less, y + step - 6),
                (260 - less, y + step - 6),
            ],
            fill=colour,
        )
        text = f"{people.word()}  {rng.randint(1, 9999):,}"
        pen.text((260, y + step // 2 - 3), text, font=font, fill=(255, 255, 255), anchor="mm")
        wide = less
    pen.text((20, 6), people.bs()[:30], font=font, fill=ink)
    return Drawn(image, "bar", "screen")


def pictogram_bars(studio: Studio, rng: Random) -> Drawn:
    """Rows of discs that count, with their names."""
    rows = rng.randint(3, 7)
    image, pen, ink = page_of(rng, (560, rows * 52 + 40))
    font = studio.fonts.any(SANS[:5], 16, rng, bold=True)
    people = studio.people(rng)
    for row, colour in enumerate(colours(rng, rows)):
        y = 26 + row * 52
        pen.text((16, y + 6), people.word()[:9].title(), font=font, fill=ink)
        full = rng.randint(1, 10)
        for place in range(10):
            x = 130 + place * 40
            fill = colour if place < full else (200, 202, 206)
            pen.ellipse((x, y, x + 30, y + 30), fill=fill)
    return Drawn(image, "bar", "screen")
