"""Everything that is of no family: photographs, textures, icons, drawn scenes, patterns, noise."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageOps

from build_engines.pictures import flats, photographs, places, plays, things, unseen_world, views
from build_engines.pictures.camera import BILINEAR, crop, noisy, surface
from build_engines.pictures.faces import face
from build_engines.pictures.fonts import SANS, SERIF
from build_engines.pictures.photographs import Group
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.scenes import (
    Colour,
    any_colour,
    city,
    hills,
    room,
    seaside,
    street_sign,
)
from build_engines.pictures.studio import Named, Studio, Template, dice, named

# Code points of the emoji font by split: none stands in two.
EMOJI: dict[Split, tuple[range, ...]] = {
    "train": (range(0x1F400, 0x1F43E), range(0x1F34A, 0x1F380), range(0x1F680, 0x1F6A5)),
    "validation": (range(0x1F330, 0x1F34A), range(0x1F3E0, 0x1F3EF)),
    "test": (range(0x1F980, 0x1F9A3), range(0x1F380, 0x1F394), range(0x1F300, 0x1F321)),
}


def templates(split: Split) -> Named:
    chosen: dict[Split, tuple[Template, ...]] = {
        "train": (
            *(photograph,) * 8,
            collage,
            collage,
            portrait,
            texture,
            gradient,
            noise,
            hills,
            shapes,
            icon,
            icons,
            poster,
            waves,
        ),
        "validation": (photograph, photograph, texture, city, stripes, icon, mosaic),
        "test": (
            photograph,
            photograph,
            photograph,
            texture,
            seaside,
            fractal,
            icon,
            plasma,
            street_sign,
            room,
            *unseen_world.templates(),
        ),
    }
    more = (views, places, things, flats, plays)
    return named(*chosen[split]) + sum((one.templates(split) for one in more), ())


def _photo(studio: Studio, rng: Random, *groups: Group) -> tuple[Image.Image, str, str]:
    one = rng.choice(photographs.of(studio.split, *groups))
    image = studio.show(one).copy()
    if min(image.size) > 300:
        image = crop(image, rng, 0.35)
    image.thumbnail((520, 520), BILINEAR)
    if rng.random() < 0.5:
        image = ImageOps.mirror(image)
    return image, f"{one.package}: {one.file}", one.licence


def photograph(studio: Studio, rng: Random) -> Drawn:
    image, source, licence = _photo(studio, rng, "photo", "portrait")
    return Drawn(image, "photograph", "scene", source, licence)


def texture(studio: Studio, rng: Random) -> Drawn:
    """Grass, bricks, gravel; or a table with nothing on it."""
    choices = photographs.of(studio.split, "texture")
    if not choices or rng.random() < 0.5:
        return Drawn(
            surface((rng.randint(280, 480), rng.randint(240, 400)), rng), "texture", "scene"
        )
    image, source, licence = _photo(studio, rng, "texture")
    tint: Colour = (rng.randint(90, 255), rng.randint(90, 255), rng.randint(90, 255))
    return Drawn(
        ImageOps.colorize(image.convert("L"), (0, 0, 0), tint), "texture", "scene", source, licence
    )


def collage(studio: Studio, rng: Random) -> Drawn:
    """Photographs beside each other."""
    image = Image.new("RGB", (480, 360), (255, 255, 255))
    for place in range(4):
        part, source, licence = _photo(studio, rng, "photo", "portrait", "texture")
        image.paste(ImageOps.fit(part, (236, 176)), (place % 2 * 242, place // 2 * 182))
    return Drawn(image, "photograph", "scene", source, licence)


def portrait(studio: Studio, rng: Random) -> Drawn:
    """A face alone is no document."""
    if rng.random() < 0.5:
        image, source, licence = _photo(studio, rng, "portrait")
        return Drawn(image, "photograph", "scene", source, licence)
    return Drawn(face(rng).resize((300, 380), BILINEAR), "drawing", "scene")


def poster(studio: Studio, rng: Random) -> Drawn:
    """A few large words over a photograph."""
    image, source, licence = _photo(studio, rng, "photo", "texture")
    image = ImageOps.fit(image, (420, rng.choice((300, 420, 560))))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:7], rng.randint(34, 60), rng, bold=True)
    words = studio.people(rng).words(rng.randint(1, 3))
    for place, word in enumerate(words):
        where = (20, rng.randint(10, 40) + place * 70)
        pen.text(
            where,
            word.upper(),
            font=font,
            fill=(255, 255, 255),
            stroke_width=2,
            stroke_fill=(0, 0, 0),
        )
    return Drawn(image, "photograph", "scene", source, licence)


def _blend(rng: Random, size: tuple[int, int], across: int, down: int) -> Image.Image:
    levels = dice(rng).integers(0, 255, (down, across, 3)).astype(np.uint8)
    return Image.fromarray(levels, "RGB").resize(size, Image.Resampling.BICUBIC)


def gradient(studio: Studio, rng: Random) -> Drawn:
    return Drawn(_blend(rng, (400, 300), rng.randint(1, 3), rng.randint(2, 3)), "pattern", "scene")


def plasma(studio: Studio, rng: Random) -> Drawn:
    """Clouds of colour at several scales."""
    image = _blend(rng, (400, 300), 3, 3)
    for scale in (6, 14, 40):
        image = Image.blend(image, _blend(rng, (400, 300), scale, scale), 0.4)
    return Drawn(image, "pattern", "scene")


def noise(studio: Studio, rng: Random) -> Drawn:
    ground: Colour = (rng.randint(0, 255), rng.randint(0, 255), rng.randint(0, 255))
    image = noisy(Image.new("RGB", (256, 256), ground), rng, rng.uniform(20, 120))
    if rng.random() < 0.4:
        image = image.convert("L").convert("RGB")
    return Drawn(
        image.resize((320, 320), rng.choice((BILINEAR, Image.Resampling.NEAREST))),
        "pattern",
        "scene",
    )


def waves(studio: Studio, rng: Random) -> Drawn:
    x, y = np.meshgrid(np.linspace(0, 1, 300), np.linspace(0, 1, 300))
    layers = [
        np.sin(rng.uniform(4, 60) * (x * math.cos(turn) + y * math.sin(turn)))
        for turn in (rng.uniform(0, 3.1) for _ in "rgb")
    ]
    return Drawn(
        Image.fromarray(((np.stack(layers, 2) + 1) * 127).astype(np.uint8), "RGB"),
        "pattern",
        "scene",
    )


def fractal(studio: Studio, rng: Random) -> Drawn:
    """A piece of a Julia set."""
    x, y = np.meshgrid(np.linspace(-1.5, 1.5, 260), np.linspace(-1.2, 1.2, 200))
    z = x + 1j * y
    c = complex(rng.uniform(-0.85, -0.3), rng.uniform(0.1, 0.7))
    count = np.zeros(z.shape)
    for _ in range(40):
        inside = np.abs(z) < 2
        count += inside
        z = np.where(inside, z * z + c, z)
    levels = np.stack([count * rng.uniform(1, 6.3) for _ in "rgb"], 2)
    return Drawn(
        Image.fromarray(levels.astype(np.uint8), "RGB").resize((390, 300), BILINEAR),
        "pattern",
        "scene",
    )


def stripes(studio: Studio, rng: Random) -> Drawn:
    image = Image.new("RGB", (360, 300), any_colour(rng))
    pen = ImageDraw.Draw(image)
    step, lean = rng.randint(10, 50), rng.randint(-200, 200)
    for x in range(-300, 660, step * 2):
        pen.polygon(
            [(x, 0), (x + step, 0), (x + step + lean, 300), (x + lean, 300)],
            fill=any_colour(rng) if rng.random() < 0.2 else (240, 240, 235),
        )
    return Drawn(image, "pattern", "scene")


def mosaic(studio: Studio, rng: Random) -> Drawn:
    count = rng.randint(5, 18)
    levels = dice(rng).integers(0, 255, (count, count, 3)).astype(np.uint8)
    return Drawn(
        Image.fromarray(levels, "RGB").resize((340, 340), Image.Resampling.NEAREST),
        "pattern",
        "scene",
    )


def shapes(studio: Studio, rng: Random) -> Drawn:
    image = Image.new("RGB", (400, 320), any_colour(rng))
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(3, 40)):
        x, y, size = rng.randint(-20, 400), rng.randint(-20, 320), rng.randint(10, 160)
        box = (x, y, x + size, y + int(size * rng.uniform(0.4, 1.4)))
        what = rng.choice((pen.ellipse, pen.rectangle))
        what(box, fill=any_colour(rng))
    return Drawn(image, "drawing", "scene")


def _glyph(studio: Studio, rng: Random) -> Image.Image:
    font = studio.fonts.get("emoji", 120)
    sign = chr(rng.choice(rng.choice(EMOJI[studio.split])))
    image = Image.new("RGBA", (170, 170), (0, 0, 0, 0))
    ImageDraw.Draw(image).text((85, 85), sign, font=font, fill=any_colour(rng), anchor="mm")
    return image


def icon(studio: Studio, rng: Random) -> Drawn:
    """One pictogram on a plain ground."""
    ground = rng.choice(((255, 255, 255), (250, 240, 220), any_colour(rng)))
    image = Image.new("RGB", (300, 300), ground)
    sign = _glyph(studio, rng).resize((rng.randint(120, 290), rng.randint(120, 270)), BILINEAR)
    image.paste(sign, ((300 - sign.width) // 2, (300 - sign.height) // 2), sign)
    return Drawn(image, "icon", "scene")


def icons(studio: Studio, rng: Random) -> Drawn:
    """Many of them, as stickers on a surface."""
    image = surface((420, 320), rng)
    for _ in range(rng.randint(4, 16)):
        sign = _glyph(studio, rng).rotate(rng.uniform(-40, 40), BILINEAR, expand=True)
        sign.thumbnail((rng.randint(40, 130),) * 2)
        image.paste(sign, (rng.randint(-20, 380), rng.randint(-20, 280)), sign)
    if rng.random() < 0.3:
        font = studio.fonts.any(SERIF[:3], 40, rng)
        ImageDraw.Draw(image).text(
            (30, 130), studio.people(rng).word(), font=font, fill=any_colour(rng)
        )
    return Drawn(image, "icon", "scene")
