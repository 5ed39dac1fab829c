"""More receipts of the validation split."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import SANS
from build_engines.pictures.picture import Drawn
from build_engines.pictures.rolls import Roll, shops
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.tabletops import laid


def bottle_return(studio: Studio, rng: Random) -> Drawn:
    """What a machine gives for empty bottles: short, a bar code, an amount."""
    roll = Roll(studio, rng, 230, 15)
    roll.middle(roll.people.company()[:16].upper(), big=True)
    roll.when()
    for _ in range(rng.randint(1, 4)):
        many = rng.randint(1, 24)
        roll.pair(f"{many} x 0.25", roll.shop.money.format(many * 0.25))
    roll.rule()
    roll.pair(roll.shop.total, roll.shop.money.format(rng.uniform(0.5, 9)), big=True)
    roll.bars(rng.randint(40, 70))
    return Drawn(laid(roll.torn().image, rng, held=rng.random() < 0.5), "till", "scene")


def mailed_receipt(studio: Studio, rng: Random) -> Drawn:
    """Of a shop on the net, in a mail: head, order, things with a square each, sum."""
    shop = rng.choice(shops(studio.split))
    people = studio.people(rng, shop.locale)
    image = Image.new("RGB", (460, 600), (238, 239, 242))
    pen, accent = ImageDraw.Draw(image), tuple(rng.randint(10, 200) for _ in "rgb")
    name = rng.choice(SANS[:5])
    light, bold = studio.fonts.get(name, 13), studio.fonts.get(name, 18, bold=True)
    ink = (36, 36, 42)
    pen.rectangle((30, 0, 430, 600), fill=(255, 255, 255))
    pen.rectangle((30, 0, 430, 58), fill=accent)
    pen.text((46, 18), people.company()[:26], font=bold, fill=(255, 255, 255))
    pen.text((46, 76), f"{shop.thanks.title()[:34]}", font=bold, fill=ink)
    pen.text(
        (46, 106), f"# {rng.randint(10**6, 10**8)}   {a_day(rng)}", font=light, fill=(120, 120, 126)
    )
    y, total = 140, 0.0
    for _ in range(rng.randint(2, 6)):
        price = rng.uniform(2, 60)
        total += price
        pen.rectangle((46, y, 82, y + 36), fill=tuple(rng.randint(150, 235) for _ in "rgb"))
        pen.text((96, y + 10), rng.choice(shop.goods).title(), font=light, fill=ink)
        pen.text((414, y + 10), shop.money.format(price), font=light, fill=ink, anchor="ra")
        y += 48
    pen.line((46, y, 414, y), fill=(190, 190, 196))
    for label, amount in ((shop.tax, total * 0.1), (shop.total, total)):
        pen.text((46, y + 12), label, font=bold if label == shop.total else light, fill=ink)
        pen.text(
            (414, y + 12),
            shop.money.format(amount),
            font=bold if label == shop.total else light,
            fill=ink,
            anchor="ra",
        )
        y += 30
    return Drawn(image, "e_receipt", "screen")


def two_receipts(studio: Studio, rng: Random) -> Drawn:
    """Two receipts over each other on a table."""
    first, second = Roll(studio, rng, 240, 13), Roll(studio, rng, 210, 12)
    for roll in (first, second):
        roll.head(big=rng.random() < 0.5)
        roll.when()
        roll.rule()
        roll.sum(roll.goods(rng.randint(2, 8)))
        roll.middle(roll.shop.thanks)
    pile = Image.new("RGBA", (480, 620), (0, 0, 0, 0))
    for roll, place in ((first, (20, 20)), (second, (200, 60))):
        paper = roll.torn().image.rotate(rng.gauss(0, 8), Image.Resampling.BICUBIC, expand=True)
        pile.paste(paper, place, paper)
    return Drawn(laid(pile.crop(pile.getbbox()), rng), "till", "scene")


SEEN: tuple[Template, ...] = (bottle_return, mailed_receipt, two_receipts)
