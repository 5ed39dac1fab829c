"""More printed pages of the validation split."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import joined
from build_engines.pictures.leaves import Leaf
from build_engines.pictures.marks import bars, picture
from build_engines.pictures.pages import INK
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.tabletops import laid, lying

GREY = (110, 110, 116)


def brochure(studio: Studio, rng: Random) -> Drawn:
    """A sheet folded twice: three panels, pictures, short texts."""
    page = Leaf(studio, rng, (680, 470), (255, 255, 255))
    for panel in range(3):
        left = 16 + panel * 224
        if rng.random() < 0.4:
            page.pen.rectangle(
                (left - 12, 0, left + 206, 470), fill=tuple(rng.randint(205, 250) for _ in "rgb")
            )
        page.y = 20.0
        if rng.random() < 0.7:
            picture(page.pen, rng, (left, 20, left + 190, 20 + rng.randint(80, 160)))
            page.y = 190
        while page.y < 400:
            page.line(page.people.sentence(2)[:20], 16, x=left, bold=True, fill=page.accent)
            page.text(left, left + 190, min(page.y + rng.randint(60, 180), 455), 10)
        page.pen.line((left + 207, 0, left + 207, 470), fill=(205, 205, 210), width=2)
    return lying(page, rng, "flyer", 0.5)


def dictionary(studio: Studio, rng: Random) -> Drawn:
    """Two columns of entries, the word in bold, in small print."""
    page = Leaf(studio, rng, (450, 640), (250, 247, 238))
    page.pen.text((30, 16), joined(page.people.word()), font=page.font(11, bold=True), fill=INK)
    page.pen.line((30, 36, 420, 36), fill=INK)
    for left in (30, 232):
        page.y = 46
        while page.y < 600:
            page.line(page.people.word(), 10, x=left, bold=True)
            page.text(left + 8, left + 186, min(page.y + rng.randint(14, 50), 624), 8)
    return lying(page, rng, "book", 0.4)


def timetable(studio: Studio, rng: Random) -> Drawn:
    """Of a school, a bus or a week: days across, hours down, coloured cells."""
    page = Leaf(studio, rng, rng.choice(((640, 460), (460, 620))))
    width, height = page.image.size
    page.heading(rng.randint(18, 26), middle=True)
    columns, rows = rng.randint(5, 8), rng.randint(6, 14)
    top, wide = page.y, (width - 2 * page.margin) / columns
    high = (height - 30 - top) / rows
    for row in range(rows):
        for column in range(columns):
            x, y = page.margin + column * wide, top + row * high
            fill: tuple[int, ...] | None = None
            if not row or not column:
                fill = (232, 234, 238)
            elif rng.random() < 0.35:
                fill = tuple(rng.randint(180, 250) for _ in "rgb")
            page.pen.rectangle((x, y, x + wide, y + high), fill=fill, outline=GREY)
            text = (
                f"{7 + row}:{rng.choice(('00', '15', '40'))}"
                if not column
                else page.people.word()[:8]
            )
            if rng.random() < 0.75 or not row or not column:
                page.pen.text((x + 3, y + 3), joined(text), font=page.font(9), fill=INK)
    return lying(page, rng, "table")


def packing_slip(studio: Studio, rng: Random) -> Drawn:
    """What lies in a parcel: two addresses, a bar code, lines with boxes to tick."""
    page = Leaf(studio, rng, (450, 600))
    bars(page.pen, rng, (250, 20, 420, 66), INK, count=60)
    page.line(page.people.company()[:20], 16, bold=True)
    page.y = 90
    for left in (page.margin, 240):
        page.y = 90
        for line in [page.people.name(), *page.people.address().split("\n")][:3]:
            page.line(line[:24], 10, x=left)
    page.y += 14
    page.rule(fill=INK)
    for _ in range(rng.randint(3, 14)):
        page.pen.rectangle((page.margin, page.y, page.margin + 10, page.y + 10), outline=INK)
        page.pen.text((400, page.y), str(rng.randint(1, 20)), font=page.font(10), fill=INK)
        page.line(
            f"{rng.randint(1000, 9999)}   {page.people.sentence(4)}"[:44], 10, x=page.margin + 22
        )
        page.y += 5
    page.text(page.margin, 420, 580, 8)
    return lying(page, rng, "invoice")


def projected(studio: Studio, rng: Random) -> Drawn:
    """A slide on the wall of a dim room, seen over chairs."""
    ground = rng.choice(((252, 252, 252), (20, 30, 60), (235, 240, 244)))
    page = Leaf(studio, rng, (480, 290), ground)
    ink = INK if sum(ground) > 400 else (240, 240, 240)
    page.line(page.people.sentence(3)[:26], 22, bold=True, fill=ink)
    for _ in range(rng.randint(2, 5)):
        page.line(f"- {page.people.sentence(6)}"[:34], 15, fill=ink)
        page.y += 8
    room = Image.new("RGB", (600, 430), tuple(rng.randint(18, 60) for _ in "rgb"))
    room.paste(page.image.rotate(rng.gauss(0, 1.5), expand=True, fillcolor=(40, 40, 44)), (60, 34))
    pen = ImageDraw.Draw(room)
    for x in range(-20, 600, rng.randint(90, 130)):
        pen.ellipse((x, rng.randint(350, 385), x + 70, 480), fill=(12, 12, 14))
    return Drawn(room, "slide", "scene")


def book_on_stand(studio: Studio, rng: Random) -> Drawn:
    """A page of a textbook: coloured box, picture with a legend, questions, a page number."""
    page = Leaf(studio, rng, (440, 620), (252, 252, 248))
    page.pen.rectangle((0, 0, 440, 40), fill=page.accent)
    page.pen.text(
        (20, 10),
        joined(page.people.sentence(3)[:26]),
        font=page.font(15, bold=True),
        fill=(255, 255, 255),
    )
    page.y = 56.0
    page.text(page.margin, 410, rng.randint(160, 240), 11)
    picture(page.pen, rng, (page.margin, page.y, rng.randint(220, 400), page.y + 120))
    page.y += 126
    page.line(f"{a_day(rng).year}: {page.people.sentence(4)}"[:40], 8, fill=GREY)
    top = page.y
    page.pen.rectangle(
        (page.margin - 8, top, 418, 590), fill=tuple(rng.randint(215, 248) for _ in "rgb")
    )
    page.y += 8
    for number in range(1, 12):
        if page.y > 560:
            break
        page.line(f"{number}. {page.people.sentence(7)}"[:48], 10)
        page.y += 5
    page.pen.text((408, 600), str(rng.randint(4, 300)), font=page.font(10), fill=INK)
    return Drawn(laid(page.image, rng), "book", "scene")


SEEN: tuple[Template, ...] = (
    brochure,
    dictionary,
    timetable,
    packing_slip,
    projected,
    book_on_stand,
)
