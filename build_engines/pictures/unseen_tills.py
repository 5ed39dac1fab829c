"""Newer test templates of receipts: rolls drawn apart, in hands, on tables and trays, on phones."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures import photographs
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.unseen_props import Brush, desk, laid, phone, thumbed
from build_engines.pictures.unseen_rolls import Slip, curled, heading, sums

FOOD = (
    "Flat white",
    "Soup of the day",
    "Margherita",
    "House red 175ml",
    "Lemonade",
    "Caesar salad",
    "Ribs half rack",
    "Fries",
    "Tiramisu",
    "Sparkling water",
    "Burger deluxe",
    "Green tea",
)
GOODS = (
    "BANANAS LOOSE",
    "WHL MILK 2L",
    "SOURDOUGH",
    "EGGS L X12",
    "BASMATI 1KG",
    "TOOTHPASTE",
    "AA BATTERIES",
    "DISH SOAP",
    "CHERRY TOM",
    "OLIVE OIL",
    "YOGURT X4",
    "DOG FOOD",
    "GROUND BEEF",
    "PAPER TOWEL",
    "ORANGE JUICE",
    "COFFEE BEANS",
)


def templates() -> tuple[Template, ...]:
    return (
        new_long_roll,
        new_pump_slip,
        new_table_bill,
        new_ride_on_phone,
        new_cafe_photo,
        new_merchant_copy,
        new_parking,
        new_held_slip,
    )


def _shop(studio: Studio, rng: Random, names: tuple[str, ...], most: int) -> Image.Image:
    slip = Slip(studio, rng, rng.randint(270, 320), rng.randint(14, 16))
    people = studio.people(rng)
    title = f"{people.last_name()}'s {rng.choice(('Market', 'Foods', 'Grocery', 'Corner'))}"
    heading(slip, studio, rng, title.upper())
    sums(slip, rng, names, rng.randint(4, most))
    slip.pair(rng.choice(("VISA", "CASH", "DEBIT")), f"**** {rng.randint(1000, 9999)}")
    slip.pair("CHANGE", "0.00")
    slip.rule()
    slip.middle("THANK YOU FOR SHOPPING")
    if rng.random() < 0.7:
        slip.bars()
    return slip.done()


def new_long_roll(studio: Studio, rng: Random) -> Drawn:
    """A long roll that does not lie flat, on a desk."""
    strip = curled(_shop(studio, rng, GOODS, 15), rng)
    return Drawn(laid(strip, rng, (400, 600), fill=0.95, turn=6), "till", "scene")


def new_pump_slip(studio: Studio, rng: Random) -> Drawn:
    """Litres and pump of a filling station."""
    slip = Slip(studio, rng)
    people = studio.people(rng)
    heading(slip, studio, rng, f"{people.last_name().upper()} FUEL")
    litres, price = rng.uniform(10, 60), rng.uniform(1.3, 2.1)
    slip.pair("PUMP", str(rng.randint(1, 14)))
    slip.pair("PRODUCT", rng.choice(("UNLEADED 95", "DIESEL", "SUPER 98")))
    slip.pair("VOLUME", f"{litres:.2f} L")
    slip.pair("PRICE/L", f"{price:.3f}")
    slip.rule()
    slip.pair("FUEL TOTAL", f"{litres * price:.2f}", 4, bold=True)
    slip.pair("INCL. VAT", f"{litres * price / 6:.2f}")
    slip.pair("CARD", f"XXXX {rng.randint(1000, 9999)}")
    slip.middle("APPROVED", 2)
    slip.middle("Drive safely!")
    return Drawn(curled(slip.done(), rng), "", "paper")


def _bill(studio: Studio, rng: Random) -> Image.Image:
    slip = Slip(studio, rng, 310, 16)
    people = studio.people(rng)
    heading(
        slip,
        studio,
        rng,
        f"{rng.choice(('Trattoria', 'Café', 'The Old', 'Bistro'))} {people.last_name()}",
    )
    slip.pair(f"Table {rng.randint(1, 40)}", f"Guests {rng.randint(1, 6)}")
    slip.rule()
    sums(slip, rng, FOOD, rng.randint(3, 8))
    slip.pair("Tip: ________", "")
    slip.middle("Thank you, see you soon!")
    return slip.done()


def new_table_bill(studio: Studio, rng: Random) -> Drawn:
    """A bill on a dark tray beside a cup."""
    scene = desk(rng, (520, 600))
    pen = ImageDraw.Draw(scene)
    pen.rounded_rectangle(
        (60, 40, 420, 580), 18, fill=rng.choice(((38, 30, 28), (70, 24, 24), (24, 26, 30)))
    )
    x, y = rng.randint(380, 440), rng.randint(60, 440)
    for size, fill in ((70, (236, 234, 230)), (46, (250, 250, 248)), (40, (74, 44, 26))):
        pen.ellipse((x - size, y - size, x + size, y + size), fill=fill)
    strip = curled(_bill(studio, rng), rng)
    return Drawn(laid(strip, rng, (520, 600), fill=0.84, turn=3, back=scene), "restaurant", "scene")


def new_ride_on_phone(studio: Studio, rng: Random) -> Drawn:
    """The receipt of a ride or an order in an app or a mail."""
    content = Image.new("RGB", (350, 620), (255, 255, 255))
    brush, people = Brush(studio, content), studio.people(rng)
    brush.pen.rectangle(
        (0, 0, 350, 120), fill=rng.choice(((20, 20, 24), (0, 130, 90), (236, 90, 60)))
    )
    brush.say(
        (20, 20),
        rng.choice(("Your trip receipt", "Order receipt", "Payment receipt")),
        22,
        (255, 255, 255),
        bold=True,
        face="roboto",
    )
    brush.say((20, 56), f"{a_day(rng):%d %B %Y}", 15, (240, 240, 240), face="roboto")
    brush.say(
        (20, 80),
        f"Receipt no. {people.bothify('??-######').upper()}",
        14,
        (240, 240, 240),
        face="roboto",
    )
    total, y = 0.0, 196
    for name in (*rng.sample(FOOD, rng.randint(3, 6)), "Service fee", "Tax"):
        price = rng.randint(90, 1900) / 100
        total += price
        brush.say((20, y), name, 16, face="roboto")
        brush.say((330, y), f"{price:.2f}", 16, face="roboto", right=True)
        y += 32
    brush.pen.line((20, y, 330, y), fill=(200, 200, 206))
    brush.say((20, y + 10), "Total", 20, face="roboto", bold=True)
    brush.say((330, y + 10), f"{total:.2f}", 20, face="roboto", bold=True, right=True)
    brush.say((20, 140), "Total", 16, (110, 110, 120), face="roboto")
    brush.say((330, 130), f"${total:.2f}", 32, face="roboto", bold=True, right=True)
    brush.say(
        (20, y + 56),
        f"Paid with card •••• {rng.randint(1000, 9999)}",
        15,
        (110, 110, 120),
        face="roboto",
    )
    return Drawn(phone(content, studio, rng, dark=False), "", "film")


def new_cafe_photo(studio: Studio, rng: Random) -> Drawn:
    """A slip before a photograph of a cup or of coins."""
    one = rng.choice(
        [
            one
            for one in photographs.of("test", "photo", "texture")
            if one.name in ("coffee", "coins", "gravel")
        ]
    )
    strip = curled(_shop(studio, rng, FOOD, 6), rng)
    scene = laid(strip, rng, (520, 460), fill=0.9, turn=9, back=studio.show(one).convert("RGB"))
    return Drawn(scene, "till", "scene", f"{one.package}: {one.file}", one.licence)


def new_merchant_copy(studio: Studio, rng: Random) -> Drawn:
    """What a card's machine prints, to be signed."""
    slip, people = Slip(studio, rng, 280, 16), studio.people(rng)
    slip.middle(people.company()[:22].upper(), 2, bold=True)
    slip.middle(people.city().upper())
    slip.rule()
    for left, right in (
        ("TERMINAL", people.numerify("########")),
        ("DATE", f"{a_day(rng):%d-%m-%y}"),
        ("AID", people.hexify("A0000000^^^^^^").upper()),
        ("CARD", f"************{rng.randint(1000, 9999)}"),
        ("AUTH CODE", people.numerify("######")),
    ):
        slip.pair(left, right)
    slip.rule()
    slip.pair(
        "SALE", f"{rng.choice(('EUR', 'USD', 'GBP'))} {rng.uniform(4, 300):.2f}", 4, bold=True
    )
    slip.middle("APPROVED - THANK YOU")
    slip.y += 40
    slip.rule()
    slip.middle("SIGNATURE")
    slip.middle(rng.choice(("*** MERCHANT COPY ***", "*** CUSTOMER COPY ***")))
    return Drawn(slip.done(), "card_slip", "paper")


