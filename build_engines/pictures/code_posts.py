"""Code in posts, reviews and stills of lessons: those that validate."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.code_pages import block, framed, prose
from build_engines.pictures.fonts import SANS, SERIF
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, named

Colour = tuple[int, int, int]


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    return named(article, remark, title_card) if split == "validation" else ()


def article(studio: Studio, rng: Random) -> Drawn:
    """A post of a blog: a large heading, an author, serif words, code across the page."""
    people = studio.people(rng)
    image = Image.new("RGB", (560, 640), (253, 253, 250))
    pen = ImageDraw.Draw(image)
    ink: Colour = (40, 40, 40)
    y = prose(
        pen,
        people.sentence(6).rstrip("."),
        studio.fonts.any(SERIF, 30, rng, bold=True),
        (36, 26, 480),
        ink,
    )
    pen.ellipse((36, y, 66, y + 30), fill=tuple(rng.randint(80, 220) for _ in "rgb"))
    serif = studio.fonts.any(SERIF, 15, rng)
    pen.text(
        (76, y + 6),
        f"{people.name()}  ·  {rng.randint(2, 20)} min",
        font=serif,
        fill=(120, 120, 120),
    )
    y = prose(pen, people.paragraph(3), serif, (36, y + 46, 490), ink)
    high = rng.randint(140, 260)
    inner, code, _ = block(studio, rng, (560, high), 13)
    image.paste(inner, (0, y))
    prose(pen, people.paragraph(5), serif, (36, y + high + 14, 490), ink)
    return framed(image, code)


def remark(studio: Studio, rng: Random) -> Drawn:
    """A few lines under review and what two people say of them."""
    people = studio.people(rng)
    inner, code, seen = block(studio, rng, (600, rng.randint(110, 200)), 12)
    image = Image.new("RGB", (640, 470), (255, 255, 255) if not seen.dark else seen.shade(8))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 13, rng)
    pen.text((24, 12), code.name, font=font, fill=seen.ink)
    image.paste(inner, (20, 38))
    y = 38 + inner.height + 12
    for _ in range(2):
        pen.rounded_rectangle((40, y, 610, y + 92), 8, outline=seen.shade(60))
        pen.ellipse((52, y + 10, 78, y + 36), fill=tuple(rng.randint(80, 220) for _ in "rgb"))
        pen.text((88, y + 14), people.user_name(), font=font, fill=seen.ink)
        prose(pen, people.sentence(16), font, (56, y + 44, 540), seen.ink)
        y += 104
    return framed(image, code)


def title_card(studio: Studio, rng: Random) -> Drawn:
    """The still of a lesson: code behind a few big words."""
    inner, code, seen = block(studio, rng, (640, 360), 17)
    pen = ImageDraw.Draw(inner)
    font = studio.fonts.any(SANS[:5], 44, rng, bold=True)
    top = rng.randint(120, 250)
    pen.rectangle((0, top, 640, top + 76), fill=tuple(rng.randint(20, 220) for _ in "rgb"))
    pen.text((24, top + 10), studio.people(rng).bs()[:22].title(), font=font, fill=(255, 255, 255))
    return framed(inner, code)
