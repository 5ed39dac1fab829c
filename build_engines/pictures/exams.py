"""Drawn ultrasound, eyes, tissue and traces of hearts and brains."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.camera import noisy
from build_engines.pictures.film import Film
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, named


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(back_of_eye, tissue, smear, layers)
    return named(gram_field) if split == "validation" else ()


def _vessel(
    pen: ImageDraw.ImageDraw,
    rng: Random,
    place: tuple[float, float],
    turn: float,
    width: float,
    ink: tuple[int, int, int],
) -> None:
    x, y = place
    for step in range(26):
        turn += rng.gauss(0, 0.14)
        u, v = x + 9 * math.cos(turn), y + 9 * math.sin(turn)
        pen.line((x, y, u, v), fill=ink, width=max(1, round(width)))
        x, y, width = u, v, width * 0.955
        if step % 8 == 5 and width > 1.4:
            _vessel(pen, rng, (x, y), turn + rng.choice((-0.6, 0.6)), width * 0.6, ink)


def back_of_eye(studio: Studio, rng: Random) -> Drawn:
    """An orange disc with a pale spot from which vessels run."""
    side = 340
    base = rng.choice(((200, 90, 40), (170, 60, 30), (225, 130, 70), (120, 130, 110)))
    image = Image.new("RGB", (side, side), base)
    pen = ImageDraw.Draw(image)
    left = rng.random() < 0.5
    x, y = (110 if left else 230), 170 + rng.randint(-16, 16)
    for _ in range(7):
        ink = tuple(int(one * rng.uniform(0.45, 0.7)) for one in base)
        _vessel(pen, rng, (x, y), rng.uniform(0, 6.3), rng.uniform(3, 6), (ink[0], ink[1], ink[2]))
    radius = rng.randint(20, 28)
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=(250, 225, 160))
    image = image.filter(ImageFilter.GaussianBlur(1.2))
    pen = ImageDraw.Draw(image)
    for _ in range(rng.choice((0, 0, 20))):
        u, v = rng.randint(40, 300), rng.randint(40, 300)
        pen.ellipse(
            (u, v, u + rng.randint(2, 7), v + rng.randint(2, 7)),
            fill=rng.choice(((250, 230, 130), (110, 20, 16))),
        )
    dark = Image.new("L", (side, side), 0)
    ImageDraw.Draw(dark).ellipse((120 if left else 90, 120, 250 if left else 220, 230), fill=70)
    image.paste((70, 20, 10), (0, 0), dark.filter(ImageFilter.GaussianBlur(26)))
    mask = Image.new("L", (side, side), 0)
    ImageDraw.Draw(mask).ellipse((8, 8, side - 8, side - 8), fill=255)
    back = Image.new("RGB", (side + rng.choice((0, 90)), side))
    back.paste(
        noisy(image, rng, 5),
        ((back.width - side) // 2, 0),
        mask.filter(ImageFilter.GaussianBlur(3)),
    )
    return Drawn(back, "eye", "film")


def tissue(studio: Studio, rng: Random) -> Drawn:
    """Pink and violet tissue with many nuclei, hollows and fibres."""
    ground, nucleus = rng.choice(
        (
            ((236, 190, 214), (92, 50, 130)),
            ((240, 205, 220), (70, 60, 150)),
            ((226, 224, 232), (110, 62, 40)),
            ((214, 150, 190), (60, 30, 90)),
        )
    )
    image = Image.new("RGB", (400, 320), ground)
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(20, 60)):
        x, y = rng.randint(-20, 400), rng.randint(-20, 320)
        tone = tuple(max(0, min(255, one + rng.randint(-34, 14))) for one in ground)
        pen.ellipse((x, y, x + rng.randint(20, 130), y + rng.randint(10, 70)), fill=tone)
    for _ in range(rng.choice((0, 4, 9))):
        x, y, r = rng.randint(20, 380), rng.randint(20, 300), rng.randint(12, 46)
        pen.ellipse(
            (x - r, y - r * 0.8, x + r, y + r * 0.8), fill=(248, 244, 248), outline=nucleus, width=4
        )
        for place in range(18):
            u, v = x + r * 1.15 * math.cos(place / 2.9), y + r * 0.95 * math.sin(place / 2.9)
            pen.ellipse((u - 4, v - 4, u + 4, v + 4), fill=nucleus)
    size = rng.randint(2, 7)
    for _ in range(rng.randint(120, 700)):
        x, y = rng.randint(0, 400), rng.randint(0, 320)
        tone = tuple(max(0, min(255, one + rng.randint(-25, 45))) for one in nucleus)
        pen.ellipse(
            (x, y, x + size * rng.uniform(0.8, 1.8), y + size * rng.uniform(0.8, 1.8)), fill=tone
        )
    return Drawn(
        noisy(image.filter(ImageFilter.GaussianBlur(rng.uniform(0.6, 1.6))), rng, 5),
        "microscopy",
        "film",
    )


def smear(studio: Studio, rng: Random) -> Drawn:
    """Round cells on a light ground, pale in their middle, a few large dark ones."""
    ground = rng.choice(((244, 236, 226), (235, 238, 244), (250, 246, 240)))
    image = Image.new("RGB", (380, 320), ground)
    pen = ImageDraw.Draw(image)
    r = rng.randint(9, 22)
    red = (rng.randint(205, 235), rng.randint(120, 165), rng.randint(130, 170))
    for _ in range(rng.randint(40, 160)):
        x, y = rng.randint(0, 380), rng.randint(0, 320)
        pen.ellipse(
            (x - r, y - r, x + r, y + r), fill=red, outline=tuple(int(one * 0.85) for one in red)
        )
        inner = r * 0.4
        pen.ellipse(
            (x - inner, y - inner, x + inner, y + inner),
            fill=tuple(min(255, one + 36) for one in red),
        )
    for _ in range(rng.randint(0, 5)):
        x, y = rng.randint(30, 350), rng.randint(30, 290)
        pen.ellipse((x - r * 1.6, y - r * 1.6, x + r * 1.6, y + r * 1.6), fill=(200, 180, 220))
        for _ in range(3):
            u, v = x + rng.uniform(-0.6, 0.6) * r, y + rng.uniform(-0.6, 0.6) * r
            pen.ellipse((u - r * 0.8, v - r * 0.7, u + r * 0.8, v + r * 0.7), fill=(96, 50, 140))
    return Drawn(noisy(image.filter(ImageFilter.GaussianBlur(1.1)), rng, 4), "microscopy", "film")


def layers(studio: Studio, rng: Random) -> Drawn:
    """A cut through a retina: bright bands that dip in the middle."""
    film = Film(rng, (460, 220), 0.05)
    dip = rng.uniform(0.05, 0.16)
    for place, level in enumerate((0.5, 0.25, 0.35, 0.15, 0.3, 0.75, 0.45)):
        less = max(0.0, 1 - place / 5)
        points = [
            (
                x / 30,
                0.3
                + place * 0.06
                + less * dip * math.exp(-(((x - 15) / 4) ** 2))
                + 0.05 * ((x - 15) / 15) ** 2,
            )
            for x in range(31)
        ]
        film.line(points, 0.022, level, 2)
    film.cloud(60, 0.04)
    return Drawn(film.image(grain=rng.uniform(0.04, 0.1), soft=0.4), "eye", "film")


def gram_field(studio: Studio, rng: Random) -> Drawn:
    """Small rods and balls on a bright round field."""
    image = Image.new("RGB", (340, 340), (238, 228, 236))
    pen = ImageDraw.Draw(image)
    ink = rng.choice(((90, 40, 130), (200, 70, 110)))
    for _ in range(rng.randint(60, 260)):
        x, y, turn = rng.randint(0, 340), rng.randint(0, 340), rng.uniform(0, 3.1)
        long = rng.choice((0, 8, 12))
        pen.line((x, y, x + long * math.cos(turn), y + long * math.sin(turn)), fill=ink, width=4)
        pen.ellipse((x - 2, y - 2, x + 3, y + 3), fill=ink)
    mask = Image.new("L", (340, 340), 0)
    ImageDraw.Draw(mask).ellipse((4, 4, 336, 336), fill=255)
    back = Image.new("RGB", (340, 340), (6, 6, 8))
    back.paste(image.filter(ImageFilter.GaussianBlur(0.9)), (0, 0), mask)
    return Drawn(noisy(back, rng, 4), "microscopy", "film")
