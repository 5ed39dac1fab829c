"""Sheets of offices: bills, accounts, official forms, a slide in a room. All of train."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import joined
from build_engines.pictures.leaves import Leaf
from build_engines.pictures.marks import bars, picture, stamp
from build_engines.pictures.pages import INK
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.tabletops import lying

A4 = (470, 664)
GREY = (110, 110, 116)


def quotation(studio: Studio, rng: Random) -> Drawn:
    """A supplier's bill on A4: ruled or shaded table, totals in a box, where to pay."""
    page = Leaf(studio, rng, A4)
    right = page.image.width - page.margin
    page.line(page.people.company()[:26], rng.randint(13, 20), bold=True, fill=page.accent)
    page.line(page.people.address().split("\n")[0][:40], 8, fill=GREY)
    page.y += 26
    title = rng.choice(
        ("Invoice", "Quotation", "Rechnung", "Facture", "Presupuesto", "Credit note", "Order")
    )
    page.line(f"{title} {rng.randint(100, 99999)}", rng.randint(13, 24), bold=True)
    for label in ("Date", "Customer", "VAT ID"):
        page.line(
            f"{label}: {rng.randint(10000, 999999)}", 9, x=rng.choice((page.margin, right - 130))
        )
    page.grid(
        rng.choice((4, 5)),
        rng.randint(3, 14),
        shaded=rng.random() < 0.5,
        height=rng.randint(17, 26),
    )
    for label in ("Subtotal", f"VAT {rng.choice((7, 19, 20, 21))} %", "Total"):
        page.pen.text(
            (right - 160, page.y), label, font=page.font(10, bold=label == "Total"), fill=INK
        )
        amount = f"{rng.uniform(10, 9000):,.2f} €"
        page.pen.text((right - 70, page.y), amount, font=page.font(10), fill=INK)
        page.y += 17
    page.pen.rectangle((right - 166, page.y - 19, right, page.y), outline=page.accent)
    page.text(page.margin, right, min(page.y + 70, 610), 8)
    if rng.random() < 0.4:
        bars(page.pen, rng, (page.margin, 600, page.margin + 150, 640), INK, count=48)
    if rng.random() < 0.3:
        stamp(
            page.image,
            studio.fonts.get("roboto", 16, bold=True),
            rng,
            rng.choice(("PAID", "COPY", "BEZAHLT", "RECEIVED")),
            (220, 440),
        )
    return lying(page, rng, "invoice")


def account_lines(studio: Studio, rng: Random) -> Drawn:
    """Movements of an account: day, text, out, in, balance."""
    page = Leaf(studio, rng, rng.choice((A4, (640, 470))))
    width, height = page.image.size
    page.pen.rectangle((0, 0, width, rng.randint(8, 46)), fill=page.accent)
    page.y = 60
    page.line(page.people.name(), 13, bold=True)
    page.line(page.people.street_address().split("\n")[0], 10)
    page.y += 12
    columns = [page.margin, page.margin + 70, width - 210, width - 140, width - 74]
    size, bands = rng.choice((8, 9, 10)), rng.random() < 0.5
    balance, row = rng.uniform(100, 9000), 0
    for x, head in zip(columns, ("Date", "Details", "Out", "In", "Balance"), strict=True):
        page.pen.text((x, page.y), head, font=page.font(size, bold=True), fill=page.accent)
    page.y += size * 2
    while page.y < height - 50:
        if bands and row % 2:
            page.pen.rectangle(
                (page.margin - 4, page.y - 2, width - 20, page.y + size * 1.5), fill=(236, 240, 246)
            )
        amount = round(rng.uniform(-300, 260), 2)
        balance += amount
        cells = (
            f"{a_day(rng):%d.%m.%y}",
            joined(page.people.company()[:22]),
            f"{-amount:,.2f}" if amount < 0 else "",
            f"{amount:,.2f}" if amount > 0 else "",
            f"{balance:,.2f}",
        )
        for x, cell in zip(columns, cells, strict=True):
            page.pen.text((x, page.y), cell, font=page.font(size), fill=INK)
        page.y += size * rng.choice((1.7, 1.7, 2.6))
        row += 1
    return lying(page, rng, "table")


