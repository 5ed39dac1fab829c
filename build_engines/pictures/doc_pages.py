"""Printed pages of work and study: journals, letters, accounts, forms, curricula. All of train."""

from __future__ import annotations

from random import Random

from PIL import ImageDraw

from build_engines.pictures.fonts import joined
from build_engines.pictures.leaves import Leaf
from build_engines.pictures.marks import bars, stamp
from build_engines.pictures.pages import INK
from build_engines.pictures.papers import fibres, holes, stained
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.tabletops import lying

A4 = (470, 664)

GREY = (110, 110, 116)


def _formula(page: Leaf, rng: Random, left: float, right: float) -> None:
    text = rng.choice(
        ("f(x) = ax + b", "E = mc", "y = Σ w x + b", "p(x|y) = p(y|x) p(x) / p(y)", "L = - Σ log p")
    )
    font = page.studio.fonts.get("noto_serif", 10)
    page.pen.text((left + (right - left) * 0.2, page.y + 4), text, font=font, fill=INK)
    page.pen.text((right - 18, page.y + 4), f"({rng.randint(1, 20)})", font=font, fill=INK)
    page.y += 22


def journal(studio: Studio, rng: Random) -> Drawn:
    """An article: running head, abstract, two columns, formulae, a figure or a table."""
    page = Leaf(studio, rng, A4)
    page.margin = rng.randint(28, 44)
    right = page.image.width - page.margin
    page.y = 16
    page.line(
        f"{page.people.word().title()} {rng.randint(2, 60)} ({rng.randint(1990, 2026)})",
        8,
        fill=GREY,
    )
    page.rule(fill=GREY)
    if rng.random() < 0.7:
        page.heading(rng.randint(15, 21), middle=rng.random() < 0.6)
        page.line(", ".join(page.people.name() for _ in range(rng.randint(1, 4)))[:64], 9)
        page.text(page.margin + 24, right - 24, page.y + rng.randint(46, 90), 8)
        page.y += 8
    top, gap, size = page.y, 14, rng.choice((7, 8, 8, 9))
    half = (right - page.margin - gap) / 2
    for column in range(2):
        page.y, left = top, page.margin + column * (half + gap)
        while page.y < 610:
            what = rng.random()
            if what < 0.15 and page.y < 510:
                _figure(page, rng, left, half)
            elif what < 0.35:
                _formula(page, rng, left, left + half)
            elif what < 0.5:
                page.line(
                    f"{rng.randint(1, 5)}.{rng.randint(1, 4)} {page.people.word().title()}",
                    10,
                    x=left,
                    bold=True,
                )
            page.text(left, left + half, min(page.y + rng.randint(60, 190), 632), size)
    page.y = 640
    page.line(str(rng.randint(2, 900)), 8, middle=True)
    return lying(page, rng, "paper", 0.25)


