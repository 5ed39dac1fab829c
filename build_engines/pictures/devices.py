"""What screens stand in: laptops, telephones, browsers and windows."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw, ImageOps

from build_engines.pictures.camera import BILINEAR, surface
from build_engines.pictures.fonts import SANS
from build_engines.pictures.studio import Studio

Colour = tuple[int, int, int]


def laptop(inner: Image.Image, rng: Random) -> Image.Image:
    """An open laptop on a table, its keys below."""
    screen = ImageOps.contain(inner.convert("RGB"), (480, 300), BILINEAR)
    wide, high = screen.width + 150, screen.height + 170
    image = surface((wide, high), rng)
    pen = ImageDraw.Draw(image)
    shell = rng.randint(25, 200)
    left, top, below = 75, 20, 20 + screen.height + 22
    pen.rounded_rectangle(
        (left - 14, top - 14, wide - left + 14, below - 4), 9, fill=(shell // 4,) * 3
    )
    image.paste(screen, (left, top))
    pen.polygon(
        [(left - 14, below), (wide - left + 14, below), (wide - 8, high - 12), (8, high - 12)],
        fill=(shell, shell, shell + 4),
    )
    key = (shell // 3,) * 3
    for row in range(5):
        y = below + 8 + row * 13
        out = 8 + row * 9
        step = (wide - 2 * left + 2 * out) / 14
        for place in range(14):
            x = left - out + place * step
            pen.rounded_rectangle((x, y, x + step - 3, y + 10), 2, fill=key)
    pen.rounded_rectangle(
        (wide // 2 - 55, below + 78, wide // 2 + 55, high - 18), 5, fill=(max(0, shell - 22),) * 3
    )
    return image


def telephone(inner: Image.Image, studio: Studio, rng: Random) -> Image.Image:
    """A screen shot of a telephone: the clock and the battery above."""
    ground = inner.getpixel((2, 2))
    image = Image.new("RGB", (inner.width, inner.height + 24), ground)
    image.paste(inner, (0, 24))
    pen = ImageDraw.Draw(image)
    light = isinstance(ground, tuple) and sum(ground) > 384
    ink: Colour = (20, 20, 20) if light else (240, 240, 240)
    font = studio.fonts.any(SANS[:5], 12, rng)
    pen.text((12, 5), f"{rng.randint(0, 23)}:{rng.randint(0, 59):02}", font=font, fill=ink)
    right = inner.width - 12
    pen.rounded_rectangle((right - 22, 7, right, 17), 3, outline=ink)
    pen.rectangle((right - 20, 9, right - 20 + rng.randint(3, 18), 15), fill=ink)
    for bar in range(4):
        pen.rectangle((right - 52 + bar * 5, 15 - bar * 2, right - 49 + bar * 5, 17), fill=ink)
    return image


def browser(inner: Image.Image, studio: Studio, rng: Random) -> Image.Image:
    """A page in a browser: its address above."""
    dark = rng.random() < 0.4
    bar, box = ((53, 54, 58), (32, 33, 36)) if dark else ((222, 225, 230), (255, 255, 255))
    ink: Colour = (220, 220, 220) if dark else (70, 70, 74)
    image = Image.new("RGB", (inner.width, inner.height + 36), bar)
    image.paste(inner, (0, 36))
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((84, 7, inner.width - 60, 29), 11, fill=box)
    font = studio.fonts.any(SANS[:5], 12, rng)
    people = studio.people(rng)
    pen.text((98, 11), f"{people.domain_name()}/{people.uri_path()}", font=font, fill=ink)
    for place in range(3):
        x = 14 + place * 22
        pen.ellipse((x, 12, x + 12, 24), outline=ink, width=2)
    return image


def window(
    inner: Image.Image, studio: Studio, rng: Random, title: str, *, menu: str = ""
) -> Image.Image:
    """A window of a desktop: a title on the left, signs on the right, a menu below."""
    fill: Colour = rng.choice(((255, 255, 255), (240, 240, 240), (45, 45, 48), (0, 90, 158)))
    ink: Colour = (30, 30, 30) if sum(fill) > 400 else (240, 240, 240)
    top = 50 if menu else 28
    image = Image.new("RGB", (inner.width + 2, inner.height + top + 1), (120, 120, 124))
    pen = ImageDraw.Draw(image)
    pen.rectangle((1, 1, inner.width, top), fill=fill)
    font = studio.fonts.any(SANS[:5], 12, rng)
    pen.rectangle((9, 9, 20, 19), fill=(60, 110, 180))
    pen.text((28, 7), title, font=font, fill=ink)
    x = inner.width - 18
    pen.line((x, 10, x + 9, 19), fill=ink)
    pen.line((x + 9, 10, x, 19), fill=ink)
    pen.rectangle((x - 32, 10, x - 23, 19), outline=ink)
    pen.line((x - 64, 15, x - 54, 15), fill=ink)
    if menu:
        pen.text((10, 30), menu, font=font, fill=ink)
    image.paste(inner, (1, top))
    return image
