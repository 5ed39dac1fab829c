"""Games and programs without words that learn to be *other*."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.devices import telephone
from build_engines.pictures.fonts import SANS
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.places import person
from build_engines.pictures.scenes import any_colour, sky
from build_engines.pictures.studio import Named, Studio, named
from build_engines.pictures.views import between, rough


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(platform_game, pixel_art, wireframe, home_screen, pieces, screen_alone)
    return ()


def platform_game(studio: Studio, rng: Random) -> Drawn:
    """Blocks to jump on, coins, a figure, points above."""
    image = sky(rng, (480, 300))
    pen, brick, grass = ImageDraw.Draw(image), any_colour(rng), any_colour(rng)
    for x in range(0, 480, 24):
        top = 252 if rng.random() < 0.9 else 300
        pen.rectangle((x, top, x + 23, 300), fill=brick, outline=(40, 30, 20))
        pen.rectangle((x, top, x + 23, top + 6), fill=grass)
    for _ in range(rng.randint(2, 6)):
        x, y = rng.randint(0, 17) * 24, rng.randint(4, 9) * 24
        for block in range(rng.randint(1, 5)):
            pen.rectangle(
                (x + block * 24, y, x + block * 24 + 23, y + 23), fill=brick, outline=(40, 30, 20)
            )
            pen.ellipse(
                (x + block * 24 + 6, y - 20, x + block * 24 + 18, y - 6), fill=(250, 210, 50)
            )
    person(pen, rng, rng.randint(40, 440), 252, 46, any_colour(rng))
    font = studio.fonts.any(SANS[:5], 18, rng, bold=True)
    pen.text(
        (12, 8),
        f"SCORE {rng.randint(0, 99999):06}   x{rng.randint(1, 9)}",
        font=font,
        fill=(255, 255, 255),
    )
    return Drawn(image, "app_screen", "screen")


def pixel_art(studio: Studio, rng: Random) -> Drawn:
    """A small mirrored figure of squares."""
    side = rng.choice((8, 11, 16))
    small = Image.new("RGB", (side, side), any_colour(rng))
    inks = [any_colour(rng) for _ in range(3)]
    for y in range(side):
        for x in range((side + 1) // 2):
            if rng.random() < 0.5:
                ink = rng.choice(inks)
                small.putpixel((x, y), ink)
                small.putpixel((side - 1 - x, y), ink)
    return Drawn(small.resize((330, 330), Image.Resampling.NEAREST), "drawing", "screen")


def wireframe(studio: Studio, rng: Random) -> Drawn:
    """A program's face without words: bars, boxes, switches, pictures."""
    dark = rng.random() < 0.4
    ground = (30, 32, 38) if dark else (245, 246, 248)
    box = (48, 52, 60) if dark else (255, 255, 255)
    accent = any_colour(rng)
    image = Image.new("RGB", (rng.choice((320, 560)), 440), ground)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, image.width, 46), fill=accent)
    y = 60
    while y < 430:
        high = rng.choice((36, 60, 110))
        pen.rounded_rectangle((14, y, image.width - 14, y + high), 8, fill=box)
        what = rng.randint(0, 2)
        if what == 0:
            pen.ellipse((24, y + 8, 44, y + 28), fill=any_colour(rng))
            pen.rounded_rectangle(
                (56, y + 12, rng.randint(120, 260), y + 22), 5, fill=(170, 174, 182)
            )
        elif what == 1:
            pen.rounded_rectangle(
                (image.width - 70, y + 8, image.width - 30, y + 28), 10, fill=accent
            )
            pen.ellipse((image.width - 48, y + 9, image.width - 31, y + 27), fill=(255, 255, 255))
        else:
            pen.rectangle((24, y + 8, image.width - 24, y + high - 8), fill=any_colour(rng))
        y += high + 12
    return Drawn(image, "app_screen", "screen")


def home_screen(studio: Studio, rng: Random) -> Drawn:
    """A telephone full of programs."""
    image = between(rough(rng, (300, 520), (2, 4)), any_colour(rng), any_colour(rng))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 11, rng)
    for place in range(rng.randint(8, 24)):
        x, y = 20 + place % 4 * 70, 24 + place // 4 * 80
        pen.rounded_rectangle((x, y, x + 50, y + 50), rng.choice((12, 25)), fill=any_colour(rng))
        pen.ellipse((x + 14, y + 14, x + 36, y + 36), fill=any_colour(rng))
        pen.text(
            (x + 25, y + 54),
            studio.people(rng).word()[:8].title(),
            font=font,
            fill=(255, 255, 255),
            anchor="ma",
        )
    return Drawn(telephone(image, studio, rng), "app_screen", "screen")


def pieces(studio: Studio, rng: Random) -> Drawn:
    """A board of squares with round men on it."""
    count = rng.choice((8, 8, 9, 13, 19))
    dark, light = rng.choice(
        (
            ((120, 80, 50), (235, 210, 170)),
            ((60, 110, 70), (236, 236, 210)),
            ((215, 170, 100), (215, 170, 100)),
        )
    )
    image = Image.new("RGB", (360, 360), light)
    pen, step = ImageDraw.Draw(image), 360 / count
    for place in range(count * count):
        x, y = place % count * step, place // count * step
        if (place % count + place // count) % 2:
            pen.rectangle((x, y, x + step, y + step), fill=dark)
        if dark == light:
            pen.rectangle((x, y, x + step, y + step), outline=(90, 60, 30))
        if rng.random() < 0.25:
            fill = rng.choice(((25, 25, 25), (245, 245, 240)))
            pen.ellipse(
                (x + step * 0.14, y + step * 0.14, x + step * 0.86, y + step * 0.86),
                fill=fill,
                outline=(60, 60, 60),
            )
    return Drawn(image, "app_screen", rng.choice(("screen", "card")))


def screen_alone(studio: Studio, rng: Random) -> Drawn:
    """A desktop without a window, a lock screen, a player: large surfaces, a clock."""
    image = between(rough(rng, (520, 320), (2, 3, 6)), any_colour(rng), any_colour(rng))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], rng.choice((40, 64)), rng)
    if rng.random() < 0.5:
        pen.text(
            (260, rng.randint(20, 120)),
            f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}",
            font=font,
            fill=(255, 255, 255),
            anchor="ma",
        )
    for place in range(rng.randint(0, 14)):
        x, y = 14 + place // 5 * 60, 14 + place % 5 * 58
        pen.rounded_rectangle((x, y, x + 34, y + 34), 5, fill=any_colour(rng))
    if rng.random() < 0.5:
        pen.rectangle((0, 296, 520, 320), fill=(30, 32, 38))
    else:
        pen.polygon([(240, 140), (240, 190), (286, 165)], fill=(255, 255, 255))
        pen.rectangle((20, 304, rng.randint(40, 500), 308), fill=(230, 40, 40))
    return Drawn(image, "app_screen", "screen")
