"""Printed things to read: books, newspapers, menus, flyers, diplomas, mails. All of train."""

from __future__ import annotations

from random import Random

from PIL import Image

from build_engines.pictures.fonts import joined
from build_engines.pictures.leaves import Leaf
from build_engines.pictures.marks import picture
from build_engines.pictures.pages import INK
from build_engines.pictures.papers import fibres
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.tabletops import laid, lying

GREY = (110, 110, 116)
A4 = (470, 664)


def contents_page(studio: Studio, rng: Random) -> Drawn:
    """Chapters and sections with dots up to the number of their page."""
    page = Leaf(studio, rng, A4)
    page.heading(rng.randint(18, 28), middle=rng.random() < 0.4)
    page.y += 14
    number, at, size = 1, rng.randint(1, 12), rng.choice((10, 11, 12))
    right = page.image.width - page.margin
    while page.y < 610:
        for place in range(rng.randint(1, 6)):
            font = page.font(size, bold=not place)
            left = page.margin + (22 if place else 0)
            label = f"{number}.{place} " if place else f"{number}  "
            text = joined(label + page.people.sentence(4).rstrip(".")[:34])
            page.pen.text((left, page.y), text, font=font, fill=INK)
            x = left + font.getlength(text) + 6
            dots = "." * int(max(0, right - 28 - x) / max(1, font.getlength(".")) * 0.9)
            page.pen.text((x, page.y), dots, font=font, fill=GREY)
            page.pen.text((right, page.y), str(at), font=font, fill=INK, anchor="ra")
            at += rng.randint(1, 14)
            page.y += size * 1.7
        number += 1
        page.y += 5
    return lying(page, rng, "book")


