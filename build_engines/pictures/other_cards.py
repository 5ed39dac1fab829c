"""Cards and pages that prove who one is without being a passport: students, patients, visitors."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.faces import face, scribble
from build_engines.pictures.fonts import MONO, SANS, SERIF, Font
from build_engines.pictures.layouts import Country, countries
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, a_day, named
from build_engines.pictures.zone import zone

Colour = tuple[int, int, int]
INK: Colour = (30, 30, 38)


def templates(split: Split) -> Named:
    """What identity_document.py adds to its own templates."""
    if split == "train":
        return named(student_card, health_card, library_card, vaccination_card, visa)
    return named(club_card) if split == "validation" else ()


def _latin(studio: Studio, rng: Random) -> Country:
    return rng.choice([one for one in countries(studio.split) if one.script == "Latn"])


def _fonts(studio: Studio, rng: Random, *sizes: int) -> list[Font]:
    family = rng.choice((*SANS[:6], *SERIF[:2]))
    return [studio.fonts.get(family, size, bold=place == 0) for place, size in enumerate(sizes)]


def _rounded(card: Image.Image, radius: int) -> Image.Image:
    mask = Image.new("L", card.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle(
        (0, 0, card.width - 1, card.height - 1), radius, fill=255
    )
    card.putalpha(mask)
    return card


def _pale(rng: Random) -> Colour:
    return rng.randint(215, 255), rng.randint(215, 255), rng.randint(215, 255)


def _strong(rng: Random) -> Colour:
    return rng.randint(10, 170), rng.randint(10, 130), rng.randint(40, 180)


def _bars(pen: ImageDraw.ImageDraw, rng: Random, box: tuple[int, int, int, int]) -> None:
    x, top, right, bottom = box
    while x < right:
        wide = rng.randint(1, 4)
        pen.rectangle((x, top, x + wide - 1, bottom), fill=INK)
        x += wide + rng.randint(1, 4)


def student_card(studio: Studio, rng: Random) -> Drawn:
    """A school's name above, a face on a side, a number, bars."""
    people = studio.people(rng, _latin(studio, rng).locale)
    upright = rng.random() < 0.3
    width, height = (260, 410) if upright else (440, 278)
    card, strong = Image.new("RGB", (width, height), _pale(rng)), _strong(rng)
    pen = ImageDraw.Draw(card)
    head, body, small = _fonts(studio, rng, 20, 17, 12)
    pen.rectangle((0, 0, width, 58), fill=strong)
    school = rng.choice(
        ("University of {}", "{} College", "Universität {}", "Université de {}", "{} High School")
    )
    pen.text((16, 16), school.format(people.city())[:30], font=head, fill=(255, 255, 255))
    shot = face(rng).resize((104, 132), Image.Resampling.BILINEAR)
    left = 78 if upright else rng.choice((16, 318))
    card.paste(shot, (left, 74))
    x, y = (22, 222) if upright else (138 if left == 16 else 18, 82)
    pen.text((x, y), people.name()[:22], font=body, fill=INK)
    for place, text in enumerate(
        (
            rng.choice(("STUDENT", "STUDENT ID", "Studierendenausweis", "ÉTUDIANT")),
            f"No. {rng.randint(10**6, 10**8)}",
            f"{people.job()[:20]}",
            f"Valid {a_day(rng, 2025, 2029)}",
        )
    ):
        pen.text((x, y + 30 + place * 22), text, font=small, fill=strong if place == 0 else INK)
    _bars(pen, rng, (x, height - 44, x + 170, height - 14))
    return Drawn(_rounded(card, 16), "student_card", "card")


