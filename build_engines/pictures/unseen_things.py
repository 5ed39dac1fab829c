"""More of what is none of the eight: things, games, materials, food, animals, lights."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter

from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, dice
from build_engines.pictures.unseen_props import CUBIC, Brush, Colour, desk


def bright(rng: Random) -> Colour:
    hue = rng.random()
    parts = (abs(hue * 6 - 3) - 1, 2 - abs(hue * 6 - 2), 2 - abs(hue * 6 - 4))
    red, green, blue = (int(70 + 170 * min(1, max(0, one))) for one in parts)
    return red, green, blue


def templates() -> tuple[Template, ...]:
    return (
        new_product,
        new_game,
        new_material,
        new_night,
        new_plate,
        new_pet,
    )


def new_product(studio: Studio, rng: Random) -> Drawn:
    """A thing of a shop before a plain wall, with its soft shadow."""
    wall = rng.choice(((255, 255, 255), (238, 240, 244), (246, 236, 226)))
    image = Image.new("RGB", (460, 460), wall)
    shade = Image.new("L", image.size, 0)
    ImageDraw.Draw(shade).ellipse((110, 376, 350, 420), fill=120)
    image.paste((90, 90, 96), (0, 0), shade.filter(ImageFilter.GaussianBlur(14)))
    pen, ink = ImageDraw.Draw(image), bright(rng)
    dark, pale = tuple(one // 2 for one in ink), tuple(min(255, one + 60) for one in ink)
    thing = rng.randrange(5)
    if thing == 0:
        pen.rounded_rectangle((180, 150, 280, 400), 24, fill=ink)
        pen.rectangle((210, 80, 250, 160), fill=dark)
        pen.rectangle((180, 230, 280, 330), fill=(250, 248, 240))
    elif thing == 1:
        pen.arc((290, 200, 390, 330), 250, 110, fill=dark, width=22)
        pen.rounded_rectangle((130, 160, 320, 400), 18, fill=ink)
        pen.ellipse((130, 140, 320, 184), fill=dark)
    elif thing == 2:
        pen.rectangle((140, 230, 330, 250), fill=ink)
        pen.rectangle((140, 90, 160, 250), fill=dark)
        for x in (144, 310):
            pen.rectangle((x, 250, x + 14, 402), fill=dark)
        pen.rectangle((150, 100, 320, 180), fill=pale)
    elif thing == 3:
        pen.polygon(
            ((90, 340), (120, 250), (200, 260), (290, 330), (380, 350), (380, 390), (90, 390)),
            fill=ink,
        )
        pen.rectangle((86, 384, 386, 402), fill=(245, 245, 245))
        for x in range(200, 280, 22):
            pen.line(
                (x, 276 + (x - 200) // 2, x + 20, 262 + (x - 200) // 2),
                fill=(250, 250, 250),
                width=5,
            )
    else:
        pen.arc((120, 90, 340, 380), 180, 360, fill=dark, width=20)
        pen.rounded_rectangle((104, 220, 164, 350), 26, fill=ink)
        pen.rounded_rectangle((296, 220, 356, 350), 26, fill=ink)
    image = image.filter(ImageFilter.GaussianBlur(1))
    light = (
        Image.linear_gradient("L").rotate(90).resize(image.size).point(lambda one: 215 + one // 6)
    )
    return Drawn(
        Image.composite(image, ImageEnhance.Brightness(image).enhance(0.85), light), "", "scene"
    )


def new_game(studio: Studio, rng: Random) -> Drawn:
    """A game of blocks: ground, coins, someone who jumps, hearts above."""
    sky = rng.choice(((92, 148, 252), (36, 24, 60), (250, 190, 140)))
    image = Image.new("RGB", (40, 26), sky)
    pen = ImageDraw.Draw(image)
    for _ in range(4):
        x, y = rng.randint(0, 36), rng.randint(3, 9)
        pen.rectangle(
            (x, y, x + rng.randint(2, 5), y + 1), fill=tuple(min(255, one + 50) for one in sky)
        )
    ground, grass = rng.choice((((150, 90, 50), (80, 190, 60)), ((90, 90, 110), (170, 170, 190))))
    pen.rectangle((0, 22, 40, 26), fill=ground)
    pen.rectangle((0, 21, 40, 21), fill=grass)
    for _ in range(5):
        x, y = rng.randint(0, 34), rng.randint(10, 18)
        pen.rectangle((x, y, x + rng.randint(2, 6), y), fill=ground)
        pen.point((x + 1, y - 2), fill=(255, 214, 40))
    x, y = rng.randint(6, 32), rng.randint(12, 18)
    pen.rectangle((x, y, x + 1, y + 2), fill=bright(rng))
    pen.rectangle((x, y - 1, x + 1, y - 1), fill=(240, 200, 160))
    image = image.resize((640, 416), Image.Resampling.NEAREST)
    brush = Brush(studio, image)
    for place in range(3):
        brush.pen.rectangle((20 + place * 34, 16, 44 + place * 34, 40), fill=(230, 40, 50))
    brush.say(
        (620, 12),
        f"SCORE {rng.randint(0, 99999):06}",
        24,
        (255, 255, 255),
        face="jetbrains_mono",
        bold=True,
        right=True,
    )
    return Drawn(image, "", "scene")


def new_material(studio: Studio, rng: Random) -> Drawn:
    """Wood, marble, knitted wool or tiles, from near."""
    way = rng.randrange(3)
    if way == 0:
        return Drawn(desk(rng, (440, 440)), "texture", "scene")
    x, y = np.meshgrid(np.arange(420.0), np.arange(420.0))
    small = dice(rng).normal(0, 1, (14, 14)).astype(np.float32)
    rough = np.asarray(Image.fromarray(small, "F").resize((420, 420), CUBIC))
    wave = np.abs(np.sin((x + y * rng.uniform(-1, 1)) / rng.uniform(40, 90) + 2.4 * rough)) ** 0.25
    if way == 1:
        wave = (
            0.5 + 0.5 * np.sin(x / 7) * np.sin(y / 9 + 2.2 * np.abs(np.sin(x / 14))) + 0.05 * rough
        )
    colour = np.array(bright(rng) if way == 1 else (236, 232, 228), np.float32)
    levels = np.clip(colour * (0.45 + 0.55 * wave[..., None]), 0, 255).astype(np.uint8)
    return Drawn(Image.fromarray(levels, "RGB"), "texture", "scene")


def new_night(studio: Studio, rng: Random) -> Drawn:
    """Lights of a town, out of focus, above a wet street."""
    image = Image.new("RGB", (520, 400), (10, 12, 26))
    layer = ImageDraw.Draw(image, "RGBA")
    for _ in range(rng.randint(40, 90)):
        x, y, size = rng.randint(0, 520), int(rng.triangular(20, 300, 200)), rng.randint(5, 26)
        ink = rng.choice(
            ((255, 190, 90), (255, 90, 70), (120, 180, 255), (255, 240, 210), (90, 230, 150))
        )
        layer.ellipse((x - size, y - size, x + size, y + size), fill=(*ink, rng.randint(40, 150)))
        layer.line((x, 310, x, 310 + size * 4), fill=(*ink, 40), width=size)
    return Drawn(image.filter(ImageFilter.GaussianBlur(1.5)), "", "scene")


def new_plate(studio: Studio, rng: Random) -> Drawn:
    """Something to eat on a plate, from above."""
    image = desk(rng, (480, 460))
    pen = ImageDraw.Draw(image)
    for size, fill in ((196, (226, 226, 224)), (188, (248, 248, 246)), (138, (238, 238, 236))):
        pen.ellipse((240 - size, 230 - size, 240 + size, 230 + size), fill=fill)
    inks = (
        (196, 60, 40),
        (90, 150, 60),
        (236, 190, 90),
        (140, 80, 40),
        (250, 236, 200),
        (220, 120, 50),
    )
    for _ in range(rng.randint(60, 140)):
        turn, far, size = rng.uniform(0, 6.3), 118 * rng.random() ** 0.6, rng.randint(8, 24)
        x, y = 240 + far * math.cos(turn), 230 + far * math.sin(turn)
        ink = tuple(max(0, one + rng.randint(-20, 10)) for one in rng.choice(inks))
        pen.ellipse((x - size, y - size * 0.7, x + size, y + size * 0.7), fill=ink)
        pen.arc(
            (x - size, y - size * 0.7, x + size, y + size * 0.7),
            190,
            300,
            fill=tuple(min(255, one + 40) for one in ink),
            width=2,
        )
    pen.rounded_rectangle((450, 90, 462, 380), 5, fill=(190, 192, 196))
    return Drawn(image.filter(ImageFilter.GaussianBlur(1)), "", "scene")


def new_pet(studio: Studio, rng: Random) -> Drawn:
    """A drawn cat or dog on a lawn or a floor."""
    image = (
        desk(rng, (480, 440))
        if rng.random() < 0.5
        else Image.new("RGB", (480, 440), (120, 180, 90))
    )
    pen = ImageDraw.Draw(image)
    fur = rng.choice(
        ((60, 56, 54), (214, 150, 80), (236, 232, 226), (130, 96, 70), (150, 150, 156))
    )
    dark = tuple(int(one * 0.75) for one in fur)
    pen.ellipse((120, 230, 360, 470), fill=fur)
    pen.arc((320, 240, 470, 440), 200, 60, fill=dark, width=22)
    cat = rng.random() < 0.5
    for side in (-1, 1):
        x = 240 + side * 66
        if cat:
            pen.polygon(((x - 40, 130), (x + side * 24, 30), (x + 40, 130)), fill=dark)
        else:
            pen.ellipse((x + side * 34 - 26, 90, x + side * 34 + 26, 210), fill=dark)
    pen.ellipse((138, 80, 342, 264), fill=fur)
    for x in (200, 280):
        pen.ellipse((x - 18, 140, x + 18, 176), fill=(210, 220, 120))
        pen.ellipse((x - 7, 142, x + 7, 174), fill=(16, 16, 16))
    pen.polygon(((228, 196), (252, 196), (240, 210)), fill=(220, 130, 130))
    for side in (-1, 1):
        pen.arc(
            (240 - 12 + side * 12, 200, 240 + 12 + side * 12, 226),
            20,
            160,
            fill=(40, 30, 30),
            width=3,
        )
        for row in range(3):
            pen.line(
                (240 + side * 40, 212 + row * 6, 240 + side * 120, 200 + row * 16),
                fill=(240, 240, 240),
                width=2,
            )
    return Drawn(image.filter(ImageFilter.GaussianBlur(1.2)), "", "scene")