def novel_spread(studio: Studio, rng: Random) -> Drawn:
    """An open book on a table: two pages, numbers, a chapter's begin, the shadow of the fold."""
    level = rng.randint(228, 252)
    page = Leaf(studio, rng, (680, 480), (level, level - 4, level - rng.randint(8, 32)))
    size = rng.choice((10, 11, 12, 13))
    for side, left in enumerate((36, 366)):
        page.y = 46
        if rng.random() < 0.3:
            page.y = 110
            page.line(str(rng.randint(1, 40)), 22, x=left + 130, bold=True)
            page.y += 16
        elif rng.random() < 0.5:
            page.pen.text(
                (left + 90, 22), joined(page.people.word().upper()), font=page.font(8), fill=GREY
            )
        page.text(left, left + 278, 440 if rng.random() < 0.85 else 260, size)
        page.pen.text(
            (left + (270 if side else 0), 452),
            str(rng.randint(2, 600)),
            font=page.font(9),
            fill=INK,
        )
    shade = Image.linear_gradient("L").rotate(90).resize((50, 480)).point(lambda one: one // 2)
    page.image.paste((60, 50, 40), (290, 0), shade)
    page.image.paste((60, 50, 40), (340, 0), shade.transpose(Image.Transpose.FLIP_LEFT_RIGHT))
    image = page.image
    if rng.random() < 0.35:  # one page alone, close
        image = image.crop((350, 0, 680, 480))
    held = rng.random() < 0.4
    return (
        Drawn(laid(image, rng, held=held), "book", "scene")
        if rng.random() < 0.7
        else Drawn(image, "book", "paper")
    )


def newsprint(studio: Studio, rng: Random) -> Drawn:
    """A newspaper: name, rules, a headline, columns, photographs; or a part of it."""
    level = rng.randint(208, 240)
    page = Leaf(studio, rng, (560, 720), (level, level - 3, level - rng.randint(6, 24)))
    width = page.image.width
    page.y = 14
    page.line(page.people.city()[:16].upper(), rng.randint(30, 48), bold=True, middle=True)
    page.y += 6
    page.rule(fill=INK, width=2)
    page.line(f"{a_day(rng)}", 9, fill=GREY)
    page.heading(rng.randint(22, 38))
    columns, top, gap = rng.randint(3, 5), page.y, 12
    wide = (width - 40 - gap * (columns - 1)) / columns
    for column in range(columns):
        left, page.y = 20 + column * (wide + gap), top
        while page.y < 690:
            if rng.random() < 0.35 and page.y < 560:
                high = rng.randint(60, 130)
                picture(page.pen, rng, (left, page.y, left + wide, page.y + high))
                page.y += high + 6
            if rng.random() < 0.6:
                page.line(page.people.sentence(3)[: int(wide / 8)], 13, x=left, bold=True)
            page.text(left, left + wide, min(page.y + rng.randint(80, 300), 706), 8)
        if column:
            page.pen.line((left - gap / 2, top, left - gap / 2, 700), fill=(150, 150, 150))
    image = fibres(page.image, rng, 4)
    if rng.random() < 0.4:
        image = image.crop((0, 0, width, rng.randint(330, 520)))
    return (
        Drawn(laid(image, rng), "newspaper", "scene")
        if rng.random() < 0.35
        else Drawn(image, "newspaper", "paper")
    )


def menu_card(studio: Studio, rng: Random) -> Drawn:
    """A restaurant's card: groups, dishes, what is in them, prices."""
    dark = rng.random() < 0.3
    ground = rng.choice(((250, 246, 236), (255, 255, 255), (240, 232, 214)))
    page = Leaf(studio, rng, (430, 640), (34, 32, 30) if dark else ground)
    ink = (236, 228, 208) if dark else INK
    if rng.random() < 0.5:
        page.pen.rectangle((10, 10, 419, 629), outline=page.accent, width=rng.randint(1, 5))
    page.line(page.people.last_name(), rng.randint(22, 36), bold=True, middle=True, fill=ink)
    middle, right = rng.random() < 0.3, page.image.width - page.margin
    while page.y < 570:
        page.y += 8
        page.line(
            page.people.word().upper(),
            14,
            bold=True,
            middle=True,
            fill=(200, 150, 70) if dark else page.accent,
        )
        for _ in range(rng.randint(2, 5)):
            price = f"{rng.randint(2, 39)}{rng.choice(('.50', '.90', '', ',80'))}"
            name = " ".join(page.people.words(rng.randint(1, 3))).capitalize()[:28]
            if not middle:
                page.pen.text((right, page.y), price, font=page.font(12), fill=ink, anchor="ra")
            page.line(f"{name}  {price}" if middle else name, 12, middle=middle, fill=ink)
            if rng.random() < 0.6:
                page.line(page.people.sentence(5)[:44], 8, middle=middle, fill=GREY)
            if page.y > 590:
                break
    return lying(page, rng, "menu")


def flyer(studio: Studio, rng: Random) -> Drawn:
    """An announcement: a large title, a picture, a day and a place, a price in a burst."""
    ground = tuple(rng.randint(120, 255) for _ in "rgb") if rng.random() < 0.5 else (255, 255, 255)
    page = Leaf(
        studio, rng, rng.choice((A4, (520, 400), (330, 660))), (ground[0], ground[1], ground[2])
    )
    width, height = page.image.size
    if rng.random() < 0.6:
        picture(page.pen, rng, (0, 0, width, height * rng.uniform(0.25, 0.45)))
        page.y = height * 0.47
    for _ in range(rng.randint(1, 2)):
        page.line(
            page.people.word().upper()[:12],
            rng.randint(34, 52),
            bold=True,
            middle=rng.random() < 0.6,
            fill=page.accent,
        )
    page.line(f"{a_day(rng)}  {rng.randint(8, 21)}:00", 17, middle=True)
    page.text(
        page.margin + 10,
        width - page.margin - 10,
        min(page.y + rng.randint(60, 170), height - 50),
        rng.choice((11, 13)),
    )
    if rng.random() < 0.4:
        x, y, r = rng.randint(60, width - 60), height - 90, rng.randint(34, 50)
        page.pen.ellipse((x - r, y - r, x + r, y + r), fill=(210, 40, 50))
        page.pen.text(
            (x, y),
            f"{rng.randint(2, 99)} €",
            font=page.font(22, bold=True),
            fill=(255, 255, 255),
            anchor="mm",
        )
    page.pen.rectangle((0, height - 30, width, height), fill=page.accent)
    page.pen.text(
        (20, height - 24),
        page.people.domain_name(),
        font=studio.fonts.get("lato", 13),
        fill=(255, 255, 255),
    )
    return lying(page, rng, "flyer")


def diploma(studio: Studio, rng: Random) -> Drawn:
    """A certificate across: frame, title, name, a seal or a ribbon, two signatures."""
    page = Leaf(
        studio,
        rng,
        rng.choice(((660, 470), (470, 650))),
        rng.choice(((253, 250, 240), (255, 255, 255), (244, 240, 226))),
    )
    width, height = page.image.size
    for inner in range(8, rng.choice((16, 26, 36)), 5):
        page.pen.rectangle(
            (inner, inner, width - inner, height - inner), outline=page.accent, width=2
        )
    page.y = height * 0.14
    title = rng.choice(("Certificate", "Diploma", "Urkunde", "Diplôme", "Certificado", "Award"))
    page.line(title, rng.randint(34, 50), bold=True, middle=True, fill=page.accent)
    page.y += 12
    page.line(page.people.sentence(5)[:44], 13, middle=True)
    page.y += 10
    page.name = (
        rng.choice((page.name, "great_vibes", "dancing_script"))
        if page.language in ("en_US", "la")
        else page.name
    )
    page.line(page.people.name(), rng.randint(24, 36), middle=True)
    page.name = "eb_garamond" if page.language in ("en_US", "la") else page.name
    page.text(width * 0.2, width * 0.8, page.y + rng.randint(50, 100), 12)
    x, y = rng.choice(((width / 2, height - 80.0), (84.0, 84.0), (width - 84.0, 84.0)))
    page.pen.ellipse(
        (x - 34, y - 34, x + 34, y + 34), fill=(196, 158, 70), outline=(150, 116, 40), width=5
    )
    for left in (60, width - 200):
        page.y = height - 74
        page.margin = left
        page.signed()
    return lying(page, rng, "certificate")


def mail_print(studio: Studio, rng: Random) -> Drawn:
    """A printed e-mail: the sender's lines, a rule, text, quoted text, a footer."""
    page = Leaf(studio, rng, A4)
    page.line(page.people.name(), 13, bold=True)
    page.rule(fill=INK, width=2)
    for label in ("From", "Sent", "To", "Subject"):
        value = page.people.email() if label in ("From", "To") else str(a_day(rng))
        page.pen.text(
            (page.margin, page.y),
            f"{label}:",
            font=studio.fonts.get("roboto", 11, bold=True),
            fill=INK,
        )
        if label == "Subject":
            page.line(page.people.sentence(4)[:40], 11, x=page.margin + 70)
        else:
            page.pen.text(
                (page.margin + 70, page.y), value, font=studio.fonts.get("roboto", 11), fill=INK
            )
            page.y += 16
    page.y += 16
    right = page.image.width - page.margin
    page.text(page.margin, right, rng.randint(270, 430), rng.choice((10, 11, 12)))
    page.y += 12
    while page.y < 560 and rng.random() < 0.8:
        top = page.y
        page.text(page.margin + 16, right, page.y + rng.randint(50, 120), 10, fill=(90, 90, 130))
        page.pen.line(
            (page.margin + 6, top, page.margin + 6, page.y), fill=(120, 120, 200), width=2
        )
        page.y += 12
    page.pen.text(
        (page.margin, 644), f"{a_day(rng)}    1/{rng.randint(1, 4)}", font=page.font(8), fill=GREY
    )
    return lying(page, rng, "email", 0.25)


FOLIOS: tuple[Template, ...] = (
    contents_page,
    novel_spread,
    newsprint,
    menu_card,
    flyer,
    diploma,
    mail_print,
)