def official_form(studio: Studio, rng: Random) -> Drawn:
    """Numbered sections in bars, combs for letters, boxes to tick, some typed answers."""
    page = Leaf(
        studio,
        rng,
        A4,
        rng.choice(((255, 255, 255), (244, 249, 244), (252, 246, 236), (240, 246, 252))),
    )
    right, number = page.image.width - page.margin, 1
    page.heading(rng.randint(14, 20))
    page.text(page.margin, right, page.y + 34, 8)
    while page.y < 600:
        what = rng.choice(("bar", "comb", "fields", "boxes", "fields"))
        if what == "bar":
            page.pen.rectangle((page.margin, page.y, right, page.y + 17), fill=page.accent)
            page.pen.text(
                (page.margin + 5, page.y + 2),
                joined(f"{number}. {page.people.word().title()}"),
                font=page.font(10, bold=True),
                fill=(255, 255, 255),
            )
            number += 1
            page.y += 24
        elif what == "comb":
            page.line(page.people.word().title(), 8, fill=GREY)
            filled = rng.random() < 0.5
            for place in range(rng.randint(8, 24)):
                x = page.margin + place * 15
                page.pen.rectangle((x, page.y, x + 15, page.y + 17), outline=GREY)
                if filled:
                    page.pen.text(
                        (x + 4, page.y + 2),
                        rng.choice("ABDEIKLMNORST0123"),
                        font=studio.fonts.get("roboto", 11),
                        fill=(20, 25, 90),
                    )
            page.y += 26
        elif what == "fields":
            _fields(page, rng, right)
        else:
            for place in range(rng.randint(2, 4)):
                x = page.margin + place * 98
                page.pen.rectangle((x, page.y, x + 9, page.y + 9), outline=INK)
                if rng.random() < 0.4:
                    page.pen.line((x, page.y, x + 9, page.y + 9), fill=INK, width=2)
                    page.pen.line((x, page.y + 9, x + 9, page.y), fill=INK, width=2)
                page.pen.text(
                    (x + 14, page.y - 2), joined(page.people.word()), font=page.font(9), fill=INK
                )
            page.y += 20
    return lying(page, rng, "form")


def _fields(page: Leaf, rng: Random, right: float) -> None:
    """A row of frames with small labels."""
    count = rng.randint(1, 3)
    wide = (right - page.margin) / count
    for place in range(count):
        x = page.margin + place * wide
        page.pen.rectangle((x, page.y, x + wide - 6, page.y + 30), outline=GREY)
        page.pen.text((x + 3, page.y + 1), joined(page.people.word()), font=page.font(7), fill=GREY)
        if rng.random() < 0.6:
            page.pen.text(
                (x + 6, page.y + 12),
                joined(page.people.last_name()),
                font=page.font(11),
                fill=(20, 25, 90),
            )
    page.y += 37


def deck_far(studio: Studio, rng: Random) -> Drawn:
    """A slide on a television in a bright meeting room, a table below it."""
    ground = rng.choice(((255, 255, 255), (28, 36, 66), (240, 244, 248), (16, 70, 80)))
    page = Leaf(studio, rng, (450, 254), ground)
    ink = INK if sum(ground) > 400 else (240, 240, 244)
    page.line(page.people.sentence(3)[:24], rng.randint(20, 28), bold=True, fill=ink)
    page.y += 8
    for _ in range(rng.randint(1, 5)):
        page.line(f"• {page.people.sentence(5)}"[:32], rng.choice((13, 15)), fill=ink)
        page.y += 5
    if rng.random() < 0.5:
        picture(page.pen, rng, (290, 90, 430, 220))
    level = rng.randint(110, 225)
    room = Image.new("RGB", (620, 430), (level, level - 4, level - rng.randint(0, 22)))
    pen = ImageDraw.Draw(room)
    x, y = rng.randint(30, 140), rng.randint(24, 70)
    pen.rectangle((x - 9, y - 9, x + 459, y + 263), fill=(16, 16, 18))
    room.paste(page.image, (x, y))
    brown = rng.choice(((150, 110, 76), (88, 62, 46), (200, 200, 204)))
    pen.polygon([(0, 430), (90, 356), (540, 356), (620, 430)], fill=brown)
    return Drawn(room, "slide", "scene")


SHEETS: tuple[Template, ...] = (quotation, account_lines, official_form, deck_far)