def new_parking(studio: Studio, rng: Random) -> Drawn:
    """A ticket of a car park or a bus with what was paid."""
    slip, people = Slip(studio, rng, rng.randint(250, 340), 17), studio.people(rng)
    slip.brush.pen.rectangle(
        (0, 0, 400, 44), fill=rng.choice(((20, 80, 160), (220, 120, 20), (30, 120, 60)))
    )
    slip.brush.say(
        (16, 8),
        rng.choice(("PARKING", "CITY BUS", "PAY & DISPLAY")),
        24,
        (255, 255, 255),
        bold=True,
    )
    slip.y = 60
    slip.middle(people.city(), 2)
    slip.middle("VALID UNTIL")
    slip.middle(f"{rng.randint(8, 22)}:{rng.randint(10, 59)}", 26, bold=True)
    slip.middle(f"{a_day(rng):%d %b %Y}", 6)
    slip.rule()
    slip.pair("PAID", f"{rng.randint(1, 24)}.{rng.choice(('00', '50'))} EUR", 3, bold=True)
    slip.pair("MACHINE", str(rng.randint(10, 999)))
    slip.pair("TICKET", people.numerify("######"))
    slip.bars()
    return Drawn(slip.done(), "ticket", "paper")


def new_held_slip(studio: Studio, rng: Random) -> Drawn:
    """A slip in a hand."""
    strip = curled(rng.choice((_bill(studio, rng), _shop(studio, rng, GOODS, 8))), rng)
    scene = laid(strip, rng, (440, 580), fill=0.93, turn=5)
    return Drawn(thumbed(scene, rng, low=0.84 + 0.03 * math.sin(rng.random())), "", "scene")