def health_card(studio: Studio, rng: Random) -> Drawn:
    """An insurance's card: stripes, a chip, names and numbers, rarely a face."""
    country = _latin(studio, rng)
    people = studio.people(rng, country.locale)
    card = Image.new("RGB", (440, 278), _pale(rng))
    pen, strong = ImageDraw.Draw(card), _strong(rng)
    for stripe in range(rng.randint(2, 7)):
        tone = tuple(min(255, one + 60 + stripe * 12) for one in strong)
        y = 20 + stripe * 34
        pen.polygon([(0, y), (440, y - rng.randint(10, 70)), (440, y + 10), (0, y + 26)], fill=tone)
    head, body, small = _fonts(studio, rng, 21, 16, 11)
    title = rng.choice(
        (
            "Health Insurance",
            "Gesundheitskarte",
            "Carte d'assurance maladie",
            "Tarjeta sanitaria",
            "European Health Insurance Card",
        )
    )
    pen.text((20, 16), title, font=head, fill=strong)
    if rng.random() < 0.4:
        card.paste(face(rng).resize((84, 106)), (336, 70))
    if rng.random() < 0.7:
        pen.rounded_rectangle((26, 92, 78, 134), 5, fill=(212, 178, 90), outline=(120, 95, 40))
        pen.line((26, 113, 78, 113), fill=(120, 95, 40))
    for place, (label, value) in enumerate(
        (
            (country.labels[0], people.name()),
            (country.labels[2], str(a_day(rng, 1940, 2015))),
            (country.labels[6], f"{rng.randint(10**9, 10**10)}"),
            (country.labels[5], str(a_day(rng, 2026, 2032))),
        )
    ):
        x, y = 100 + place % 2 * 170, 150 + place // 2 * 54
        pen.text((x - 76, y), label, font=small, fill=strong)
        pen.text((x - 76, y + 14), value[:22], font=body, fill=INK)
    return Drawn(_rounded(card, 18), "health_card", "card")


def library_card(studio: Studio, rng: Random) -> Drawn:
    """Large words, bars with a number, a name written by hand."""
    people = studio.people(rng, _latin(studio, rng).locale)
    strong = _strong(rng)
    ground = rng.choice((strong, _pale(rng)))
    card = Image.new("RGB", (430, 270), ground)
    ink: Colour = (255, 255, 255) if sum(ground) < 384 else strong
    pen = ImageDraw.Draw(card)
    head, body, small = _fonts(studio, rng, 26, 17, 12)
    title = rng.choice(
        (
            "{} Public Library",
            "Stadtbibliothek {}",
            "Bibliothèque de {}",
            "Member of {} Sports Club",
        )
    )
    pen.text((20, 22), title.format(people.city())[:28], font=head, fill=ink)
    pen.rectangle((20, 80, 410, 160), fill=(255, 255, 255))
    _bars(pen, rng, (34, 88, 396, 136))
    pen.text((130, 140), f"{rng.randint(10**12, 10**13)}", font=small, fill=INK)
    pen.text((20, 178), people.name(), font=body, fill=ink)
    pen.line((20, 240, 240, 240), fill=ink)
    scribble(pen, rng, (26, 204), (180, 34), ink)
    return Drawn(_rounded(card, 16), "student_card", "card")


def vaccination_card(studio: Studio, rng: Random) -> Drawn:
    """A folded sheet with a name and a table of doses, dates by hand, stamps."""
    people = studio.people(rng, _latin(studio, rng).locale)
    tint = rng.choice(((250, 240, 180), (252, 252, 248), (225, 238, 225)))
    card = Image.new("RGB", (470, 340), tint)
    pen = ImageDraw.Draw(card)
    head, body, small = _fonts(studio, rng, 18, 13, 11)
    hand = studio.fonts.any(("caveat", "kalam", "indie_flower"), 18, rng)
    title = rng.choice(
        (
            "Vaccination Record Card",
            "Impfausweis",
            "Certificat de vaccination",
            "Certificado de vacunación",
        )
    )
    pen.text((18, 14), title, font=head, fill=INK)
    for place, text in enumerate(
        (people.last_name(), people.first_name(), str(a_day(rng, 1940, 2020)))
    ):
        pen.text(
            (18 + place * 150, 66),
            ("Last name", "First name", "Date of birth")[place],
            font=small,
            fill=(90, 90, 90),
        )
        pen.text((18 + place * 150, 42), text, font=hand, fill=(20, 40, 110))
        pen.line((18 + place * 150, 64, 150 + place * 150, 64), fill=INK)
    rows = rng.randint(4, 8)
    for row in range(rows + 1):
        y = 94 + row * 28
        pen.line((18, y, 452, y), fill=(110, 110, 110))
        if row in (0, rows):
            continue
        pen.text(
            (24, y + 6),
            rng.choice(("Tetanus", "Influenza", "COVID-19", "Measles", "Hepatitis B", "Polio")),
            font=body,
            fill=INK,
        )
        if rng.random() < 0.75:
            pen.text((170, y + 2), f"{a_day(rng):%d.%m.%y}", font=hand, fill=(20, 40, 110))
            pen.text((270, y + 6), f"LOT {people.bothify('??###').upper()}", font=small, fill=INK)
            scribble(pen, rng, (370, y + 4), (70, 20), (30, 40, 90))
    for x in (18, 160, 262, 360, 452):
        pen.line((x, 94, x, 94 + rows * 28), fill=(110, 110, 110))
    for _ in range(rng.randint(0, 2)):
        x, y = rng.randint(200, 400), rng.randint(110, 280)
        pen.ellipse((x, y, x + 70, y + 50), outline=(70, 60, 150), width=2)
    return Drawn(card, "health_card", "paper")


