"""Till receipts, card slips and tickets on thermal paper, in several languages and currencies."""

from __future__ import annotations

from random import Random

from build_engines.pictures import unseen_tills
from build_engines.pictures.fonts import SANS
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.receipt_screens import SCREENS
from build_engines.pictures.receipt_seen import SEEN
from build_engines.pictures.receipt_slips import SLIPS
from build_engines.pictures.rolls import Roll
from build_engines.pictures.studio import Named, Studio, Template, a_day, named


def templates(split: Split) -> Named:
    chosen: dict[Split, tuple[Template, ...]] = {
        "train": (till, long_till, card_slip, restaurant, ticket, *SLIPS, *SCREENS),
        "validation": (fuel, till_framed, *SEEN),
        "test": (pharmacy, hotel_slip, till_logo, *unseen_tills.templates()),
    }
    return named(*chosen[split])


def till(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng)
    roll.head()
    roll.rule()
    roll.when()
    total = roll.goods(rng.randint(3, 12))
    roll.rule()
    roll.sum(total)
    roll.rule()
    roll.middle(roll.shop.thanks)
    if rng.random() < 0.5:
        roll.bars()
    return roll.torn()


def long_till(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng, 220, 11)
    roll.head(big=False)
    roll.when()
    roll.rule()
    total = roll.goods(rng.randint(14, 32))
    roll.sum(total)
    roll.code()
    roll.middle(roll.shop.thanks)
    return roll.torn()


def card_slip(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng, 230, 14)
    roll.middle(roll.people.company()[:16].upper(), big=True)
    roll.rule()
    for label in ("TERMINAL", "TRACE", "AID", "AUTH"):
        roll.pair(label, str(rng.randint(10000, 99999999)))
    roll.when()
    roll.pair(roll.shop.card, f"**** {rng.randint(1000, 9999)}")
    roll.pair(roll.shop.total, roll.shop.money.format(rng.uniform(2, 300)), big=True)
    roll.middle("APPROVED 00")
    roll.middle(roll.shop.thanks)
    return roll.torn("card_slip")


def restaurant(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng, 280, 14)
    roll.head()
    roll.pair(f"Table {rng.randint(1, 40)}", f"#{rng.randint(100, 999)}")
    roll.when()
    roll.rule()
    total = roll.goods(rng.randint(2, 7))
    roll.rule()
    roll.sum(total)
    for part in (10, 15, 20):
        roll.pair(f"{part}%", roll.shop.money.format(total * part / 100))
    return roll.torn("restaurant")


def ticket(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng, 250, 15)
    roll.bars(22)
    roll.middle(f"P {rng.randint(1, 99)}", big=True)
    roll.when()
    roll.when()
    roll.pair(roll.shop.total, roll.shop.money.format(rng.uniform(1, 20)), big=True)
    roll.middle(roll.people.street_name()[:22])
    roll.code()
    return roll.torn("ticket")


def fuel(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng, 240, 13)
    roll.head()
    litres, price = rng.uniform(8, 60), rng.uniform(1.2, 2.2)
    roll.pair("95 E10", f"{litres:.2f} l")
    roll.pair("1 l", roll.shop.money.format(price))
    roll.rule()
    roll.sum(litres * price)
    roll.when()
    roll.middle(roll.shop.thanks)
    return roll.torn()


def till_framed(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng, 270, 12)
    roll.bars(20)
    roll.head(big=False)
    top = roll.y
    total = roll.goods(rng.randint(3, 10))
    roll.pen.rectangle((6, top - 3, roll.width - 6, roll.y + 2), outline=roll.ink)
    roll.y += 8
    roll.sum(total)
    return roll.torn()


def pharmacy(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng, 250, 12)
    roll.when()
    roll.head()
    roll.rule()
    total = roll.goods(rng.randint(1, 5))
    roll.rule()
    roll.sum(total)
    roll.code()
    roll.middle(f"No {rng.randint(10**8, 10**9)}")
    return roll.torn()


def hotel_slip(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng, 320, 14)
    roll.middle(roll.people.company()[:18], big=True)
    roll.pair(roll.people.name()[:20], f"#{rng.randint(101, 920)}")
    roll.rule()
    total = 0.0
    for _ in range(rng.randint(3, 8)):
        price = rng.uniform(4, 180)
        total += price
        roll.pair(a_day(rng).strftime("%d/%m"), roll.shop.money.format(price))
    roll.sum(total)
    roll.bars(26)
    return roll.torn("card_slip")


def till_logo(studio: Studio, rng: Random) -> Drawn:
    roll = Roll(studio, rng, 240, 12)
    x, y = roll.width // 2, roll.y + 26
    if rng.random() < 0.5:
        roll.pen.ellipse((x - 46, y - 26, x + 46, y + 26), fill=roll.ink)
    else:
        roll.pen.rectangle((x - 60, y - 22, x + 60, y + 22), fill=roll.ink)
    mark = studio.fonts.any(SANS[:6], 24, rng, bold=True)
    word = studio.people(rng).last_name()[:7]
    roll.pen.text((x - mark.getlength(word) / 2, y - 15), word, font=mark, fill=(245, 245, 245))
    roll.y += 62
    roll.when()
    total = roll.goods(rng.randint(4, 14))
    roll.rule()
    roll.sum(total)
    roll.middle(roll.shop.thanks)
    roll.bars()
    return roll.torn()
