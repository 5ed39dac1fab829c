"""Printed pages: letters, papers, forms, invoices, contracts, slides, books, web pages."""

from __future__ import annotations

from random import Random

from build_engines.pictures import unseen_pages
from build_engines.pictures.doc_folios import FOLIOS
from build_engines.pictures.doc_pages import PAPERS
from build_engines.pictures.doc_screens import SCREENS
from build_engines.pictures.doc_seen import SEEN
from build_engines.pictures.doc_sheets import SHEETS
from build_engines.pictures.faces import scribble
from build_engines.pictures.fonts import joined
from build_engines.pictures.pages import INK, Page
from build_engines.pictures.pages_seen import (
    certificate,
    manual,
    memo,
    newspaper,
    questionnaire,
    report,
    slide_dark,
    statement,
)
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, Template, a_day, named


def templates(split: Split) -> Named:
    chosen: dict[Split, tuple[Template, ...]] = {
        "train": (
            *(letter, paper, form, table, invoice, slide, book, web_article, contract),
            *(*PAPERS, *SHEETS, *FOLIOS, *SCREENS),
        ),
        "validation": (memo, newspaper, *SEEN),
        "test": (
            report,
            certificate,
            questionnaire,
            slide_dark,
            statement,
            manual,
            *unseen_pages.templates(),
        ),
    }
    return named(*chosen[split])


def letter(studio: Studio, rng: Random) -> Drawn:
    page = Page(studio, rng)
    page.logo(page.image.width - 90, 22, 34)
    page.line(page.people.company()[:34], 15, bold=True, fill=page.accent)
    page.rule()
    page.y += 22
    for line in [page.people.name(), *page.people.address().split("\n")][:4]:
        page.line(line[:40])
    page.y += 14
    page.line(str(a_day(rng)), x=page.image.width - 130)
    page.heading(13)
    page.text(page.margin, page.image.width - page.margin, 520)
    page.signed()
    return page.done("letter")


def paper(studio: Studio, rng: Random) -> Drawn:
    """A scientific paper in two columns, with a figure."""
    page = Page(studio, rng, (500, 660))
    page.heading(17, middle=True)
    page.line(", ".join(page.people.name() for _ in range(3))[:60], 10, middle=True)
    page.y += 8
    top, gap = page.y, 14
    half = (page.image.width - 2 * page.margin - gap) / 2
    for column in range(2):
        page.y = top
        left = page.margin + column * (half + gap)
        if column == rng.randint(0, 1):
            page.pen.rectangle((left, top, left + half, top + 100), outline=(90, 90, 90))
            points = [
                (left + 10 + step * (half - 20) / 9, top + 90 - rng.randint(0, 75))
                for step in range(10)
            ]
            page.pen.line(points, fill=page.accent, width=2)
            page.y += 112
        for _ in range(3):
            page.line(f"{rng.randint(1, 6)}  {page.people.word().title()}", 10, x=left, bold=True)
            page.text(left, left + half, min(page.y + rng.randint(110, 230), 635), 8)
            if page.y > 600:
                break
    return page.done("paper")


def form(studio: Studio, rng: Random) -> Drawn:
    """Labels, lines, boxes to tick, some filled."""
    page = Page(studio, rng)
    page.heading(17, middle=rng.random() < 0.5)
    page.rule(width=2)
    right = page.image.width - page.margin
    while page.y < 590:
        what = rng.randint(0, 2)
        label = page.people.word().title()
        if what == 0:
            page.pen.rectangle((page.margin, page.y, right, page.y + 30), outline=(120, 120, 130))
            page.line(f" {label}", 8, fill=(100, 100, 110))
            page.line(f"  {page.people.name() if rng.random() < 0.6 else ''}", 12)
        elif what == 1:
            page.line(label, 10)
            page.pen.line((page.margin + 90, page.y - 3, right, page.y - 3), fill=(120, 120, 130))
        else:
            for place in range(3):
                x = page.margin + place * 120
                page.pen.rectangle((x, page.y, x + 10, page.y + 10), outline=INK)
                if rng.random() < 0.4:
                    page.pen.line((x, page.y, x + 10, page.y + 10), fill=INK, width=2)
                page.pen.text(
                    (x + 16, page.y - 1), joined(page.people.word()), font=page.font(10), fill=INK
                )
            page.y += 16
        page.y += 8
    return page.done("form")


def table(studio: Studio, rng: Random) -> Drawn:
    page = Page(studio, rng, rng.choice(((460, 640), (640, 440))))
    page.heading(16)
    page.grid(
        rng.randint(3, 6),
        rng.randint(12, 26) if page.image.height > 500 else 18,
        shaded=rng.random() < 0.6,
    )
    return page.done("table")


