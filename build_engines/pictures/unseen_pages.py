"""Newer test templates of document pages: set apart from the pages of the other splits."""

from __future__ import annotations

from random import Random

from build_engines.pictures import unseen_sheets
from build_engines.pictures.faces import scribble
from build_engines.pictures.fonts import SANS, SERIF
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.unseen_props import running
from build_engines.pictures.unseen_sheets import GREY, INK, either, page_of, text_of


def templates() -> tuple[Template, ...]:
    return (
        new_letter,
        new_two_columns,
        new_tax_form,
        new_clauses,
        new_bullets,
        new_reader,
        *unseen_sheets.templates(),
    )


def new_letter(studio: Studio, rng: Random) -> Drawn:
    """A letter of an office: addresses, a subject, paragraphs, a name below."""
    brush, people = page_of(studio), studio.people(rng, rng.choice(("en_US", "de_CH", "en_CA")))
    face, size = rng.choice((*SERIF[:4], *SANS[:4])), rng.randint(13, 15)
    accent = rng.choice(((20, 70, 140), (130, 30, 40), (30, 110, 80), (40, 40, 44)))
    brush.say((520, 34), people.company()[:30], 20, accent, face=face, bold=True, right=True)
    brush.say((520, 62), people.street_address()[:34], 11, GREY, face=face, right=True)
    for row, text in enumerate(
        (people.name(), people.street_address(), f"{people.postcode()} {people.city()}")
    ):
        brush.say((56, 116 + row * 19), text[:34], size, face=face)
    brush.say((520, 200), f"{people.city()}, {a_day(rng):%d %B %Y}", size, face=face, right=True)
    brush.say(
        (56, 238),
        rng.choice(
            ("Your application", "Notice of change", "Re: contract no. 20-114", "Invitation")
        ),
        size + 1,
        face=face,
        bold=True,
    )
    brush.say((56, 270), "Dear Sir or Madam,", size, face=face)
    font, y = studio.fonts.get(face, size), 298
    for _ in range(rng.randint(2, 4)):
        y = running(brush.pen, text_of(studio, rng, 5), font, (56, y, 510, 600), INK) + 10
    brush.say((56, 620), "Yours faithfully", size, face=face)
    scribble(brush.pen, rng, (60, 640), (130, 40), (30, 50, 120))
    brush.say((56, 690), people.name(), size, face=face)
    brush.pen.line((56, 726, 510, 726), fill=accent)
    brush.say(
        (56, 732),
        f"Tel {people.numerify('+41 ## ### ## ##')}   {people.domain_name()}",
        10,
        GREY,
        face=face,
    )
    return either(brush.image, rng, "letter")


def new_two_columns(studio: Studio, rng: Random) -> Drawn:
    """The first page of a paper: a title, authors, an abstract, two columns."""
    brush, people = page_of(studio), studio.people(rng)
    face = rng.choice(SERIF[:3])
    font, bold = studio.fonts.get(face, 11), studio.fonts.get(face, 19, bold=True)
    y = running(brush.pen, people.sentence(11).rstrip("."), bold, (70, 44, 500, 110), INK)
    brush.say((120, y + 4), f"{people.name()}, {people.name()} and {people.name()}", 12, face=face)
    brush.say((250, y + 32), "Abstract", 13, face=face, bold=True)
    running(brush.pen, text_of(studio, rng, 9), font, (90, y + 52, 470, y + 150), INK)
    for left in (44, 292):
        y2, number = y + 162, 1
        while y2 < 700:
            brush.say(
                (left, y2),
                f"{number + left // 200 * 2} {people.word().title()} {people.word()}",
                13,
                face=face,
                bold=True,
            )
            y2 = (
                running(
                    brush.pen, text_of(studio, rng, 14), font, (left, y2 + 20, left + 226, 728), INK
                )
                + 6
            )
            number += 1
    brush.say((276, 738), str(rng.randint(1, 40)), 11, face=face)
    return either(brush.image, rng, "paper")


def new_tax_form(studio: Studio, rng: Random) -> Drawn:
    """Numbered boxes of an office with small words, half of them filled in by type."""
    brush, people = page_of(studio), studio.people(rng)
    tint = rng.choice(((226, 240, 250), (236, 244, 228), (250, 236, 232), (255, 255, 255)))
    brush.pen.rectangle(
        (30, 26, 530, 84), fill=(40, 44, 50) if rng.random() < 0.5 else tint, outline=INK
    )
    dark = brush.image.getpixel((34, 30)) == (40, 44, 50)
    brush.say(
        (44, 34),
        f"Form {rng.choice(('1040-X', 'SA 302', 'W-8', 'B 12'))}",
        24,
        (255, 255, 255) if dark else INK,
        bold=True,
    )
    brush.say(
        (520, 44),
        rng.choice(("Declaration of income", "Request for refund", "Registration of residence")),
        16,
        (255, 255, 255) if dark else INK,
        right=True,
    )
    y, number = 98, 1
    labels = (
        "Last name",
        "First name",
        "Date of birth",
        "Street and number",
        "Post code",
        "Town",
        "Tax number",
        "Occupation",
        "Amount paid",
        "Employer",
        "Telephone",
        "Bank account",
    )
    while y < 640:
        cells = rng.choice((1, 2, 2, 3))
        wide = 500 // cells
        for cell in range(cells):
            x = 30 + cell * wide
            brush.pen.rectangle((x, y, x + wide - 4, y + 42), fill=tint, outline=INK)
            brush.say((x + 5, y + 3), f"{number} {rng.choice(labels)}", 10, GREY, face="pt_sans")
            if rng.random() < 0.6:
                value = rng.choice(
                    (
                        people.last_name(),
                        people.city(),
                        f"{a_day(rng):%d.%m.%Y}",
                        f"{rng.randint(100, 99999)}.00",
                    )
                )
                brush.say((x + 12, y + 18), value[:18], 15, face="ibm_plex_mono")
            number += 1
        y += 48
    for row in range(3):
        brush.pen.rectangle((34, y + 8 + row * 26, 50, y + 24 + row * 26), outline=INK)
        brush.say((58, y + 8 + row * 26), people.sentence(8), 12, face="pt_sans")
    return either(brush.image, rng, "form")


