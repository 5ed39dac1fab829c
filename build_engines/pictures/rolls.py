"""A strip of receipt paper while it is printed, and the words of the shops of a split."""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import MONO, joined
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Studio, a_day


@dataclass(frozen=True, slots=True)
class Shop:
    """Words of a language on its receipts."""

    locale: str
    font: str  # "" for a typewriter's
    money: str  # a format of the amount
    goods: tuple[str, ...]
    total: str
    tax: str
    cash: str
    card: str
    thanks: str


@functools.cache
def shops(split: Split) -> tuple[Shop, ...]:
    """Of shops.tsv."""
    with Path(__file__).with_name("shops.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row.pop("split") == split]
    return tuple(Shop(**(row | {"goods": tuple(row["goods"].split("|"))})) for row in rows)


class Roll:
    """A strip of paper that grows downwards."""

    def __init__(self, studio: Studio, rng: Random, width: int = 260, size: int = 13) -> None:
        self.studio, self.rng, self.width = studio, rng, width
        self.shop = rng.choice(shops(studio.split))
        name = self.shop.font or rng.choice(MONO[studio.split])
        size += rng.randint(-1, 2)
        self.font = studio.fonts.get(name, size)
        self.bold = studio.fonts.get(name, int(size * rng.uniform(1.2, 1.7)), bold=True)
        self.step = int(size * rng.uniform(1.15, 1.5))
        level = rng.randint(236, 254)
        self.paper = Image.new("RGB", (width, 1400), (level, level, level - rng.randint(0, 9)))
        self.pen = ImageDraw.Draw(self.paper)
        dark = rng.randint(15, 110)
        self.ink = (dark, dark, dark + rng.randint(0, 25))
        self.y = rng.randint(10, 26)
        self.people = studio.people(rng, self.shop.locale)

    def middle(self, text: str, *, big: bool = False) -> None:
        font = self.bold if big else self.font
        text = joined(text)
        self.pen.text(
            ((self.width - font.getlength(text)) / 2, self.y), text, font=font, fill=self.ink
        )
        self.y += int(self.step * (1.5 if big else 1))

    def pair(self, left: str, right: str, *, big: bool = False) -> None:
        font = self.bold if big else self.font
        self.pen.text((12, self.y), joined(left), font=font, fill=self.ink)
        self.pen.text(
            (self.width - 12 - font.getlength(right), self.y), right, font=font, fill=self.ink
        )
        self.y += int(self.step * (1.4 if big else 1))

    def rule(self) -> None:
        mark = self.rng.choice("-=*-.")
        count = int((self.width - 24) / max(self.font.getlength(mark), 1))
        self.pen.text((12, self.y), mark * count, font=self.font, fill=self.ink)
        self.y += self.step

    def head(self, *, big: bool = True) -> None:
        self.middle(self.people.company()[:18].upper(), big=big)
        for line in self.people.address().split("\n")[:2]:
            self.middle(line[:30])
        self.middle(f"Tel {self.rng.randint(100, 999)} {self.rng.randint(1000, 9999)}")

    def when(self) -> None:
        day = a_day(self.rng).strftime("%d.%m.%Y")
        self.pair(day, f"{self.rng.randint(7, 22)}:{self.rng.randint(0, 59):02}")

    def goods(self, count: int) -> float:
        total = 0.0
        for _ in range(count):
            price = round(self.rng.uniform(0.4, 40), 2)
            total += price
            name = self.rng.choice(self.shop.goods)
            many = f"{self.rng.randint(2, 5)} x " if self.rng.random() < 0.2 else ""
            self.pair(many + name, self.shop.money.format(price))
        return total

    def sum(self, total: float) -> None:
        self.pair(self.shop.total, self.shop.money.format(total), big=True)
        self.pair(self.shop.tax, self.shop.money.format(total * 0.08))
        pay = self.rng.choice((self.shop.cash, f"{self.shop.card} {self.rng.randint(1000, 9999)}"))
        self.pair(pay, self.shop.money.format(total))

    def bars(self, height: int = 34) -> None:
        x = 30
        while x < self.width - 34:
            bar = self.rng.randint(1, 4)
            self.pen.rectangle((x, self.y, x + bar - 1, self.y + height), fill=self.ink)
            x += bar + self.rng.randint(1, 4)
        self.y += height + 8

    def code(self) -> None:
        """A square of dots, as of a QR code."""
        side, cell = 21, 4
        left = (self.width - side * cell) // 2
        for place in range(side * side):
            column, row = place % side, place // side
            corner = (column < 7 or column > 13) and row < 7 or column < 7 and row > 13
            if (corner and (column % 7 in (0, 6) or row % 7 in (0, 6))) or (
                not corner and self.rng.random() < 0.5
            ):
                x, y = left + column * cell, self.y + row * cell
                self.pen.rectangle((x, y, x + cell - 1, y + cell - 1), fill=self.ink)
        self.y += side * cell + 10

    def torn(self, kind: str = "till") -> Drawn:
        """The paper cut below its last line, its end ragged or straight."""
        height = min(self.y + self.rng.randint(8, 40), 1400)
        paper = self.paper.crop((0, 0, self.width, height)).convert("RGBA")
        if self.rng.random() < 0.6:
            mask = Image.new("L", paper.size, 255)
            teeth = ImageDraw.Draw(mask)
            for x in range(0, self.width, 6):
                teeth.polygon(
                    [(x, height), (x + 3, height - self.rng.randint(2, 5)), (x + 6, height)], fill=0
                )
            paper.putalpha(mask)
        return Drawn(paper, kind, "paper")
