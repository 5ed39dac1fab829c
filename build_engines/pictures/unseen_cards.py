"""Newer test templates of identity documents: drawn apart from the layouts of the table."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw, ImageOps

from build_engines.pictures import photographs
from build_engines.pictures.faces import head as head_of
from build_engines.pictures.faces import scribble
from build_engines.pictures.layouts import countries
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.unseen_props import Brush, curls, head, laid, phone, rounded, thumbed
from build_engines.pictures.zone import zone

INK = (30, 32, 40)
LATIN = ("en_CA", "de_CH", "fi_FI")


def templates() -> tuple[Template, ...]:
    return (
        new_passport_open,
        new_licence_in_hand,
        new_student_card,
        new_visa,
        new_copied_sides,
        new_phone_licence,
    )


def _portrait(studio: Studio, rng: Random, size: tuple[int, int]) -> Image.Image:
    image = head(rng)
    if rng.random() < 0.3:
        one = photographs.of(studio.split, "portrait")[0]
        image = head_of(studio.show(one), one.name)
    if rng.random() < 0.3:
        image = image.convert("L").convert("RGB")
    return ImageOps.fit(image, size)


def _field(brush: Brush, place: tuple[int, int], label: str, value: str) -> None:
    x, y = place
    brush.say((x, y), label, 9, (90, 96, 120), face="pt_sans")
    brush.say((x, y + 10), value, 14, INK, face="ibm_plex_sans", bold=True)


def _zone(studio: Studio, rng: Random, lines: int, image: Image.Image, y: int) -> None:
    pen = ImageDraw.Draw(image)
    size = 20 if lines == 2 else 24
    text = zone(lines, rng.choice(countries("test")).code, studio.people(rng), rng)
    font = studio.fonts.get("ibm_plex_mono", size)
    while font.getlength(text[0]) > image.width - 24:
        size -= 1
        font = studio.fonts.get("ibm_plex_mono", size)
    for line in text:
        pen.text((14, y), line, font=font, fill=INK)
        y += int(size * 1.4)


def new_passport_open(studio: Studio, rng: Random) -> Drawn:
    """Both pages of an open passport on a desk: stamps above, the holder below."""
    country = rng.choice([one for one in countries("test") if one.locale in LATIN])
    people = studio.people(rng, country.locale)
    page = Image.new("RGB", (480, 660), country.pale)
    brush = Brush(studio, page)
    pen = brush.pen
    curls(page, rng, (0, 0, 480, 326), (206, 196, 214))
    curls(page, rng, (0, 334, 480, 660), (190, 206, 222))
    for _ in range(rng.randint(0, 3)):
        x, y = rng.randint(30, 330), rng.randint(30, 200)
        ink = rng.choice(((70, 60, 150), (160, 50, 60), (40, 110, 80)))
        pen.ellipse((x, y, x + 120, y + 84), outline=ink, width=3)
        brush.say((x + 18, y + 22), people.city()[:12].upper(), 12, ink, face="lato")
        brush.say((x + 22, y + 42), f"{a_day(rng):%d %m %Y}", 14, ink, face="lato")
    pen.rectangle((0, 326, 480, 334), fill=(120, 116, 124))
    brush.say((22, 346), country.name, 17, country.strong, face=country.font, bold=True)
    brush.say((320, 348), country.words["passport"][:18], 13, country.strong, face=country.font)
    page.paste(_portrait(studio, rng, (128, 162)), (20, 384))
    values = (
        people.last_name(),
        people.first_name(),
        country.code,
        f"{a_day(rng, 1950, 2004):%d.%m.%Y}",
        people.city()[:16],
        f"{a_day(rng, 2027, 2035):%d.%m.%Y}",
    )
    labels = (
        "Surname",
        "Given names",
        "Nationality",
        "Date of birth",
        "Place of birth",
        "Date of expiry",
    )
    for place, (label, value) in enumerate(zip(labels, values, strict=True)):
        _field(brush, (168 + place % 2 * 150, 388 + place // 2 * 42), label, value.upper())
    scribble(pen, rng, (170, 516), (120, 34), INK)
    pen.rectangle((0, 576, 480, 660), fill=(244, 244, 240))
    _zone(studio, rng, 2, page, 590)
    return Drawn(laid(page, rng, (440, 560), fill=0.94), "passport", "scene")


def _licence(studio: Studio, rng: Random, holder: Image.Image) -> Image.Image:
    """A card with a broad head and small numbers before what is said."""
    people = studio.people(rng, "en_CA")
    card = Image.new("RGB", (500, 315), (232, 238, 244))
    head_ink = rng.choice(((24, 66, 124), (130, 34, 48), (26, 96, 80)))
    curls(card, rng, (0, 54, 500, 315), (198, 214, 226))
    brush = Brush(studio, card)
    pen = brush.pen
    pen.rectangle((0, 0, 500, 52), fill=head_ink)
    place = rng.choice(("ONTARIO", "MANITOBA", "NOVA SCOTIA", "NORTHLAND", "LAKE STATE"))
    brush.say((18, 10), place, 24, (255, 255, 255), face="oswald", bold=True)
    brush.say((270, 18), "DRIVER'S LICENCE", 18, (250, 230, 170), face="lato", bold=True)
    card.paste(holder.resize((138, 176)), (18, 68))
    rows = (
        ("1,2 NAME", f"{people.last_name()}, {people.first_name()}"),
        ("8 ADDRESS", people.street_address()),
        ("4d NUMBER", people.bothify("?####-#####-#####").upper()),
        ("3 DOB", f"{a_day(rng, 1950, 2005):%Y/%m/%d}"),
        ("4b EXP", f"{a_day(rng, 2027, 2032):%Y/%m/%d}"),
    )
    for row, (label, value) in enumerate(rows):
        _field(brush, (174, 66 + row * 36), label, value[:26])
    brush.say(
        (174, 252),
        "15 SEX " + rng.choice("MFX") + "   16 HGT " + f"{rng.randint(150, 199)} cm   9 CLASS G",
        12,
        INK,
        face="pt_sans",
    )
    ghost = holder.resize((62, 78)).convert("L").convert("RGB")
    card.paste(Image.blend(ghost, Image.new("RGB", ghost.size, (232, 238, 244)), 0.5), (424, 150))
    scribble(pen, rng, (30, 256), (120, 38), INK)
    return card


def new_licence_in_hand(studio: Studio, rng: Random) -> Drawn:
    card = _licence(studio, rng, _portrait(studio, rng, (150, 190)))
    scene = laid(rounded(card), rng, (520, 400), fill=0.88, turn=4)
    return Drawn(thumbed(scene, rng, low=0.8), "driving_licence", "scene")


def new_student_card(studio: Studio, rng: Random) -> Drawn:
    people = studio.people(rng)
    card = Image.new("RGB", (500, 315), (252, 252, 252))
    brush = Brush(studio, card)
    pen = brush.pen
    ink = rng.choice(((120, 20, 40), (20, 60, 120), (20, 100, 70), (90, 50, 130)))
    pen.rectangle((0, 0, 500, 66), fill=ink)
    pen.ellipse((14, 9, 62, 57), outline=(255, 255, 255), width=3)
    pen.polygon(((26, 40), (38, 20), (50, 40)), fill=(255, 255, 255))
    school = f"University of {people.city()}"[:27]
    brush.say((76, 18), school, 21, (255, 255, 255), face="merriweather", bold=True)
    card.paste(_portrait(studio, rng, (130, 160)), (346, 82))
    brush.say((22, 92), people.first_name(), 24, face="noto_sans", bold=True)
    brush.say((22, 122), people.last_name(), 24, face="noto_sans", bold=True)
    rows = (
        "STUDENT",
        f"ID {people.bothify('########')}",
        f"Valid until {a_day(rng, 2026, 2030):%m/%Y}",
    )
    for row, text in enumerate(rows):
        brush.say((22, 166 + row * 24), text, 16, ink, face="lato")
    x = 24
    while x < 320:
        wide = rng.choice((1, 2, 3, 4))
        pen.rectangle((x, 252, x + wide, 298), fill=INK)
        x += wide + rng.choice((2, 3, 4))
    return Drawn(rounded(card), "badge", "card")


def new_visa(studio: Studio, rng: Random) -> Drawn:
    """A visa sticker on a page of a passport, half covered by a stamp."""
    people = studio.people(rng)
    page = Image.new("RGB", (520, 400), (238, 232, 222))
    curls(page, rng, (0, 0, 520, 400), (214, 206, 222))
    label = Image.new("RGB", (476, 312), (222, 238, 226))
    curls(label, rng, (0, 0, 476, 312), (186, 214, 196))
    brush = Brush(studio, label)
    pen = brush.pen
    brush.say(
        (150, 10),
        rng.choice(("VISA", "VISUM", "ENTRY VISA")),
        34,
        (30, 90, 70),
        face="oswald",
        bold=True,
    )
    label.paste(_portrait(studio, rng, (104, 134)), (16, 66))
    rows = (
        ("VALID FOR", people.country()[:22].upper()),
        ("FROM / UNTIL", f"{a_day(rng, 2023, 2025):%d-%m-%y}   {a_day(rng, 2026, 2029):%d-%m-%y}"),
        (
            "TYPE / ENTRIES / DAYS",
            f"{rng.choice('CDB')}     {rng.choice(('MULT', '01', '02'))}     {rng.randint(5, 90)}",
        ),
        ("NAME", f"{people.last_name()}, {people.first_name()}".upper()),
    )
    for row, (name, value) in enumerate(rows):
        _field(brush, (138, 64 + row * 38), name, value)
    brush.say(
        (344, 26), people.bothify("?########").upper(), 16, (170, 40, 40), face="ibm_plex_mono"
    )
    pen.rectangle((0, 236, 476, 312), fill=(246, 246, 242))
    _zone(studio, rng, 2, label, 250)
    page.paste(label, (22, 50))
    if rng.random() < 0.6:
        brush = Brush(studio, page)
        x, y = rng.randint(280, 360), rng.randint(30, 180)
        brush.pen.rectangle((x, y, x + 130, y + 76), outline=(60, 60, 160), width=3)
        brush.say(
            (x + 14, y + 24),
            f"{a_day(rng):%d %b %Y}".upper(),
            17,
            (60, 60, 160),
            face="lato",
            bold=True,
        )
    return Drawn(page, "passport", "card")


def new_copied_sides(studio: Studio, rng: Random) -> Drawn:
    """Front and back of a card, copied on one white sheet."""
    sheet = Image.new("RGB", (460, 620), (252, 252, 250))
    people = studio.people(rng, "de_CH")
    for side in range(2):
        card = Image.new("RGB", (400, 252), rng.choice(((226, 234, 228), (236, 228, 222))))
        curls(card, rng, (0, 0, 400, 252), (190, 204, 214))
        brush = Brush(studio, card)
        pen = brush.pen
        if side:
            brush.say((16, 14), people.street_address()[:30], 15, INK, face="lato")
            brush.say((16, 40), f"{people.postcode()} {people.city()}"[:30], 15, INK, face="lato")
            pen.rounded_rectangle((300, 20, 352, 62), 6, fill=(196, 166, 90))
            _zone(studio, rng, 3, card, 148)
        else:
            brush.say(
                (14, 10),
                rng.choice(("IDENTITY CARD", "CARTE D'IDENTITÉ", "PERSONALAUSWEIS")),
                18,
                (30, 60, 120),
                face="noto_sans",
                bold=True,
            )
            card.paste(_portrait(studio, rng, (112, 142)), (14, 54))
            rows = (
                ("Name", people.last_name()),
                ("Vorname", people.first_name()),
                ("Born", f"{a_day(rng, 1950, 2004):%d.%m.%Y}"),
                ("No.", people.bothify("??######").upper()),
            )
            for row, (label, value) in enumerate(rows):
                _field(brush, (146, 50 + row * 38), label, value)
            scribble(pen, rng, (150, 206), (120, 34), INK)
        sheet.paste(
            rounded(card).convert("RGB"), (30, 40 + side * 290), rounded(card).getchannel("A")
        )
    if rng.random() < 0.6:
        sheet = sheet.convert("L").convert("RGB")
    return Drawn(sheet, "identity_card", "paper" if rng.random() < 0.3 else "film")


def new_phone_licence(studio: Studio, rng: Random) -> Drawn:
    """A licence in an app that keeps documents."""
    dark = rng.random() < 0.4
    content = Image.new("RGB", (330, 600), (18, 20, 26) if dark else (240, 242, 246))
    brush = Brush(studio, content)
    ink = (240, 240, 244) if dark else INK
    brush.say((18, 16), "‹  My documents", 18, ink, face="roboto", bold=True)
    holder = _portrait(studio, rng, (150, 190))
    card = rounded(_licence(studio, rng, holder)).resize((298, 188))
    content.paste(card.convert("RGB"), (16, 60), card.getchannel("A"))
    content.paste(holder, (90, 270))
    people = studio.people(rng)
    for row, text in enumerate(
        (
            people.name(),
            f"Licence {people.bothify('?#####-####').upper()}",
            "Status: valid",
            f"Updated {a_day(rng)}",
        )
    ):
        brush.say((60, 474 + row * 25), text, 16, ink, face="roboto")
    return Drawn(phone(content, studio, rng, dark=dark), "driving_licence", "film")
