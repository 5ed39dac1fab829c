"""Drawn portraits and signatures of people who do not exist."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw, ImageFilter


def face(rng: Random) -> Image.Image:
    """A drawn head and shoulders before a plain wall, softened so that it looks like a print."""
    wall = rng.randint(170, 245)
    image = Image.new("RGB", (150, 190), (wall, wall, min(255, wall + rng.randint(-10, 12))))
    pen = ImageDraw.Draw(image)
    skin = rng.choice(
        (
            (241, 205, 176),
            (224, 172, 135),
            (198, 134, 96),
            (141, 85, 54),
            (92, 56, 38),
            (250, 220, 196),
        )
    )
    shade = tuple(int(one * 0.84) for one in skin)
    hair = rng.choice(
        ((35, 25, 20), (75, 48, 28), (150, 105, 50), (205, 175, 110), (120, 118, 116), (20, 20, 24))
    )
    shirt = tuple(rng.randint(20, 235) for _ in "rgb")
    width, top = rng.randint(29, 37), rng.randint(36, 46)
    if rng.random() < 0.5:
        pen.ellipse((75 - width - 12, top - 14, 75 + width + 12, 150), fill=hair)
    pen.ellipse((8, 142, 142, 260), fill=shirt)
    pen.rectangle((60, 118, 90, 152), fill=shade)
    pen.ellipse((75 - width - 4, 80, 75 - width + 6, 100), fill=shade)
    pen.ellipse((75 + width - 6, 80, 75 + width + 4, 100), fill=shade)
    if rng.random() < 0.9:
        pen.ellipse((75 - width - 3, top - 12, 75 + width + 3, 110), fill=hair)
    pen.ellipse((75 - width, top, 75 + width, 138), fill=skin)
    if rng.random() < 0.5:
        pen.chord((75 - width, top - 8, 75 + width, top + 46), 180, 360, fill=hair)
    for side in (-1, 1):
        x = 75 + side * width * 0.45
        pen.ellipse((x - 7, 83, x + 7, 91), fill=(250, 250, 250))
        pen.ellipse((x - 3, 83, x + 3, 91), fill=(45, 35, 30))
        pen.line((x - 9, 77, x + 9, 76), fill=hair, width=3)
    pen.line((75, 90, 72, 106, 78, 107), fill=shade, width=2)
    pen.arc((62, 108, 88, 124), 20, 160, fill=(160, 75, 70), width=3)
    if rng.random() < 0.25:
        for side in (-1, 1):
            x = 75 + side * width * 0.45
            pen.ellipse((x - 12, 77, x + 12, 97), outline=(30, 30, 30), width=2)
    if rng.random() < 0.25:
        pen.chord((75 - width, 100, 75 + width, 140), 20, 160, fill=hair)
    return image.filter(ImageFilter.GaussianBlur(1.6))


def head(image: Image.Image, name: str) -> Image.Image:
    """Head and shoulders of a packaged portrait, at the ratio of a passport photograph."""
    boxes = {"astronaut": (0.22, 0.0, 0.72, 0.62), "grace_hopper": (0.1, 0.03, 0.9, 0.8)}
    left, top, right, bottom = boxes.get(name, (0.12, 0.05, 0.88, 0.85))
    width, height = image.size
    return image.crop(
        (int(left * width), int(top * height), int(right * width), int(bottom * height))
    )


def scribble(
    pen: ImageDraw.ImageDraw,
    rng: Random,
    place: tuple[int, int],
    size: tuple[int, int],
    ink: tuple[int, ...],
    width: int = 2,
) -> None:
    """A signature: loops along a line."""
    x, y = place
    loops, bent, high = rng.uniform(4, 9), rng.uniform(-0.3, 0.9), rng.uniform(0.2, 0.6)
    points = []
    for step in range(60):
        part = step / 59
        swing = size[1] * (
            0.5 + high * math.sin(loops * 3 * part ** (1 + bent) + rng.uniform(-0.2, 0.2))
        )
        points.append((x + size[0] * part + 6 * math.cos(loops * 6 * part), y + swing))
    pen.line(points, fill=ink, width=width, joint="curve")
