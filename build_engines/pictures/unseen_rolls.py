"""The strip that the newer test templates of receipts print on."""

from __future__ import annotations

from random import Random

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from build_engines.pictures.fonts import MONO
from build_engines.pictures.studio import Studio, a_day
from build_engines.pictures.unseen_props import Brush, Colour

INK: Colour = (44, 44, 50)


class Slip:
    """A strip that is written from the top; its height follows at the end."""

    def __init__(self, studio: Studio, rng: Random, width: int = 300, size: int = 15) -> None:
        tone = rng.randint(240, 254)
        self.image = Image.new("RGB", (width, 1100), (tone, tone, tone - rng.randint(0, 8)))
        self.brush, self.rng, self.size, self.y = Brush(studio, self.image), rng, size, 22
        self.face = rng.choice((*MONO["test"], "pt_sans"))
        fade = rng.randint(0, 50)
        self.ink: Colour = (INK[0] + fade, INK[1] + fade, INK[2] + fade)

    def middle(self, text: str, larger: int = 0, *, bold: bool = False) -> None:
        size = self.size + larger
        font = self.brush.studio.fonts.get(self.face, size, bold=bold)
        x = (self.image.width - font.getlength(text)) / 2
        self.brush.say((max(4, x), self.y), text, size, self.ink, face=self.face, bold=bold)
        self.y += int(size * 1.35)

    def pair(self, left: str, right: str, larger: int = 0, *, bold: bool = False) -> None:
        size, edge = self.size + larger, self.image.width - 14
        self.brush.say((14, self.y), left[:20], size, self.ink, face=self.face, bold=bold)
        self.brush.say((edge, self.y), right, size, self.ink, face=self.face, bold=bold, right=True)
        self.y += int(size * 1.35)

    def rule(self) -> None:
        self.y += 5
        for x in range(12, self.image.width - 12, 9):
            self.brush.pen.line((x, self.y, x + 5, self.y), fill=self.ink)
        self.y += 9

    def bars(self) -> None:
        x, self.y = 50, self.y + 8
        while x < self.image.width - 50:
            wide = self.rng.choice((1, 2, 3))
            self.brush.pen.rectangle((x, self.y, x + wide, self.y + 44), fill=self.ink)
            x += wide + self.rng.choice((2, 3, 4))
        self.y += 56

    def done(self) -> Image.Image:
        """Cut below the last line, its lower edge in teeth, light and shade across."""
        strip = self.image.crop((0, 0, self.image.width, self.y + 26)).convert("RGBA")
        pen = ImageDraw.Draw(strip)
        for x in range(0, strip.width, 8):
            low = strip.height
            pen.polygon(((x, low), (x + 4, low - 6), (x + 8, low)), fill=(0, 0, 0, 0))
        return strip


def curled(strip: Image.Image, rng: Random) -> Image.Image:
    """Shade along the strip where it bends."""
    y = np.arange(strip.height)
    phase, step = rng.uniform(0, 6), rng.uniform(70, 200)
    levels = 232 + 22 * np.sin(y / step + phase) - 18 * np.abs(np.sin(y / step / 2.3))
    shade = Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8)[:, None], "L").resize(
        strip.size
    )
    lit = ImageChops.multiply(strip.convert("RGB"), Image.merge("RGB", (shade,) * 3)).convert(
        "RGBA"
    )
    lit.putalpha(strip.getchannel("A"))
    return lit


def heading(slip: Slip, studio: Studio, rng: Random, name: str) -> None:
    people = studio.people(rng)
    slip.middle(name, rng.randint(5, 10), bold=True)
    slip.middle(people.street_address()[:28])
    slip.middle(f"Tel {people.numerify('### ### ####')}")
    slip.rule()
    slip.pair(
        f"{a_day(rng):%d/%m/%Y} {rng.randint(8, 22)}:{rng.randint(10, 59)}",
        f"#{rng.randint(100, 9999)}",
    )


def sums(slip: Slip, rng: Random, names: tuple[str, ...], count: int) -> None:
    total, sign = 0.0, rng.choice(("", "$", "€", "£"))
    for name in rng.sample(names, min(count, len(names))):
        price = rng.randint(80, 2400) / 100
        total += price
        slip.pair(name, f"{sign}{price:.2f}")
    slip.rule()
    slip.pair("Subtotal", f"{sign}{total:.2f}")
    slip.pair(rng.choice(("Tax 8.25%", "VAT 20%", "GST")), f"{sign}{total * 0.08:.2f}")
    slip.pair("TOTAL", f"{sign}{total * 1.08:.2f}", 5, bold=True)
