"""A printed page while it is set: headings, paragraphs, tables, in the script of its language."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.faces import scribble
from build_engines.pictures.fonts import SANS, SCRIPTS, SERIF, Font, joined
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio

Colour = tuple[int, int, int]


INK = (32, 32, 36)


# Faker's language: the script of its sentences.
LANGUAGES = {
    "en_US": "Latn",
    "de_DE": "Latn",
    "fr_FR": "Latn",
    "la": "Latn",
    "es_ES": "Latn",
    "ru_RU": "Cyrl",
    "el_GR": "Grek",
    "ja_JP": "Hani",
    "zh_CN": "Hani",
    "ar_AA": "Arab",
}


class Page:
    """A sheet and a pen; `y` is where the next line stands."""

    def __init__(
        self,
        studio: Studio,
        rng: Random,
        size: tuple[int, int] = (460, 640),
        ground: Colour | None = None,
    ) -> None:
        self.studio, self.rng = studio, rng
        level = rng.randint(243, 255)
        self.image = Image.new("RGB", size, ground or (level, level, level))
        self.pen = ImageDraw.Draw(self.image)
        self.language = rng.choice(("en_US",) * 6 + tuple(LANGUAGES))
        self.people = studio.people(rng, self.language)
        script = LANGUAGES[self.language]
        self.name = rng.choice(SERIF + SANS[:5]) if script == "Latn" else SCRIPTS[script]
        self.wide = script == "Hani"
        self.right_to_left = script == "Arab"
        self.accent: Colour = rng.choice(
            ((20, 60, 130), (130, 25, 35), (20, 100, 70), (60, 60, 60), (200, 90, 20))
        )
        self.margin = rng.randint(30, 52)
        self.y = float(rng.randint(24, 44))

    def font(self, size: int, *, bold: bool = False) -> Font:
        return self.studio.fonts.get(self.name, size, bold=bold)

    def line(
        self,
        text: str,
        size: int = 11,
        *,
        x: float | None = None,
        bold: bool = False,
        fill: Colour = INK,
        middle: bool = False,
    ) -> None:
        font = self.font(size, bold=bold)
        left = self.margin if x is None else x
        if middle:
            left = (self.image.width - font.getlength(joined(text))) / 2
        self.pen.text((left, self.y), joined(text), font=font, fill=fill)
        self.y += size * 1.45

    def heading(self, size: int = 20, *, middle: bool = False, fill: Colour | None = None) -> None:
        words = self.people.sentence(self.rng.randint(2, 5)).rstrip(".。")
        self.line(
            words[: int((self.image.width - 2 * self.margin) / size * (1.0 if self.wide else 1.8))],
            size,
            bold=True,
            middle=middle,
            fill=fill or INK,
        )
        self.y += size * 0.4

    def text(
        self, left: float, right: float, bottom: float, size: int = 10, *, fill: Colour = INK
    ) -> None:
        """Paragraphs down to `bottom`, broken at spaces, or anywhere where there are none."""
        font, step = self.font(size), size * 1.4
        while self.y < bottom - step:
            words = self._words()
            line, wide = "", 0.0
            for word in words:
                more = font.getlength(word)
                if wide + more > right - left:
                    self._put(line, left, right, font, fill)
                    line, wide = "", 0.0
                    self.y += step
                    if self.y > bottom - step:
                        return
                line, wide = line + word, wide + more
            self._put(line, left, right, font, fill)
            self.y += step * self.rng.choice((1, 1.6))

    def _words(self) -> list[str]:
        text = self.people.paragraph(self.rng.randint(4, 9))
        return list(text) if self.wide else [f"{word} " for word in text.split()]

    def _put(self, line: str, left: float, right: float, font: Font, fill: Colour) -> None:
        line = joined(line.strip())
        x = right - font.getlength(line) if self.right_to_left else left
        self.pen.text((x, self.y), line, font=font, fill=fill)

    def rule(self, *, fill: Colour | None = None, width: int = 1) -> None:
        self.pen.line(
            (self.margin, self.y, self.image.width - self.margin, self.y),
            fill=fill or self.accent,
            width=width,
        )
        self.y += 8

    def grid(self, columns: int, rows: int, *, shaded: bool = True, height: int = 18) -> None:
        left, right = self.margin, self.image.width - self.margin
        step = (right - left) / columns
        for row in range(rows):
            top = self.y + row * height
            if row == 0 or (shaded and row % 2 == 0):
                fill = self.accent if row == 0 else (236, 239, 244)
                self.pen.rectangle((left, top, right, top + height), fill=fill)
            for column in range(columns):
                value = (
                    self.people.last_name() if column == 0 else f"{self.rng.uniform(0, 9999):,.2f}"
                )
                text = self.people.city()[:9] if row == 0 else value[:11]
                ink = (255, 255, 255) if row == 0 else INK
                self.pen.text(
                    (left + column * step + 5, top + 3), joined(text), font=self.font(10), fill=ink
                )
            if not shaded:
                self.pen.line((left, top, right, top), fill=(150, 150, 150))
        self.y += rows * height + 12

    def logo(self, x: float, y: float, size: float) -> None:
        if self.rng.random() < 0.5:
            self.pen.ellipse((x, y, x + size, y + size), fill=self.accent)
        else:
            self.pen.polygon(
                [(x, y + size), (x + size / 2, y), (x + size, y + size)], fill=self.accent
            )

    def signed(self) -> None:
        scribble(self.pen, self.rng, (self.margin, int(self.y)), (120, 28), (20, 25, 90))
        self.y += 40
        self.line(self.people.name(), 10)

    def done(self, kind: str, shot: str = "paper") -> Drawn:
        return Drawn(self.image, kind, "screen" if shot == "screen" else "paper")
