"""Drawn landscapes, streets and rooms."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.camera import BILINEAR, noisy, surface
from build_engines.pictures.fonts import SANS
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio

Colour = tuple[int, int, int]


def any_colour(rng: Random) -> Colour:
    return rng.randint(0, 255), rng.randint(0, 255), rng.randint(0, 255)


def sky(rng: Random, size: tuple[int, int]) -> Image.Image:
    top: Colour = (rng.randint(20, 150), rng.randint(80, 180), rng.randint(150, 255))
    low: Colour = (rng.randint(180, 255), rng.randint(150, 240), rng.randint(140, 255))
    strip = Image.new("RGB", (1, 2), top)
    strip.putpixel((0, 1), low)
    return strip.resize(size, BILINEAR)


def hills(studio: Studio, rng: Random) -> Drawn:
    """Mountains one behind the other, a sun, trees."""
    image = sky(rng, (480, 320))
    pen = ImageDraw.Draw(image)
    x, y = rng.randint(40, 440), rng.randint(30, 120)
    pen.ellipse((x - 26, y - 26, x + 26, y + 26), fill=(255, 240, rng.randint(150, 230)))
    for layer in range(rng.randint(2, 5)):
        phase, swing = rng.uniform(0, 6), rng.uniform(10, 50)
        top = 130 + layer * 45
        ridge = [
            (step, top + swing * math.sin(step / 60 + phase) + rng.uniform(-4, 4))
            for step in range(0, 490, 8)
        ]
        green: Colour = (30 + layer * 12, rng.randint(70, 150), 60 + layer * 5)
        pen.polygon([*ridge, (480, 320), (0, 320)], fill=green)
    for _ in range(rng.randint(0, 14)):
        x, size = rng.randint(0, 480), rng.randint(10, 40)
        pen.polygon(
            [(x, 300 - size * 2), (x - size // 2, 300), (x + size // 2, 300)],
            fill=(20, rng.randint(60, 110), 40),
        )
    return Drawn(soft(image, rng), "drawing", "scene")


def seaside(studio: Studio, rng: Random) -> Drawn:
    """Sea, beach, a boat."""
    image = sky(rng, (480, 320))
    pen = ImageDraw.Draw(image)
    for y in range(150, 250, 3):
        pen.line((0, y, 480, y), fill=(20, rng.randint(90, 140), rng.randint(140, 210)), width=3)
    pen.rectangle((0, 250, 480, 320), fill=(rng.randint(205, 240), rng.randint(180, 210), 140))
    x = rng.randint(60, 380)
    pen.polygon([(x, 190), (x + 80, 190), (x + 64, 212), (x + 14, 212)], fill=any_colour(rng))
    pen.polygon([(x + 40, 110), (x + 40, 186), (x + 86, 186)], fill=(250, 250, 245))
    return Drawn(soft(image, rng), "drawing", "scene")


def city(studio: Studio, rng: Random) -> Drawn:
    """Houses with lit windows."""
    image = sky(rng, (480, 320))
    pen = ImageDraw.Draw(image)
    x = -10
    while x < 480:
        wide, high = rng.randint(36, 80), rng.randint(80, 260)
        dark = rng.randint(30, 110)
        pen.rectangle((x, 320 - high, x + wide, 320), fill=(dark, dark, dark + 12))
        for u in range(x + 6, x + wide - 8, 14):
            for v in range(326 - high, 310, 18):
                if rng.random() < 0.5:
                    pen.rectangle((u, v, u + 7, v + 9), fill=(255, 225, 140))
        x += wide + rng.randint(0, 8)
    return Drawn(soft(image, rng), "drawing", "scene")


def room(studio: Studio, rng: Random) -> Drawn:
    """A desk before a wall: a lamp, a mug, a plant."""
    image = surface((480, 360), rng)
    pen = ImageDraw.Draw(image)
    pen.rectangle(
        (0, 230, 480, 360), fill=(rng.randint(90, 180), rng.randint(60, 120), rng.randint(30, 80))
    )
    pen.rectangle((60, 40, 180, 140), fill=any_colour(rng), outline=(240, 240, 235), width=8)
    x = rng.randint(220, 400)
    pen.rounded_rectangle((x, 190, x + 46, 244), 6, fill=any_colour(rng))
    pen.arc((x + 34, 200, x + 64, 230), 270, 90, fill=(250, 250, 250), width=6)
    for _ in range(12):
        u, v = 120 + rng.randint(-50, 50), 190 + rng.randint(-50, 20)
        pen.ellipse((u, v, u + 26, v + 12), fill=(40, rng.randint(90, 160), 50))
    return Drawn(soft(image, rng), "drawing", "scene")


def street_sign(studio: Studio, rng: Random) -> Drawn:
    """A sign on a post before the sky: letters, but no page."""
    image = sky(rng, (420, 360))
    pen = ImageDraw.Draw(image)
    pen.rectangle((200, 120, 214, 360), fill=(110, 110, 115))
    word = studio.people(rng).city()[:12].upper()
    font = studio.fonts.any(SANS[:5], 34, rng, bold=True)
    wide = font.getlength(word) / 2 + 20
    fill = rng.choice(((20, 90, 50), (30, 70, 160), (250, 210, 40), (180, 25, 30)))
    pen.rounded_rectangle(
        (207 - wide, 80, 207 + wide, 150), 8, fill=fill, outline=(255, 255, 255), width=4
    )
    pen.text((227 - wide, 94), word, font=font, fill=(255, 255, 255))
    return Drawn(soft(image, rng), "drawing", "scene")


def soft(image: Image.Image, rng: Random) -> Image.Image:
    return noisy(
        image.filter(ImageFilter.GaussianBlur(rng.uniform(0, 1.6))), rng, rng.uniform(0, 8)
    )
