"""More of the newer test templates of document pages: books, web pages, a reader, a life."""

from __future__ import annotations

from random import Random

import numpy as np
from PIL import Image, ImageChops

from build_engines.pictures.fonts import SERIF
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.unseen_props import Brush, Colour, laid, running

INK: Colour = (34, 34, 38)

GREY: Colour = (112, 116, 124)

SHEET = (560, 760)


def page_of(
    studio: Studio, size: tuple[int, int] = SHEET, ground: Colour = (255, 255, 255)
) -> Brush:
    return Brush(studio, Image.new("RGB", size, ground))


def text_of(studio: Studio, rng: Random, sentences: int) -> str:
    return str(studio.people(rng).paragraph(sentences))


def either(drawn: Image.Image, rng: Random, kind: str) -> Drawn:
    """Clean or scanned by the camera, or photographed on a desk here."""
    if rng.random() < 0.35:
        return Drawn(laid(drawn, rng, (460, 580), fill=0.95, turn=4), kind, "scene")
    return Drawn(drawn, kind, "paper")


def templates() -> tuple[Template, ...]:
    return (
        new_account,
        new_open_book,
        new_web_story,
        new_resume,
    )


def new_account(studio: Studio, rng: Random) -> Drawn:
    """A bank's statement: an account, its entries with dates and sums."""
    brush, people = page_of(studio), studio.people(rng)
    face, accent = (
        rng.choice(("roboto", "lato", "ibm_plex_sans")),
        rng.choice(((200, 20, 40), (0, 70, 130), (0, 110, 70))),
    )
    brush.pen.rectangle((36, 30, 66, 60), fill=accent)
    brush.say((76, 32), f"{people.last_name()} Bank", 22, accent, face=face, bold=True)
    brush.say((524, 38), "Account statement", 18, face=face, right=True)
    for row, text in enumerate((people.name(), people.street_address(), people.city())):
        brush.say((36, 86 + row * 17), text, 13, face=face)
    brush.say((524, 86), f"IBAN {people.iban()}", 12, face=face, right=True)
    brush.say(
        (524, 104), f"{a_day(rng):%B %Y}   page 1 of {rng.randint(1, 6)}", 12, face=face, right=True
    )
    y, balance = 186, rng.uniform(200, 9000)
    brush.pen.rectangle((36, 158, 524, 180), fill=accent)
    for x, text in ((42, "Date"), (112, "Description"), (390, "Amount"), (470, "Balance")):
        brush.say((x, 161), text, 13, (255, 255, 255), face=face, bold=True)
    while y < 690:
        amount = rng.uniform(-300, 180)
        balance += amount
        brush.say((42, y), f"{a_day(rng):%d.%m.%y}", 12, face=face)
        what = rng.choice(("Card payment", "Transfer", "Standing order", "Salary"))
        brush.say((112, y), f"{what} {people.company()}"[:34], 12, face=face)
        brush.say((440, y), f"{amount:,.2f}", 12, face=face, right=True)
        brush.say((518, y), f"{balance:,.2f}", 12, face=face, right=True)
        y += 22
        brush.pen.line((36, y - 4, 524, y - 4), fill=(222, 224, 228))
    brush.say((518, 706), f"New balance  {balance:,.2f}", 15, face=face, bold=True, right=True)
    return either(brush.image, rng, "table")


def new_open_book(studio: Studio, rng: Random) -> Drawn:
    """Two printed pages of an open book, darker where they meet."""
    tone = rng.choice(((252, 248, 236), (246, 240, 222), (252, 252, 250)))
    brush, people = page_of(studio, (760, 540), tone), studio.people(rng)
    face = rng.choice(SERIF)
    font, title = studio.fonts.get(face, 14), people.sentence(3).rstrip(".")
    for place, left in enumerate((46, 424)):
        brush.say((left + 90, 22), title if place else people.name(), 11, GREY, face=face)
        y = 54
        if place and rng.random() < 0.5:
            brush.say((left + 60, 70), f"Chapter {rng.randint(2, 30)}", 22, face=face)
            y = 130
        while y < 480:
            y = running(
                brush.pen, "    " + text_of(studio, rng, 6), font, (left, y, left + 290, 500), INK
            )
        brush.say((left + 140, 510), str(rng.randint(2, 200) * 2 + place), 12, GREY, face=face)
    x = np.abs(np.arange(760) - 380)
    levels = np.clip(255 - 120 * np.exp(-x / 26) - x * 0.02, 0, 255).astype(np.uint8)
    shade = Image.fromarray(levels[None, :], "L").resize(brush.image.size)
    image = ImageChops.multiply(brush.image, Image.merge("RGB", (shade,) * 3))
    return Drawn(laid(image, rng, (600, 460), fill=0.96, turn=3), "book", "scene")


def new_web_story(studio: Studio, rng: Random) -> Drawn:
    """An article in a browser: an address, a headline, an author, paragraphs."""
    brush, people = page_of(studio, (720, 620)), studio.people(rng)
    brush.pen.rectangle((0, 0, 720, 44), fill=(228, 230, 234))
    brush.pen.rounded_rectangle((90, 9, 640, 35), 13, fill=(255, 255, 255))
    brush.say(
        (106, 13), f"https://{people.domain_name()}/{people.slug()}"[:60], 14, GREY, face="roboto"
    )
    brush.say((16, 8), "←  →  ↻", 18, GREY, face="noto_sans")
    face, wide = rng.choice((*SERIF[:4], "noto_sans")), rng.choice((460, 600))
    left = (720 - wide) // 2
    y = (
        running(
            brush.pen,
            people.sentence(9).rstrip("."),
            studio.fonts.get(face, 28, bold=True),
            (left, 68, left + wide, 180),
            INK,
        )
        + 4
    )
    brush.say((left, y), f"By {people.name()}   ·   {a_day(rng):%d %B %Y}", 14, GREY, face="lato")
    y += 34
    font = studio.fonts.get(face, 16)
    while y < 600:
        y = running(brush.pen, text_of(studio, rng, 4), font, (left, y, left + wide, 640), INK) + 12
    return Drawn(brush.image, "web_page", "screen")


def new_resume(studio: Studio, rng: Random) -> Drawn:
    """What somebody did, with headings and points; a band at a side."""
    brush, people = page_of(studio), studio.people(rng)
    accent = rng.choice(((38, 60, 92), (40, 100, 96), (92, 60, 90)))
    brush.pen.rectangle((0, 0, 170, 760), fill=accent)
    brush.say((190, 36), people.name(), 28, accent, bold=True)
    brush.say((190, 74), people.job()[:36], 16, GREY)
    for row, head in enumerate(("Contact", "Skills", "Languages")):
        brush.say((18, 60 + row * 190), head, 16, (255, 255, 255), bold=True)
        for line in range(5):
            text = (
                people.word()
                if row
                else rng.choice((people.city(), people.numerify("### ### ###"), people.word()))
            )
            brush.say((18, 90 + row * 190 + line * 22), text, 13, (232, 236, 240))
    y, font = 116, studio.fonts.get("lato", 12)
    while y < 700:
        brush.say(
            (190, y),
            rng.choice(("Experience", "Education", "Projects", "Volunteering")),
            17,
            accent,
            bold=True,
        )
        brush.say((190, y + 26), f"{people.job()[:26]}, {people.company()[:20]}", 13, bold=True)
        brush.say((190, y + 44), f"{rng.randint(2008, 2018)} - {rng.randint(2019, 2026)}", 12, GREY)
        y = running(brush.pen, text_of(studio, rng, 5), font, (190, y + 64, 530, 740), INK) + 12
    return either(brush.image, rng, "")
