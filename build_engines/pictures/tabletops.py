"""Things as they lie before a phone: on boards, stone or cloth, beside a pen, a cup, a keyboard."""

from __future__ import annotations

from random import Random

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from build_engines.pictures.pages import Page
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import dice

Colour = tuple[int, int, int]
SIDE = 560  # px, the longer side of a scene


def wood(size: tuple[int, int], rng: Random) -> Image.Image:
    """Boards with grain along them."""
    base = np.array(rng.choice(((176, 130, 86), (120, 82, 52), (206, 176, 136), (84, 62, 48))))
    boards = rng.randint(2, 5)
    rows = dice(rng).normal(0, 13, (size[1] // 2 + 1, 5))
    rows += np.repeat(dice(rng).normal(0, 14, (boards, 1)), -(-len(rows) // boards), 0)[: len(rows)]
    grain = np.clip(base + rows[..., None], 0, 255).astype(np.uint8)
    image = Image.fromarray(grain, "RGB").resize(size, Image.Resampling.BICUBIC)
    pen = ImageDraw.Draw(image)
    for place in range(1, boards):
        y = size[1] * place // boards
        pen.line((0, y, size[0], y), fill=tuple(int(one) // 2 for one in base), width=2)
    return image


def stone(size: tuple[int, int], rng: Random) -> Image.Image:
    """A speckled worktop or terrazzo."""
    level = rng.randint(60, 225)
    image = Image.new("RGB", size, (level, level, level + rng.randint(-12, 6)))
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(200, 700)):
        x, y, r = rng.randint(0, size[0]), rng.randint(0, size[1]), rng.choice((1, 1, 1, 2, 4))
        shade = max(0, min(255, level + rng.randint(-60, 60)))
        pen.ellipse((x, y, x + r, y + r), fill=(shade, shade, shade))
    return image


def cloth(size: tuple[int, int], rng: Random) -> Image.Image:
    """Woven: stripes or checks in two colours."""
    first, second = (tuple(rng.randint(40, 230) for _ in "rgb") for _ in "ab")
    image, step = Image.new("RGB", size, first), rng.choice((14, 24, 40))
    over = Image.new("L", size, 0)
    pen = ImageDraw.Draw(over)
    for x in range(0, size[0], 2 * step):
        pen.rectangle((x, 0, x + step, size[1]), fill=90)
    if rng.random() < 0.5:
        for y in range(0, size[1], 2 * step):
            pen.rectangle((0, y, size[0], y + step), fill=110)
    image.paste(second, (0, 0), over)
    return image


def _pen(pen: ImageDraw.ImageDraw, rng: Random, size: tuple[int, int]) -> None:
    x, y = rng.randint(0, size[0]), rng.choice((rng.randint(0, 40), size[1] - rng.randint(0, 40)))
    u, v = x + rng.randint(-240, 240), y + rng.randint(-60, 60)
    colour = tuple(rng.randint(0, 230) for _ in "rgb")
    pen.line((x + 4, y + 6, u + 4, v + 6), fill=(20, 20, 20), width=9)
    pen.line((x, y, u, v), fill=colour, width=9)
    pen.line((x, y - 2, u, v - 2), fill=tuple(min(255, one + 60) for one in colour), width=2)


def _cup(pen: ImageDraw.ImageDraw, rng: Random, size: tuple[int, int]) -> None:
    x, y, r = rng.choice((0, size[0])), rng.choice((0, size[1])), rng.randint(50, 90)
    light = rng.randint(190, 250)
    pen.ellipse((x - r, y - r, x + r, y + r), fill=(light, light, light))
    r = int(r * 0.82)
    pen.ellipse((x - r, y - r, x + r, y + r), fill=rng.choice(((70, 42, 26), (150, 90, 40))))


def _keys(pen: ImageDraw.ImageDraw, rng: Random, size: tuple[int, int]) -> None:
    level = rng.choice((40, 225))
    pen.rectangle((0, 0, size[0], 54), fill=(level, level, level))
    for row in range(2):
        for x in range(4 + row * 8, size[0], 26):
            pen.rounded_rectangle(
                (x, 6 + row * 24, x + 22, 26 + row * 24), 3, fill=(level - 28,) * 3
            )


def _fingers(pen: ImageDraw.ImageDraw, rng: Random, size: tuple[int, int]) -> None:
    skin = rng.choice(((226, 178, 148), (190, 138, 104), (120, 80, 58), (240, 200, 172)))
    left = rng.random() < 0.5
    x, y = (0 if left else size[0]), int(size[1] * rng.uniform(0.55, 0.85))
    long, thick = rng.randint(70, 120), rng.randint(34, 46)
    box = (x - long, y, x + long, y + thick)
    pen.rounded_rectangle(box, thick // 2, fill=skin, outline=tuple(one - 30 for one in skin))
    tip = x + long - 26 if left else x - long + 4
    pen.ellipse((tip, y + 9, tip + 22, y + thick - 9), fill=tuple(min(255, c + 16) for c in skin))


def laid(thing: Image.Image, rng: Random, *, held: bool = False) -> Image.Image:
    """The thing on a table, turned a little, with its shadow and what lies about; RGB."""
    scale = SIDE * rng.uniform(0.72, 0.95) / max(thing.size)
    wide, high = max(1, int(thing.width * scale)), max(1, int(thing.height * scale))
    size = min(SIDE, int(wide * rng.uniform(1.15, 1.7)) + 60), min(SIDE, int(high * 1.2) + 30)
    back = rng.choice((wood, wood, stone, cloth))(size, rng)
    pen = ImageDraw.Draw(back)
    for prop in rng.sample((_pen, _cup, _keys), rng.choice((0, 1, 1, 2))):
        prop(pen, rng, size)
    small = thing.convert("RGBA").resize((wide, high), Image.Resampling.BILINEAR)
    turned = small.rotate(rng.gauss(0, 7), Image.Resampling.BICUBIC, expand=True)
    x, y = (size[0] - turned.width) // 2, (size[1] - turned.height) // 2
    x += rng.randint(-12, 12)
    alpha = turned.getchannel("A")
    shade = alpha.filter(ImageFilter.BoxBlur(5)).point(lambda level: level * 0.5)
    back.paste((10, 8, 6), (x + rng.randint(-5, 5), y + rng.randint(2, 8)), shade)
    back.paste(turned.convert("RGB"), (x, y), alpha)
    if held or rng.random() < 0.12:
        _fingers(ImageDraw.Draw(back), rng, size)
    return _light(back, rng)


def lying(page: Page, rng: Random, kind: str, odds: float = 0.35) -> Drawn:
    """A printed page as it is, or on a table."""
    if rng.random() < odds:
        return Drawn(laid(page.image, rng), kind, "scene")
    return page.done(kind)


def _light(image: Image.Image, rng: Random) -> Image.Image:
    levels = dice(rng).uniform(150, 262, (2, 3))
    light = Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8), "L")
    light = light.resize(image.size, Image.Resampling.BICUBIC)
    return ImageChops.multiply(image, Image.merge("RGB", (light,) * 3))