def _figure(page: Leaf, rng: Random, left: float, wide: float) -> None:
    """A small plot or a table of numbers, with a legend."""
    high = rng.randint(60, 100)
    if rng.random() < 0.5:
        page.pen.rectangle((left, page.y, left + wide, page.y + high), outline=GREY)
        bars(page.pen, rng, (left + 8, page.y + 8, left + wide - 8, page.y + high - 4), page.accent)
        page.y += high + 4
    else:
        font = page.studio.fonts.get(page.name, 8)
        for row in range(high // 13):
            if row < 2:
                page.pen.line((left, page.y, left + wide, page.y), fill=INK)
            for column in range(4):
                value = f"{rng.uniform(0, 99):.1f}"
                page.pen.text(
                    (left + 6 + column * wide / 4, page.y + 1), value, font=font, fill=INK
                )
            page.y += 13
        page.pen.line((left, page.y, left + wide, page.y), fill=INK)
    page.line(f"{rng.randint(1, 9)}: {page.people.sentence(4)}"[:36], 8, x=left + 6, fill=GREY)


def letterhead(studio: Studio, rng: Random) -> Drawn:
    """A company's letter: head left, right or in the middle, subject, footer in columns."""
    page = Leaf(studio, rng, A4)
    right = page.image.width - page.margin
    place = rng.choice((page.margin, right - 40, page.image.width / 2 - 20))
    if rng.random() < 0.4:
        page.pen.rectangle((0, 0, page.image.width, rng.choice((10, 54))), fill=page.accent)
    page.logo(place, 18, rng.randint(26, 44))
    page.y = 72
    page.line(
        page.people.company()[:34],
        rng.randint(11, 20),
        bold=True,
        middle=rng.random() < 0.4,
        fill=page.accent,
    )
    page.y += rng.randint(10, 36)
    for line in [page.people.name(), *page.people.address().split("\n")][:4]:
        page.line(line[:40], 10)
    page.y += 10
    page.line(f"{page.people.city()[:16]}, {a_day(rng)}", 10, x=right - 150)
    page.heading(rng.randint(11, 14))
    page.text(page.margin, right, rng.randint(330, 540), rng.choice((9, 10, 11)))
    page.y += 8
    page.signed()
    if rng.random() < 0.35:
        stamp(
            page.image,
            studio.fonts.get("roboto", 16, bold=True),
            rng,
            page.people.company()[:16],
            (rng.randint(220, 330), int(min(page.y, 560)) - 60),
        )
    page.pen.line((page.margin, 622, right, 622), fill=page.accent)
    for column in range(3):
        for row in range(2):
            text = page.people.street_address().split("\n")[0] if row else page.people.company()
            page.pen.text(
                (page.margin + column * 132, 626 + row * 11),
                joined(text[:20]),
                font=page.font(7),
                fill=GREY,
            )
    return lying(page, rng, "letter")


def curriculum(studio: Studio, rng: Random) -> Drawn:
    """A CV: a coloured side or a plain one, years, places, skills as bars."""
    page = Leaf(studio, rng, A4)
    side, wide = rng.random() < 0.6, 140
    left = page.margin
    if side:
        page.pen.rectangle((0, 0, wide, 664), fill=page.accent)
        for place in range(rng.randint(4, 8)):
            page.pen.text(
                (14, 150 + place * 26),
                joined(page.people.word()),
                font=page.font(10),
                fill=(255, 255, 255),
            )
            page.pen.rectangle(
                (14, 165 + place * 26, 14 + rng.randint(30, 110), 169 + place * 26),
                fill=(235, 235, 235),
            )
        left = wide + 18
    page.line(page.people.name(), rng.randint(18, 28), x=left, bold=True)
    page.line(page.people.job()[:34], 12, x=left, fill=page.accent)
    while page.y < 600:
        page.y += 8
        page.line(page.people.word().upper(), 12, x=left, bold=True, fill=page.accent)
        page.pen.line((left, page.y - 2, 440, page.y - 2), fill=GREY)
        for _ in range(rng.randint(1, 3)):
            start = rng.randint(1995, 2024)
            page.line(
                f"{start}-{start + rng.randint(1, 6)}   {page.people.company()[:24]}",
                10,
                x=left,
                bold=True,
            )
            page.text(left + 10, 444, min(page.y + rng.randint(24, 60), 640), 9)
            if page.y > 590:
                break
    return lying(page, rng, "cv", 0.25)


def stamped_scan(studio: Studio, rng: Random) -> Drawn:
    """A copy of an official letter: stamps, signatures, punched holes, dark edges."""
    page = Leaf(studio, rng, A4)
    page.heading(rng.randint(13, 18), middle=True)
    page.line(
        f"No. {rng.randint(100, 9999)}/{rng.randint(2000, 2026)}", 10, middle=rng.random() < 0.5
    )
    page.y += 10
    page.text(
        page.margin + 10,
        page.image.width - page.margin,
        rng.randint(300, 480),
        rng.choice((10, 11, 12)),
    )
    page.y += 16
    page.signed()
    for _ in range(rng.randint(1, 3)):
        stamp(
            page.image,
            studio.fonts.get("roboto", 16, bold=True),
            rng,
            page.people.city()[:14],
            (rng.randint(60, 320), rng.randint(380, 520)),
        )
    if rng.random() < 0.5:
        holes(page.image, rng)
    image = fibres(page.image, rng, 4)
    if rng.random() < 0.6:
        image = stained(image, rng)
    if rng.random() < 0.5:
        image = image.convert("L").convert("RGB")
    if rng.random() < 0.3:
        pen = ImageDraw.Draw(image)
        pen.line((20, 12, 52, 46), fill=(150, 150, 156), width=3)  # a clip
    return Drawn(image, "contract", "paper")


def agenda(studio: Studio, rng: Random) -> Drawn:
    """Minutes: numbered heads, indented points, a list of those present."""
    page = Leaf(studio, rng, A4)
    page.heading(rng.randint(16, 24))
    page.line(f"{a_day(rng)}, {rng.randint(8, 18)}:{rng.choice(('00', '15', '30'))}", 10, fill=GREY)
    page.line(", ".join(page.people.first_name() for _ in range(6)), 10)
    page.rule()
    number = 1
    while page.y < 600:
        page.line(f"{number}. {page.people.sentence(4)}"[:46], 12, bold=True)
        for _ in range(rng.randint(1, 4)):
            page.line(f"{rng.choice('•-–')} {page.people.sentence(8)}"[:58], 10, x=page.margin + 18)
        page.y += 8
        number += 1
    return lying(page, rng, "")


PAPERS: tuple[Template, ...] = (
    journal,
    letterhead,
    curriculum,
    stamped_scan,
    agenda,
)
