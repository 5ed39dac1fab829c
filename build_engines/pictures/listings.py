"""Coloured source code and what stands round it in an editor."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from PIL import ImageDraw
from pygments.lexers import get_lexer_by_name
from pygments.styles import get_style_by_name
from pygments.token import _TokenType

from build_engines.pictures import codes
from build_engines.pictures.codes import Code
from build_engines.pictures.fonts import MONO, SANS, Font
from build_engines.pictures.picture import Split
from build_engines.pictures.studio import Studio

Colour = tuple[int, int, int]


# A style stands in one split.
STYLES: dict[Split, tuple[str, ...]] = {
    "train": (
        "default",
        "monokai",
        "solarized-light",
        "one-dark",
        "friendly",
        "vim",
        "xcode",
        "material",
        "github-dark",
        "vs",
        "native",
        "emacs",
    ),
    "validation": ("tango", "gruvbox-dark", "lovelace"),
    "test": ("dracula", "nord", "solarized-dark", "colorful", "gruvbox-light", "zenburn"),
}


@dataclass(frozen=True, slots=True)
class Look:
    """A style of pygments as colours."""

    inks: dict[Any, Colour]  # token: its colour
    ground: Colour
    ink: Colour

    @property
    def dark(self) -> bool:
        return sum(self.ground) < 384

    def colour(self, token: _TokenType) -> Colour:
        """Of a token; the style's word for its nearest parent where it has none for it."""
        while token is not None and token not in self.inks:
            token = token.parent
        return self.inks.get(token, self.ink)

    def shade(self, by: int) -> Colour:
        """The ground, away from or nearer to the ink."""
        step = by if self.dark else -by
        red, green, blue = (max(0, min(255, one + step)) for one in self.ground)
        return red, green, blue


def look(name: str) -> Look:
    style = get_style_by_name(name)
    ground = _colour(style.background_color.lstrip("#"))
    ink = (225, 225, 225) if sum(ground) < 384 else (30, 30, 30)
    inks = {token: _colour(one["color"]) for token, one in style if one["color"]}
    return Look(inks, ground, ink)


def _colour(text: str) -> Colour:
    if len(text) == 3:
        text = "".join(one * 2 for one in text)
    red, green, blue = bytes.fromhex(text)
    return red, green, blue


def chosen(studio: Studio, rng: Random, size: int = 13) -> tuple[Look, Font]:
    size += rng.randint(-2, 3)
    return look(rng.choice(STYLES[studio.split])), studio.fonts.any(MONO[studio.split], size, rng)


def write(
    pen: ImageDraw.ImageDraw, code: Code, seen: Look, font: Font, place: tuple[int, int]
) -> int:
    """Colours the code; gives the y below its last line."""
    left, y = place
    x = float(left)
    step = step_of(font)
    width = font.getlength("m")
    for token, text in get_lexer_by_name(code.language, stripnl=False).get_tokens(code.text):
        fill = seen.colour(token)
        for place_, piece in enumerate(text.split("\n")):
            if place_:
                x, y = float(left), y + step
            if piece.strip() and y < 900:
                pen.text((x, y), piece, font=font, fill=fill)
            x += width * len(piece)
    return y


def step_of(font: Font) -> int:
    return int(font.size * 1.4)


def numbers(
    pen: ImageDraw.ImageDraw, seen: Look, font: Font, place: tuple[int, int], count: int, first: int
) -> None:
    for line in range(count):
        text = f"{first + line:>4}"
        pen.text((place[0], place[1] + line * step_of(font)), text, font=font, fill=seen.shade(90))


def kind_of(code: Code) -> str:
    return "python" if code.language == "python" else ""


def change(seen: Look, mark: str) -> Colour:
    if seen.dark:
        return (24, 66, 36) if mark == "+" else (84, 30, 36)
    return (218, 251, 225) if mark == "+" else (255, 226, 224)


def tree(
    studio: Studio,
    rng: Random,
    pen: ImageDraw.ImageDraw,
    seen: Look,
    box: tuple[int, int, int, int],
) -> None:
    left, top, right, bottom = box
    if right - left < 20:
        return
    pen.rectangle(box, fill=seen.shade(14))
    font = studio.fonts.any(SANS[:5], 12, rng)
    people = studio.people(rng)
    for line in range((bottom - top) // 19):
        deep = rng.choice((0, 1, 1, 2))
        name = people.file_name() if deep else rng.choice(codes.NOUNS) + "s/"
        pen.text(
            (left + 8 + deep * 12, top + 6 + line * 19), name[:16], font=font, fill=seen.shade(130)
        )


def tabs(
    studio: Studio,
    rng: Random,
    pen: ImageDraw.ImageDraw,
    seen: Look,
    box: tuple[int, int, int, int],
    name: str,
) -> None:
    left, top, right, bottom = box
    pen.rectangle(box, fill=seen.shade(22))
    font = studio.fonts.any(SANS[:5], 12, rng)
    pen.rectangle((left, top, left + 130, bottom), fill=seen.ground)
    pen.text((left + 10, top + 6), f"{name[:16]}  ×", font=font, fill=seen.ink)
    for place in range(1, rng.randint(1, 4)):
        pen.text(
            (left + place * 134 + 10, top + 6),
            studio.people(rng).file_name()[:16],
            font=font,
            fill=seen.shade(110),
        )


def small_map(
    rng: Random, pen: ImageDraw.ImageDraw, seen: Look, box: tuple[int, int, int, int]
) -> None:
    """The page in little, on the right."""
    left, top, right, bottom = box
    pen.rectangle(box, fill=seen.shade(5))
    for y in range(top + 4, bottom - 4, 3):
        start = left + 6 + rng.choice((0, 6, 12))
        pen.line((start, y, start + rng.randint(0, 40), y), fill=seen.shade(80))


def status(
    studio: Studio,
    rng: Random,
    pen: ImageDraw.ImageDraw,
    box: tuple[int, int, int, int],
    code: Code,
) -> None:
    fill = rng.choice(((0, 122, 204), (104, 33, 122), (40, 44, 52), (220, 220, 220)))
    pen.rectangle(box, fill=fill)
    ink = (20, 20, 20) if sum(fill) > 500 else (255, 255, 255)
    text = f"main*   Ln {rng.randint(1, 900)}, Col {rng.randint(1, 80)}   UTF-8   {code.language}"
    pen.text((box[0] + 10, box[1] + 3), text, font=studio.fonts.any(SANS[:5], 11, rng), fill=ink)
