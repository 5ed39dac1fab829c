"""More receipts of train: card slips, tickets, bills with a tip, receipts on a phone."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import SANS, joined
from build_engines.pictures.picture import Drawn
from build_engines.pictures.rolls import Roll, shops
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.tabletops import laid
from build_engines.pictures.writers import FINE, Layer, SkeletonWriter

PEN = (24, 32, 110)


def _by_hand(roll: Roll, rng: Random, text: str, y: float, *, sign: bool = False) -> None:
    """Writes on the paper with a ball pen: an amount, or a signature."""
    layer = Layer(roll.paper.size, 1.6)
    writer = SkeletonWriter(rng, rng.randint(18, 26))
    x = roll.width * rng.uniform(0.35, 0.5)
    writer.joins = writer.joins or sign
    writer.word(layer, (x, y), text)
    roll.paper.paste(PEN, (0, 0), layer.mask.reduce(FINE))


def _placed(drawn: Drawn, rng: Random, odds: float = 0.5) -> Drawn:
    """On a table or held, or as it was."""
    if rng.random() < odds:
        return Drawn(laid(drawn.image, rng, held=rng.random() < 0.4), drawn.kind, "scene")
    return drawn


def terminal_slip(studio: Studio, rng: Random) -> Drawn:
    """Of a card terminal: numbers, amount, a line that is signed or not."""
    roll = Roll(studio, rng, rng.randint(190, 250), rng.randint(12, 15))
    roll.head(big=rng.random() < 0.5)
    roll.middle(rng.choice(("*** COPY ***", "CUSTOMER COPY", "KUNDENBELEG", "MERCHANT COPY")))
    roll.when()
    labels = ["TERMINAL ID", "TRACE", "RECEIPT", "AID", "PAN SEQ", "BATCH", "AUTH CODE", "REF"]
    for label in rng.sample(labels, rng.randint(3, 7)):
        roll.pair(label, str(rng.randint(100, 99999999)))
    roll.rule()
    roll.pair(roll.shop.total, roll.shop.money.format(rng.uniform(2, 500)), big=True)
    roll.rule()
    if rng.random() < 0.5:
        roll.y += 34
        _by_hand(roll, rng, roll.people.first_name(), roll.y - 4, sign=True)
        roll.pen.line((24, roll.y, roll.width - 24, roll.y), fill=roll.ink)
        roll.y += 8
    roll.middle(
        rng.choice(("APPROVED", "00 APPROVED", "ACCEPTED", "CONTACTLESS")), big=rng.random() < 0.4
    )
    roll.middle(roll.shop.thanks)
    return _placed(roll.torn("card_slip"), rng)


def tip_bill(studio: Studio, rng: Random) -> Drawn:
    """A restaurant's bill with lines for tip and total, filled in by hand."""
    roll = Roll(studio, rng, rng.randint(230, 300), rng.randint(12, 15))
    roll.head()
    for label in rng.sample(("Server", "Table", "Guests", "Check"), rng.randint(1, 4)):
        roll.pair(label, str(rng.randint(1, 99)))
    roll.when()
    roll.rule()
    total = roll.goods(rng.randint(2, 9))
    roll.rule()
    roll.sum(total)
    roll.y += 10
    for label, amount in (("Tip", total * 0.15), (roll.shop.total, total * 1.15)):
        roll.y += 14
        if rng.random() < 0.75:
            _by_hand(roll, rng, f"{amount:.2f}", roll.y + roll.step - 3)
        roll.pair(f"{label}:", "____________")
    if rng.random() < 0.5:
        roll.y += 36
        _by_hand(roll, rng, roll.people.last_name(), roll.y - 4, sign=True)
        roll.pair("x", "________________")
    return _placed(roll.torn("restaurant"), rng, 0.6)


