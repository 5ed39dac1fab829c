"""How the lines of a terminal come onto a screen, and more colours for it."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import MONO, Font
from build_engines.pictures.picture import Split
from build_engines.pictures.screens import Line, Session
from build_engines.pictures.studio import Studio

Colour = tuple[int, int, int]
# As in terminal.py: ground, plain ink, red, green, yellow, blue, magenta, cyan, dim, bright.
# A line of colours stands in one split.
SCHEMES: dict[Split, tuple[str, ...]] = {
    "train": (
        "0c0c0c cccccc e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 767676 f2f2f2",
        "1d1f21 c5c8c6 cc6666 b5bd68 f0c674 81a2be b294bb 8abeb7 969896 ffffff",
        "fafafa 333333 d70000 008700 af5f00 005fd7 8700af 00878f 999999 000000",
        "fffff0 3a3432 db2d20 01a252 b88f00 01a0e4 a16a94 3e8fa5 8a8582 111111",
        "10141c bfbdb6 f07178 aad94c e6b450 59c2ff d2a6ff 95e6cb 565b66 ffffff",
        "1a1b26 a9b1d6 f7768e 9ece6a e0af68 7aa2f7 bb9af7 7dcfff 565f89 c0caf5",
        "202020 aaaaaa aa0000 00aa00 aa5500 5555ff aa00aa 00aaaa 555555 ffffff",
        "eeeeee 444444 af0000 5f8700 875f00 0087af 8700af 005f87 9a9a9a 1c1c1c",
    ),
    "validation": (
        "191724 e0def4 eb6f92 31748f f6c177 9ccfd8 c4a7e7 ebbcba 6e6a86 ffffff",
        "f2f2f2 40404c c4384b 3a8a3a a07a10 3355cc 9a3a9a 2a8a8a 8c8c94 101018",
    ),
    "test": (),
}


def scheme(studio: Studio, rng: Random, *, light: bool | None = None) -> list[Colour]:
    """Ten colours of the studio's split; `light` asks for a light or a dark ground."""
    choices = [palette(text) for text in SCHEMES[studio.split]]
    if light is not None:
        choices = [one for one in choices if (sum(one[0]) > 384) is light]
    return rng.choice(choices)


def palette(text: str) -> list[Colour]:
    colours = []
    for one in text.split():
        red, green, blue = bytes.fromhex(one)
        colours.append((red, green, blue))
    return colours


def write(
    pen: ImageDraw.ImageDraw,
    lines: list[Line],
    colours: list[Colour],
    font: Font,
    place: tuple[int, int],
    bottom: int,
    *,
    cursor: bool = True,
) -> int:
    """Writes lines from `place` down, none below `bottom`; gives the y below the last one."""
    left, y = place
    step, width = int(font.size * 1.3), font.getlength("m")
    for line in lines:
        if y > bottom - step:
            break
        x = float(left)
        for text, colour in line:
            if text.strip():
                pen.text((x, y), text, font=font, fill=colours[colour + 1])
            x += width * len(text)
        y += step
    if cursor:
        pen.rectangle((left, y, left + width, y + step - 3), fill=colours[1])
    return y


def filled(
    studio: Studio,
    rng: Random,
    size: tuple[int, int],
    colours: list[Colour],
    sessions: tuple[Session, ...],
    points: int = 13,
) -> Image.Image:
    """A screen with one or more sessions, sometimes with room below."""
    image = Image.new("RGB", size, colours[0])
    font = studio.fonts.any(MONO[studio.split], max(8, points + rng.randint(-3, 4)), rng)
    pen, y = ImageDraw.Draw(image), 6
    while y < size[1] - 40:
        lines = rng.choice(sessions)(rng, studio.people(rng))
        y = write(pen, lines, colours, font, (8, y), size[1])
        if rng.random() < 0.3:
            break
    return image