def visa(studio: Studio, rng: Random) -> Drawn:
    """A page of a passport with a sticker: a face, fields, two lines for machines, stamps."""
    country = _latin(studio, rng)
    page = Image.new("RGB", (470, 620 if rng.random() < 0.5 else 330), country.pale)
    pen = ImageDraw.Draw(page)
    for y in range(-30, page.height, 11):
        pen.arc((-60, y, 530, y + 90), 0, 180, fill=(200, 205, 215))
    top = page.height - 310 if page.height > 400 else 10
    pen.rectangle((14, top, 456, top + 296), fill=_pale(rng), outline=(150, 150, 150))
    head, body, small = _fonts(studio, rng, 26, 15, 10)
    pen.text((140, top + 8), "VISA", font=head, fill=country.strong)
    pen.text((230, top + 16), country.name[:28], font=small, fill=country.strong)
    page.paste(face(rng).resize((104, 132)), (24, top + 50))
    people = studio.people(rng, country.locale)
    texts = (
        country.name.title()[:20],
        f"{a_day(rng):%d-%m-%y}   {a_day(rng, 2026, 2028):%d-%m-%y}",
        rng.choice(("C   MULT   90", "D   01   365", "B1/B2")),
        people.last_name().upper(),
        people.first_name().upper(),
    )
    for place, text in enumerate(texts):
        pen.text(
            (140, top + 48 + place * 34),
            ("FOR", "FROM - UNTIL", "TYPE", "SURNAME", "NAME")[place],
            font=small,
            fill=(90, 90, 100),
        )
        pen.text((140, top + 60 + place * 34), text, font=body, fill=INK)
    lines = zone(2, country.code, people, rng)
    mono = studio.fonts.get(MONO[studio.split][0], 15)
    size = int(15 * 425 / mono.getlength(lines[0]))
    mono = studio.fonts.get(MONO[studio.split][0], size)
    for place, line in enumerate(lines):
        pen.text((22, top + 246 + place * 21), line, font=mono, fill=INK)
    for _ in range(rng.randint(0, 4) if page.height > 400 else 0):
        x, y = rng.randint(10, 300), rng.randint(10, 220)
        ink = rng.choice(((40, 60, 150), (150, 30, 60), (20, 110, 70)))
        pen.rounded_rectangle((x, y, x + 130, y + 66), 8, outline=ink, width=3)
        pen.text((x + 12, y + 12), people.city()[:12].upper(), font=small, fill=ink)
        pen.text((x + 12, y + 32), f"{a_day(rng):%d %b %Y}".upper(), font=body, fill=ink)
    return Drawn(page, "passport", "card")


def club_card(studio: Studio, rng: Random) -> Drawn:
    """A member's card: a face in a round frame, a dark ground."""
    people = studio.people(rng, _latin(studio, rng).locale)
    strong = _strong(rng)
    card = Image.new("RGB", (430, 270), strong)
    pen = ImageDraw.Draw(card)
    head, body, small = _fonts(studio, rng, 22, 18, 12)
    mask = Image.new("L", (130, 130), 0)
    ImageDraw.Draw(mask).ellipse((0, 0, 130, 130), fill=255)
    card.paste(face(rng).resize((130, 166)).crop((0, 12, 130, 142)), (24, 70), mask)
    pen.text((22, 18), f"{people.company()[:22]} Club", font=head, fill=(255, 255, 255))
    pen.text((180, 100), people.name()[:20], font=body, fill=(255, 255, 255))
    pen.text(
        (180, 134), f"Member since {rng.randint(1998, 2025)}", font=small, fill=(220, 220, 220)
    )
    pen.text((180, 154), f"No. {rng.randint(10**5, 10**6)}", font=small, fill=(220, 220, 220))
    return Drawn(_rounded(card, 16), "student_card", "card")