def folded_till(studio: Studio, rng: Random) -> Drawn:
    """A long receipt of many things, folded, a part of it on the table."""
    roll = Roll(studio, rng, rng.randint(200, 260), rng.randint(10, 13))
    roll.head(big=rng.random() < 0.6)
    roll.when()
    total = 0.0
    for _ in range(rng.randint(2, 4)):
        roll.rule()
        total += roll.goods(rng.randint(4, 12))
        if roll.y > 900:
            break
    roll.sum(total)
    if rng.random() < 0.6:
        roll.bars()
    roll.middle(roll.shop.thanks)
    drawn = roll.torn()
    height = drawn.image.height
    shade = Image.new("L", (1, height), 255)
    for fold in range(1, rng.randint(2, 5)):
        y = height * fold // 5 + rng.randint(-20, 20)
        for offset in range(26):
            if 0 <= y + offset < height:
                shade.putpixel((0, y + offset), 190 + offset * 5 // 2)
    dark = Image.new("RGBA", drawn.image.size, (60, 56, 50, 255))
    dark.putalpha(drawn.image.getchannel("A"))
    folded = Image.composite(drawn.image, dark, shade.resize(drawn.image.size))
    if rng.random() < 0.5:
        top = rng.randint(0, height // 2)
        folded = folded.crop((0, top, roll.width, height))
    return _placed(Drawn(folded, "till", "paper"), rng, 0.7)


def rail_ticket(studio: Studio, rng: Random) -> Drawn:
    """A ticket across: from, to, day, class, price, on tinted card with a strip."""
    shop = rng.choice(shops(studio.split))
    people = studio.people(rng, shop.locale)
    ground = rng.choice(((252, 236, 210), (232, 244, 238), (238, 238, 250), (250, 250, 250)))
    image = Image.new("RGB", (520, rng.choice((220, 260))), ground)
    pen, strip = ImageDraw.Draw(image), tuple(rng.randint(20, 200) for _ in "rgb")
    name = shop.font or rng.choice(SANS[:5])
    bold = studio.fonts.get(name, rng.randint(19, 26), bold=True)
    light = studio.fonts.get(name, 13, bold=name == "cjk")
    pen.rectangle((0, 0, 520, rng.choice((12, 36))), fill=strip)
    if rng.random() < 0.4:
        pen.rectangle((0, image.height - 26, 520, image.height), fill=(70, 50, 40))
    for row in range(2):
        pen.text((20, 48 + row * 40), joined(people.city()[:18]), font=bold, fill=(24, 24, 30))
    pen.text((300, 50), a_day(rng).strftime("%d.%m.%Y"), font=light, fill=(24, 24, 30))
    pen.text(
        (300, 72),
        f"{rng.randint(5, 23)}:{rng.randint(10, 59)}  {rng.choice('12')}. Kl",
        font=studio.fonts.get("roboto", 13),
        fill=(24, 24, 30),
    )
    price = shop.money.format(rng.uniform(2, 180))
    pen.text((300, 98), joined(shop.total), font=light, fill=(24, 24, 30))
    pen.text((390, 94), price, font=bold, fill=(24, 24, 30))
    for row in range(3):
        pen.text(
            (20, 138 + row * 17),
            str(rng.randint(10**9, 10**13)),
            font=studio.fonts.get("roboto", 11),
            fill=(90, 90, 96),
        )
    _dots(pen, rng, (410, 128), rng.choice((18, 21)))
    return _placed(Drawn(image, "ticket", "paper"), rng)


def _dots(pen: ImageDraw.ImageDraw, rng: Random, place: tuple[int, int], side: int) -> None:
    """A square code."""
    for cell in range(side * side):
        x, y = place[0] + cell % side * 4, place[1] + cell // side * 4
        if cell % side == 0 or cell // side == side - 1 or rng.random() < 0.5:
            pen.rectangle((x, y, x + 3, y + 3), fill=(20, 20, 20))


def phone_receipt(studio: Studio, rng: Random) -> Drawn:
    """A receipt in an application: shop, amount, things, how one paid; bright or dark."""
    dark = rng.random() < 0.3
    ground, ink = ((20, 20, 24), (232, 232, 236)) if dark else ((246, 247, 249), (28, 28, 34))
    shop = rng.choice(shops(studio.split))
    people = studio.people(rng, shop.locale)
    image = Image.new("RGB", (340, 640), ground)
    pen, accent = ImageDraw.Draw(image), tuple(rng.randint(10, 190) for _ in "rgb")
    name = shop.font or rng.choice(SANS[:5])
    light = studio.fonts.get(name, 13, bold=name == "cjk")
    bold = studio.fonts.get(name, 17, bold=True)
    huge = studio.fonts.get(name, rng.randint(28, 40), bold=True)
    pen.rectangle((0, 0, 340, rng.choice((54, 96))), fill=accent)
    pen.text(
        (16, 6),
        f"{rng.randint(0, 23)}:{rng.randint(10, 59)}",
        font=studio.fonts.get("roboto", 12),
        fill=(255, 255, 255),
    )
    pen.text((18, 28), joined(people.company()[:24]), font=bold, fill=(255, 255, 255))
    card = (32, 32, 38) if dark else (255, 255, 255)
    pen.rounded_rectangle((14, 110, 326, 620), 12, fill=card)
    total = rng.uniform(5, 300)
    pen.text((170, 140), shop.money.format(total), font=huge, fill=ink, anchor="ma")
    pen.text(
        (170, 190), a_day(rng).strftime("%d.%m.%Y"), font=light, fill=(130, 130, 136), anchor="ma"
    )
    y = 226
    for _ in range(rng.randint(2, 11)):
        pen.text((28, y), joined(rng.choice(shop.goods)), font=light, fill=ink)
        pen.text((312, y), shop.money.format(rng.uniform(1, 40)), font=light, fill=ink, anchor="ra")
        y += 24
    pen.line((28, y + 4, 312, y + 4), fill=(150, 150, 156))
    for label in (shop.tax, shop.total):
        pen.text((28, y + 14), joined(label), font=bold if label == shop.total else light, fill=ink)
        amount = total if label == shop.total else total * 0.08
        pen.text((312, y + 14), shop.money.format(amount), font=light, fill=ink, anchor="ra")
        y += 26
    if y < 500 and rng.random() < 0.7:
        pen.rectangle((126, y + 18, 216, y + 108), fill=(255, 255, 255))
        _dots(pen, rng, (130, y + 22), 20)
    return Drawn(image, "e_receipt", "screen")


def order_number(studio: Studio, rng: Random) -> Drawn:
    """Of a counter where one waits: a huge number, few things, paid."""
    roll = Roll(studio, rng, rng.randint(210, 270), 14)
    roll.middle(roll.people.company()[:16], big=True)
    roll.when()
    number = str(rng.randint(1, 999))
    huge = studio.fonts.get("roboto", rng.randint(56, 90), bold=True)
    roll.pen.text((roll.width / 2, roll.y), number, font=huge, fill=roll.ink, anchor="ma")
    roll.y += 96
    roll.rule()
    total = roll.goods(rng.randint(1, 5))
    roll.sum(total)
    if rng.random() < 0.5:
        roll.code()
    return _placed(roll.torn(), rng)


def ride_print(studio: Studio, rng: Random) -> Drawn:
    """Of a taxi or a meter: start, end, distance, fare, extras."""
    roll = Roll(studio, rng, rng.randint(170, 210), 12)
    roll.middle(f"TAXI {rng.randint(10, 9999)}", big=True)
    roll.middle(f"{rng.randint(10**8, 10**9)}")
    for _ in range(2):
        roll.when()
    roll.pair("km", f"{rng.uniform(1, 60):.1f}")
    for _ in range(rng.randint(1, 4)):
        roll.pair(roll.people.last_name()[:8], roll.shop.money.format(rng.uniform(0.5, 30)))
    roll.rule()
    roll.sum(rng.uniform(5, 120))
    if rng.random() < 0.4:
        roll.y += 30
        _by_hand(roll, rng, f"+{rng.randint(1, 9)}", roll.y)
    roll.middle(roll.shop.thanks)
    return _placed(roll.torn("ticket"), rng, 0.6)


SLIPS: tuple[Template, ...] = (
    terminal_slip,
    tip_bill,
    folded_till,
    rail_ticket,
    phone_receipt,
    order_number,
    ride_print,
)
