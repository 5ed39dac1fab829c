"""Printed pages of the validation and the test split."""

from __future__ import annotations

from random import Random

from build_engines.pictures.faces import scribble
from build_engines.pictures.pages import INK, Page
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, a_day


def memo(studio: Studio, rng: Random) -> Drawn:
    page = Page(studio, rng, (500, 620))
    page.line("MEMO", 30, bold=True, middle=True)
    for label in ("To", "From", "Date", "Re"):
        page.line(f"{label}:   {page.people.name()}", 12)
    page.rule(width=3)
    page.text(page.margin, page.image.width - page.margin, 590, 12)
    return page.done("letter")


def questionnaire(studio: Studio, rng: Random) -> Drawn:
    page = Page(studio, rng, (480, 620))
    page.pen.rectangle((0, 0, 480, 60), fill=page.accent)
    page.heading(18, fill=(255, 255, 255))
    page.y = 76
    for number in range(1, 9):
        page.line(f"{number}. {page.people.sentence(7)}"[:56], 11, bold=True)
        for place in range(5):
            x = page.margin + 10 + place * 78
            page.pen.ellipse(
                (x, page.y, x + 11, page.y + 11),
                outline=INK,
                fill=INK if rng.random() < 0.2 else None,
            )
            page.pen.text((x + 16, page.y - 2), str(place + 1), font=page.font(10), fill=INK)
        page.y += 34
    return page.done("form")


def statement(studio: Studio, rng: Random) -> Drawn:
    """A bank statement: an address, a summary, lines with amounts."""
    page = Page(studio, rng, (480, 660))
    page.logo(page.margin, 22, 26)
    page.line(page.people.company()[:24], 18, x=page.margin + 40, bold=True)
    page.y += 12
    page.line(page.people.name(), 11)
    page.line(f"IBAN {page.people.iban()}", 10)
    page.rule(width=2)
    for _ in range(24):
        amount = f"{rng.uniform(-900, 2500):,.2f}"
        top = page.y
        page.line(f"{a_day(rng)}   {page.people.company()[:22]}", 9)
        page.pen.text(
            (page.image.width - page.margin - page.font(9).getlength(amount), top),
            amount,
            font=page.font(9),
            fill=INK,
        )
        page.y += 6
    return page.done("table")


def certificate(studio: Studio, rng: Random) -> Drawn:
    """A framed diploma with a seal."""
    page = Page(studio, rng, (640, 450), (253, 249, 238))
    for inset in (12, 18, 24):
        page.pen.rectangle((inset, inset, 640 - inset, 450 - inset), outline=page.accent)
    page.y = 70
    page.line(
        rng.choice(("Certificate of Completion", "Diploma", "Urkunde", "Attestation")),
        34,
        bold=True,
        middle=True,
        fill=page.accent,
    )
    page.y += 24
    page.line(page.people.name(), 26, middle=True)
    page.line(page.people.sentence(8), 13, middle=True)
    page.line(page.people.sentence(6), 13, middle=True)
    page.pen.ellipse((290, 330, 350, 390), fill=(200, 165, 60), outline=(140, 105, 30), width=3)
    page.y = 350
    scribble(page.pen, rng, (80, 350), (120, 30), (25, 25, 60))
    return page.done("certificate")


def slide_dark(studio: Studio, rng: Random) -> Drawn:
    page = Page(
        studio, rng, (640, 360), (rng.randint(10, 40), rng.randint(15, 45), rng.randint(40, 80))
    )
    white = (240, 240, 245)
    page.y = 40
    page.line(page.people.sentence(3)[:30], 30, middle=True, bold=True, fill=white)
    for column in range(3):
        left = 50 + column * 190
        page.pen.rounded_rectangle((left, 120, left + 165, 310), 10, outline=white, width=2)
        page.y = 135
        page.line(f"{rng.randint(2, 98)} %", 30, x=left + 40, fill=(255, 200, 60))
        page.text(left + 12, left + 155, 300, 12, fill=white)
    return page.done("slide", "screen")


def report(studio: Studio, rng: Random) -> Drawn:
    """A page with a coloured head, one column, and a box at its side."""
    page = Page(studio, rng, (470, 650))
    page.pen.rectangle((0, 0, 470, 80), fill=page.accent)
    page.heading(22, fill=(255, 255, 255))
    page.y = 100
    page.text(150, 440, 600, 10)
    page.pen.rectangle((24, 104, 136, 320), fill=(232, 236, 242))
    page.y = 112
    page.text(32, 130, 315, 9, fill=page.accent)
    page.pen.text((230, 625), str(rng.randint(2, 90)), font=page.font(10), fill=INK)
    return page.done("paper")


def manual(studio: Studio, rng: Random) -> Drawn:
    """Numbered steps, each with a small drawing."""
    page = Page(studio, rng, (460, 620))
    page.heading(18)
    for number in range(1, 6):
        top = page.y
        page.pen.rectangle((page.margin, top, page.margin + 100, top + 84), outline=(100, 100, 110))
        for _ in range(3):
            x, y = page.margin + rng.randint(5, 60), top + rng.randint(5, 50)
            page.pen.rectangle((x, y, x + rng.randint(8, 34), y + rng.randint(8, 28)), outline=INK)
        page.line(f"{number}. {page.people.word().title()}", 13, x=page.margin + 114, bold=True)
        page.text(page.margin + 114, page.image.width - page.margin, top + 86, 10)
        page.y = top + 104
    return page.done("paper")


def newspaper(studio: Studio, rng: Random) -> Drawn:
    page = Page(studio, rng, (520, 680), (238, 235, 226))
    page.line(f"The {page.people.last_name()} Times"[:22], 34, bold=True, middle=True)
    page.rule(fill=INK, width=2)
    page.heading(22)
    top = page.y
    for column in range(4):
        page.y = top
        left = 24 + column * 120
        if column == 1:
            page.pen.rectangle((left, top, left + 232, top + 140), fill=(150, 150, 148))
        if column in (1, 2):
            page.y = top + 150
        page.text(left, left + 112, 665, 8)
    return page.done("newspaper")