def invoice(studio: Studio, rng: Random) -> Drawn:
    page = Page(studio, rng)
    page.logo(page.margin, 24, 30)
    title = rng.choice(("INVOICE", "RECHNUNG", "FACTURE", "FACTURA", "FATTURA"))
    page.line(title, 22, x=page.image.width - page.margin - 130, bold=True, fill=page.accent)
    page.y += 20
    for line in [page.people.company(), *page.people.address().split("\n")][:3]:
        page.line(line[:38])
    page.line(f"No. {rng.randint(1000, 99999)}", x=page.image.width - 150)
    page.y += 10
    page.grid(4, rng.randint(5, 12), height=20)
    for label in ("Net", "VAT", "Total"):
        page.line(
            f"{label}   {rng.uniform(10, 9000):,.2f}",
            12,
            x=page.image.width - 170,
            bold=label == "Total",
        )
    page.text(page.margin, page.image.width - page.margin, 620, 8)
    return page.done("invoice")


def contract(studio: Studio, rng: Random) -> Drawn:
    page = Page(studio, rng, (460, 650))
    page.heading(15, middle=True)
    for number in range(1, 6):
        page.line(f"§ {number}  {page.people.word().title()}", 11, bold=True)
        page.text(
            page.margin + 12, page.image.width - page.margin, page.y + rng.randint(50, 110), 9
        )
        if page.y > 520:
            break
    page.y = max(page.y, 560)
    scribble(page.pen, rng, (page.margin, int(page.y)), (110, 26), (20, 25, 90))
    scribble(page.pen, rng, (page.image.width - 170, int(page.y)), (110, 26), (20, 25, 90))
    page.y += 30
    page.rule(fill=(90, 90, 90))
    return page.done("contract")


def slide(studio: Studio, rng: Random) -> Drawn:
    """A bright slide: a title and points, sometimes a picture's place."""
    page = Page(
        studio, rng, (640, 360), rng.choice(((255, 255, 255), (244, 247, 252), (255, 250, 240)))
    )
    page.pen.rectangle((0, 0, rng.choice((12, 640)), 58), fill=page.accent)
    page.y = 14.0
    page.heading(
        26, fill=(255, 255, 255) if page.image.getpixel((600, 30)) == page.accent else page.accent
    )
    page.y = 90
    for _ in range(rng.randint(3, 6)):
        page.line(f"•  {page.people.sentence(6)}"[:44], 17)
        page.y += 8
    if rng.random() < 0.5:
        page.pen.rectangle((430, 110, 610, 290), fill=(225, 229, 235))
        page.logo(490, 165, 60)
    return page.done("slide", "screen")


def book(studio: Studio, rng: Random) -> Drawn:
    """One page of prose, or two."""
    double = rng.random() < 0.4
    page = Page(studio, rng, (680, 460) if double else (380, 580), (250, 244, 228))
    for left in (36, 372) if double else (36,):
        page.y = 44
        right = left + (276 if double else 310)
        page.text(left, right, page.image.height - 36, rng.choice((10, 11, 12)))
    if double:
        page.pen.line((344, 0, 344, 460), fill=(190, 180, 160), width=5)
    return page.done("book")


def web_article(studio: Studio, rng: Random) -> Drawn:
    """A browser with an article in it."""
    page = Page(studio, rng, (700, 500), (255, 255, 255))
    page.pen.rectangle((0, 0, 700, 34), fill=(222, 225, 230))
    page.pen.rounded_rectangle((80, 6, 560, 28), 10, fill=(255, 255, 255))
    page.pen.text(
        (94, 9),
        f"https://{studio.people(rng).domain_name()}/{studio.people(rng).slug()}"[:60],
        font=studio.fonts.get("roboto", 12),
        fill=(90, 90, 90),
    )
    page.pen.rectangle((0, 34, 700, 70), fill=page.accent)
    for place in range(5):
        page.pen.text(
            (40 + place * 110, 44),
            joined(page.people.word()),
            font=page.font(12),
            fill=(255, 255, 255),
        )
    page.y = 86
    page.heading(24)
    page.text(page.margin, 450, 490, 12)
    page.pen.rectangle((490, 100, 670, 220), fill=tuple(rng.randint(120, 230) for _ in "rgb"))
    page.y = 235
    page.text(490, 670, 480, 10, fill=page.accent)
    return page.done("web_page", "screen")
