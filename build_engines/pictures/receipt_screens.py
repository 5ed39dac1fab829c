"""Receipts on a screen: an order in a browser, a payment in a bank's application. All of train."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import SANS, joined
from build_engines.pictures.picture import Drawn
from build_engines.pictures.rolls import Shop, shops
from build_engines.pictures.studio import Studio, Template, a_day

INK, PALE = (34, 36, 42), (130, 132, 140)


class _Shown:
    """Rows with a word at the left and an amount at the right."""

    def __init__(
        self, studio: Studio, rng: Random, size: tuple[int, int], left: int, right: int
    ) -> None:
        self.studio, self.rng = studio, rng
        self.shop: Shop = rng.choice(shops(studio.split))
        self.people = studio.people(rng, self.shop.locale)
        self.image = Image.new("RGB", size, rng.choice(((255, 255, 255), (243, 244, 247))))
        self.pen = ImageDraw.Draw(self.image)
        self.name = self.shop.font or rng.choice(SANS[:5])
        self.left, self.right, self.y = left, right, 20.0
        self.size = rng.randint(12, 15)

    def text(
        self, words: str, x: float, *, big: int = 0, ink: tuple[int, ...] = INK, at: str = "la"
    ) -> None:
        heavy = bool(big) or self.name == "cjk"
        font = self.studio.fonts.get(self.name, self.size + big, bold=heavy)
        self.pen.text((x, self.y), joined(words), font=font, fill=ink, anchor=at)

    def row(self, words: str, amount: float, *, big: int = 0) -> None:
        self.text(words, self.left, big=big)
        self.text(self.shop.money.format(amount), self.right, big=big, at="ra")
        self.y += (self.size + big) * 1.9

    def rule(self) -> None:
        self.pen.line((self.left, self.y, self.right, self.y), fill=(205, 206, 212))
        self.y += 10

    def goods(self, count: int, *, squares: bool) -> float:
        total = 0.0
        for _ in range(count):
            price = self.rng.uniform(1, 90)
            total += price
            top = self.y
            if squares:
                fill = tuple(self.rng.randint(120, 235) for _ in "rgb")
                self.pen.rectangle((self.left, top, self.left + 34, top + 34), fill=fill)
                self.left += 46
            self.row(self.rng.choice(self.shop.goods), price)
            if squares:
                self.left -= 46
                self.y = top + 44
        return total


def web_order(studio: Studio, rng: Random) -> Drawn:
    """What one bought, in a browser: an order with its number, things, delivery, sum."""
    wide = rng.choice((460, 620, 700))
    left = rng.randint(20, 90)
    page = _Shown(studio, rng, (wide, rng.randint(420, 600)), left, wide - rng.randint(24, 120))
    if rng.random() < 0.6:
        page.pen.rectangle((0, 0, wide, 52), fill=tuple(rng.randint(10, 120) for _ in "rgb"))
        page.text(page.people.company()[:22], left, big=5, ink=(255, 255, 255))
        page.y = 70
    page.text(page.shop.thanks[:30].capitalize(), left, big=rng.randint(3, 9))
    page.y += 34
    page.text(f"# {rng.randint(10**5, 10**9)}    {a_day(rng)}", left, ink=PALE)
    page.y += 30
    page.rule()
    total = page.goods(rng.randint(1, 7), squares=rng.random() < 0.6)
    page.rule()
    page.row(page.shop.tax, total * 0.1)
    page.row(page.shop.total, total, big=3)
    page.text(f"{page.shop.card} {rng.randint(1000, 9999)}", left, ink=PALE)
    return Drawn(page.image, "e_receipt", "screen")


def paid_by_phone(studio: Studio, rng: Random) -> Drawn:
    """A payment that went through: a tick in a ring, the amount, to whom, when, a number."""
    page = _Shown(studio, rng, (340, rng.choice((560, 640))), 24, 316)
    accent = rng.choice(((24, 160, 90), (30, 110, 220), (110, 60, 190), (240, 110, 40)))
    if rng.random() < 0.4:
        page.pen.rectangle((0, 0, 340, 170), fill=accent)
        accent = (255, 255, 255)
    page.pen.ellipse((136, 40, 204, 108), outline=accent, width=5)
    page.pen.line((153, 76, 166, 90, 188, 62), fill=accent, width=6)
    page.y = 186
    page.text(page.shop.money.format(rng.uniform(1, 900)), 170, big=rng.randint(12, 22), at="ma")
    page.y += 56
    page.rule()
    facts = [
        page.people.company()[:20],
        f"{a_day(rng)}",
        page.shop.card,
        str(rng.randint(10**8, 10**11)),
    ]
    for fact in facts[: rng.randint(2, 4)]:
        page.text(page.people.word()[:10], 24, ink=PALE)
        page.text(fact, 316, at="ra")
        page.y += 30
    page.rule()
    page.row(page.shop.total, rng.uniform(1, 900), big=2)
    return Drawn(page.image, "e_receipt", "screen")


SCREENS: tuple[Template, ...] = (web_order, paid_by_phone)