def new_clauses(studio: Studio, rng: Random) -> Drawn:
    """Numbered clauses of a contract, two lines to sign on."""
    brush, people = page_of(studio), studio.people(rng)
    face = rng.choice((*SERIF[:4], "noto_sans"))
    title = rng.choice(
        ("TENANCY AGREEMENT", "EMPLOYMENT CONTRACT", "NON-DISCLOSURE AGREEMENT", "TERMS OF SALE")
    )
    brush.say((110, 40), title, 20, face=face, bold=True)
    font, y, number = studio.fonts.get(face, 12), 84, rng.randint(1, 6)
    y = (
        running(
            brush.pen,
            f"between {people.name()} (the first party) and {people.company()} (the second party).",
            font,
            (50, y, 510, 140),
            INK,
        )
        + 8
    )
    while y < 610:
        heads = (
            "Term",
            "Payment",
            "Notice",
            "Liability",
            "Duties",
            "Law that applies",
            "Deposit",
            "Secrecy",
        )
        brush.say((50, y), f"{number}. {rng.choice(heads)}", 14, face=face, bold=True)
        y += 22
        for part in range(rng.randint(1, 3)):
            brush.say((56, y), f"{number}.{part + 1}", 12, face=face)
            y = running(brush.pen, text_of(studio, rng, 3), font, (90, y, 510, 640), INK) + 3
        number += 1
        y += 6
    for x in (50, 300):
        brush.pen.line((x, 712, x + 200, 712), fill=INK)
        brush.say((x, 716), rng.choice(("Signature", "Place, date")), 11, GREY, face=face)
    scribble(brush.pen, rng, (70, 670), (120, 36), (30, 40, 110))
    return either(brush.image, rng, "contract")


def new_bullets(studio: Studio, rng: Random) -> Drawn:
    """A slide: a title in a band, points with short words, a number."""
    ground, ink, accent = rng.choice(
        (
            ((255, 255, 255), INK, (0, 84, 147)),
            ((250, 246, 238), (60, 40, 30), (200, 90, 40)),
            ((22, 32, 52), (240, 242, 248), (90, 190, 230)),
        )
    )
    brush, people = page_of(studio, (720, 405), ground), studio.people(rng)
    face = rng.choice(("roboto", "lato", "barlow_condensed", "noto_sans"))
    if rng.random() < 0.5:
        brush.pen.rectangle((0, 0, 720, 74), fill=accent)
        brush.say((36, 18), people.sentence(4).rstrip("."), 32, ground, face=face, bold=True)
    else:
        brush.say((36, 24), people.sentence(4).rstrip("."), 34, accent, face=face, bold=True)
        brush.pen.rectangle((36, 70, 684, 73), fill=accent)
    y = 106
    for _ in range(rng.randint(3, 5)):
        brush.pen.ellipse((44, y + 9, 53, y + 18), fill=accent)
        brush.say((68, y), people.sentence(6).rstrip("."), 22, ink, face=face)
        y += 34
        if rng.random() < 0.4:
            brush.say((92, y - 2), f"– {people.sentence(5)}", 17, ink, face=face)
            y += 26
    brush.say((690, 378), str(rng.randint(2, 60)), 14, accent, face=face, right=True)
    brush.say((36, 378), people.company()[:30], 13, accent, face=face)
    return Drawn(brush.image, "slide", "screen")


def new_reader(studio: Studio, rng: Random) -> Drawn:
    """A page in a program that shows files, small pages at its left."""
    brush = page_of(studio, (760, 600), (82, 86, 89))
    page = rng.choice((new_two_columns, new_clauses, new_tax_form))(studio, rng).image
    brush.image.paste(page.resize((470, 638)), (200, 56))
    for place in range(3):
        brush.image.paste(page.resize((92, 124)), (36, 60 + place * 160))
        brush.say((78, 190 + place * 160), str(place + 1), 12, (230, 230, 230), face="roboto")
    brush.pen.rectangle((0, 0, 760, 40), fill=(50, 54, 57))
    brush.say(
        (20, 10),
        f"{studio.people(rng).word()}.pdf       1 / {rng.randint(3, 40)}       -  100%  +",
        15,
        (236, 236, 236),
        face="roboto",
    )
    return Drawn(brush.image, "", "screen")
