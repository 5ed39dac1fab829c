"""What the newer test templates share: desks, fingers, phones, laptops, heads, running text."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from build_engines.pictures.fonts import Font
from build_engines.pictures.studio import Studio, dice

Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]
CUBIC = Image.Resampling.BICUBIC

_DESKS = (
    (150, 104, 66),
    (92, 62, 40),
    (196, 164, 124),
    (208, 206, 200),
    (60, 64, 72),
    (122, 132, 120),
    (228, 224, 216),
)
SKINS = ((238, 198, 168), (222, 170, 134), (188, 126, 90), (132, 82, 54), (90, 58, 42))


class Brush:
    """A picture to draw on, and the fonts to write on it with."""

    def __init__(self, studio: Studio, image: Image.Image) -> None:
        self.studio, self.image, self.pen = studio, image, ImageDraw.Draw(image)

    def say(
        self,
        place: tuple[float, float],
        text: str,
        size: int = 14,
        fill: Colour = (30, 32, 40),
        *,
        face: str = "lato",
        bold: bool = False,
        right: bool = False,
    ) -> float:
        """One line at its upper left corner, or at its upper right one; gives the x behind it."""
        font = self.studio.fonts.get(face, size, bold=bold)
        x = place[0] - (font.getlength(text) if right else 0)
        self.pen.text((x, place[1]), text, font=font, fill=fill)
        return x + font.getlength(text)


def desk(rng: Random, size: tuple[int, int]) -> Image.Image:
    """Planks, cloth, stone or a plain plate, darker towards one corner."""
    width, height = size[0] // 2, size[1] // 2
    rough, spread = rng.choice(
        (
            ((height // 2, 7), 13),
            ((7, width // 2), 13),
            ((height // 2, width // 2), 9),
            ((height // 10, width // 10), 12),
            ((3, 3), 4),
        )
    )
    die = dice(rng)
    small = np.clip(128 + die.normal(0, spread, rough), 0, 255).astype(np.uint8)
    grain = np.asarray(Image.fromarray(small, "L").resize((width, height), CUBIC), np.float32)
    grain = grain - 128
    light = np.linspace(rng.uniform(0.7, 1), rng.uniform(0.85, 1.1), width)[None, :]
    light = light * np.linspace(rng.uniform(0.75, 1), rng.uniform(0.85, 1.1), height)[:, None]
    colour = np.array(rng.choice(_DESKS), np.float32)
    levels = (colour + grain[..., None]) * light[..., None]
    image = Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8), "RGB").resize(size, CUBIC)
    if rough[1] == 7:
        pen = ImageDraw.Draw(image)
        dark = tuple(int(one * 0.55) for one in np.asarray(image)[2, 2])
        for y in range(rng.randint(20, 90), size[1], rng.randint(90, 150)):
            pen.line((0, y, size[0], y), fill=dark, width=2)
    return image


def laid(
    thing: Image.Image,
    rng: Random,
    size: tuple[int, int] = (560, 460),
    *,
    fill: float = 0.86,
    turn: float = 7.0,
    back: Image.Image | None = None,
) -> Image.Image:
    """The thing on a desk, turned by some degrees, above its shadow."""
    back = desk(rng, size) if back is None else back.resize(size, CUBIC)
    scale = fill * min(size[0] / thing.width, size[1] / thing.height)
    small = thing.convert("RGBA").resize(
        (max(1, int(thing.width * scale)), max(1, int(thing.height * scale))), CUBIC
    )
    turned = small.rotate(rng.gauss(0, turn), CUBIC, expand=True)
    left = (size[0] - turned.width) // 2 + rng.randint(-16, 16)
    top = (size[1] - turned.height) // 2 + rng.randint(-14, 14)
    layer = Image.new("L", size, 0)
    layer.paste(turned.getchannel("A"), (left + rng.randint(-5, 5), top + rng.randint(2, 9)))
    shade = layer.filter(ImageFilter.BoxBlur(rng.uniform(3, 8))).point(lambda one: int(one * 0.5))
    back.paste((14, 12, 10), (0, 0), shade)
    back.paste(turned.convert("RGB"), (left, top), turned.getchannel("A"))
    return back


def thumbed(image: Image.Image, rng: Random, *, low: float = 0.86) -> Image.Image:
    """A hand holds it at the lower edge: a thumb in front, fingers at the other side."""
    width, height = image.size
    skin = rng.choice(SKINS)
    dark = tuple(int(one * 0.78) for one in skin)
    nail = tuple(min(255, int(one * 1.07) + 6) for one in skin)
    layer = Image.new("RGBA", image.size, (*skin, 0))
    pen = ImageDraw.Draw(layer)
    thick = width // 9
    tip = (int(width * rng.uniform(0.62, 0.74)), int(height * low))
    root = (int(width * rng.uniform(0.9, 1.05)), height + 30)
    for ink, wide in ((dark, thick + 8), (skin, thick)):
        pen.line((*root, *tip), fill=(*ink, 255), width=wide)
        half = wide // 2
        pen.ellipse((tip[0] - half, tip[1] - half, tip[0] + half, tip[1] + half), fill=(*ink, 255))
    size = thick // 3
    pen.ellipse((tip[0] - size, tip[1] - size - 4, tip[0] + size, tip[1] + size), fill=(*nail, 255))
    for place in range(3):
        x, y = int(width * (0.02 + 0.02 * place)), int(height * (0.72 + place * 0.11))
        pen.ellipse((x - thick, y - thick // 2, x + thick // 2, y + thick // 2), fill=(*dark, 255))
    layer = layer.filter(ImageFilter.BoxBlur(1.2))
    held = image.convert("RGBA")
    held.alpha_composite(layer)
    return held.convert("RGB")


def phone(content: Image.Image, studio: Studio, rng: Random, *, dark: bool) -> Image.Image:
    """A screen shot of a phone: its clock and battery above what is shown."""
    ground, ink = ((0, 0, 0), (240, 240, 240)) if dark else ((250, 250, 250), (20, 20, 20))
    image = Image.new("RGB", (content.width, content.height + 44), ground)
    image.paste(content, (0, 24))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.get("roboto", 13, bold=True)
    pen.text((18, 4), f"{rng.randint(0, 23)}:{rng.randint(0, 59):02}", font=font, fill=ink)
    right = image.width - 16
    pen.rounded_rectangle((right - 24, 7, right, 18), 3, outline=ink)
    pen.rectangle((right - 22, 9, right - 22 + rng.randint(4, 20), 16), fill=ink)
    for place in range(4):
        x = right - 58 + place * 6
        pen.rectangle((x, 15 - place * 3, x + 3, 18), fill=ink)
    middle = image.width // 2
    pen.rounded_rectangle((middle - 50, image.height - 10, middle + 50, image.height - 6), 2, ink)
    return image


def laptop(screen: Image.Image, rng: Random) -> Image.Image:
    """A photograph of a laptop that shows it, a part of the keyboard below."""
    back = desk(rng, (600, 480))
    pen = ImageDraw.Draw(back)
    body = rng.choice(((46, 46, 50), (176, 178, 182), (110, 112, 118)))
    pen.rounded_rectangle((34, 12, 566, 366), 10, fill=(16, 16, 18))
    back.paste(screen.convert("RGB").resize((508, 326), CUBIC), (46, 26))
    pen.polygon(((30, 366), (570, 366), (600, 480), (0, 480)), fill=body)
    for row in range(4):
        y = 384 + row * 22
        left, right = 52 - row * 5, 548 + row * 5
        step = (right - left) / 14
        for key in range(14):
            x = left + key * step
            pen.rounded_rectangle((x, y, x + step - 4, y + 17), 3, fill=(28, 28, 30))
    glare = Image.new("L", back.size, 0)
    x = rng.randint(60, 380)
    ImageDraw.Draw(glare).polygon(((x, 26), (x + 90, 26), (x - 20, 352), (x - 130, 352)), fill=26)
    back.paste((255, 255, 255), (0, 0), glare.filter(ImageFilter.BoxBlur(12)))
    return back.rotate(rng.gauss(0, 3), CUBIC, fillcolor=tuple(one // 2 for one in body))


def head(rng: Random) -> Image.Image:
    """Head and shoulders of nobody, lit from one side, 160 by 200 px."""
    wall = rng.choice(((236, 238, 242), (206, 216, 226), (226, 222, 214), (188, 204, 220)))
    image = Image.new("RGB", (160, 200), wall)
    pen = ImageDraw.Draw(image)
    skin, hair = rng.choice(SKINS), rng.choice(((28, 22, 20), (84, 54, 34), (168, 130, 78)))
    dark = tuple(int(one * 0.8) for one in skin)
    coat = tuple(rng.randint(20, 120) for _ in "rgb")
    half = rng.randint(32, 38)
    if rng.random() < 0.5:
        pen.rounded_rectangle((80 - half - 10, 30, 80 + half + 10, 168), 40, fill=hair)
    pen.rounded_rectangle((10, 152, 150, 260), 46, fill=coat)
    pen.rectangle((64, 120, 96, 162), fill=dark)
    pen.polygon(((62, 154), (98, 154), (80, 186)), fill=(244, 244, 246))
    pen.ellipse((80 - half - 3, 28, 80 + half + 3, 104), fill=hair)
    pen.ellipse((80 - half, 40, 80 + half, 144), fill=skin)
    pen.chord((80 - half, 36, 80 + half, 84), 190, 350, fill=hair)
    for x in (66, 94):
        pen.ellipse((x - 6, 85, x + 6, 91), fill=(248, 246, 244))
        pen.ellipse((x - 3, 85, x + 3, 91), fill=(40, 30, 26))
        pen.arc((x - 9, 74, x + 9, 90), 200, 340, fill=hair, width=3)
    pen.line((81, 90, 77, 110, 83, 112), fill=dark, width=2)
    pen.chord((68, 116, 92, 128), 0, 180, fill=(164, 84, 80))
    small = Image.new("L", (2, 1))
    small.putdata([255, rng.randint(170, 225)])
    light = small.resize(image.size, CUBIC)
    image = ImageChops.multiply(image, Image.merge("RGB", (light,) * 3))
    return image.filter(ImageFilter.GaussianBlur(1.2))


def running(
    pen: ImageDraw.ImageDraw, text: str, font: Font, box: Box, fill: Colour, step: int = 0
) -> int:
    """Words from the top of the box, broken at its right edge; gives the y below them."""
    left, y, right, bottom = box
    step = step or int(font.size * 1.4)
    line, long, space = "", 0.0, font.getlength(" ")
    for word in text.split():
        wide = font.getlength(word)
        if line and long + space + wide > right - left:
            if y + step > bottom:
                return y
            pen.text((left, y), line, font=font, fill=fill)
            y, line, long = y + step, word, wide
        else:
            line, long = f"{line} {word}".strip(), long + space + wide
    if y + step <= bottom:
        pen.text((left, y), line, font=font, fill=fill)
    return y + step


def curls(image: Image.Image, rng: Random, box: Box, ink: Colour) -> None:
    """Fine security lines that cross each other."""
    pen = ImageDraw.Draw(image)
    left, top, right, bottom = box
    for turn in range(rng.randint(10, 16)):
        shift = turn * (bottom - top) / 10
        points = [
            (x, top + (shift + 18 * math.sin(x / 23 + turn / 2)) % (bottom - top))
            for x in range(left, right, 6)
        ]
        for a, b in zip(points, points[1:], strict=False):
            if abs(a[1] - b[1]) < 30:
                pen.line((*a, *b), fill=ink)


def rounded(card: Image.Image, radius: int = 18) -> Image.Image:
    mask = Image.new("L", card.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, card.width - 1, card.height - 1), radius, 255)
    card = card.convert("RGBA")
    card.putalpha(mask)
    return card
