"""What makes a hand of a script font.

Drifting lines, uneven sizes and spaces, a warped sheet, ink that fades, words struck out.
"""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.fonts import HAND
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio

Colour = tuple[int, int, int]


INKS = ((25, 35, 110), (20, 20, 25), (40, 60, 140), (120, 30, 35), (70, 70, 75), (20, 80, 60))


# Scripts that a font of the hand writes, as Faker's languages.
SPEAKS = {
    "caveat": ("en_US", "ru_RU", "de_DE", "fr_FR"),
    "kalam": ("en_US", "en_GB"),
    "indie_flower": ("en_US", "es_ES"),
}


class Hand:
    """One writer: a font, a size, an ink, habits."""

    def __init__(
        self, studio: Studio, rng: Random, size: int = 30, ink: Colour | None = None
    ) -> None:
        self.studio, self.rng = studio, rng
        self.name = rng.choice(HAND[studio.split])
        self.size = int(size * rng.uniform(0.8, 1.25))
        self.ink = ink or rng.choice(INKS)
        self.drift = rng.uniform(-0.02, 0.02)
        self.people = studio.people(rng, rng.choice(SPEAKS.get(self.name, ("en_US",))))

    def line(
        self, image: Image.Image, place: tuple[float, float], text: str, right: float | None = None
    ) -> float:
        """Writes words one by one; gives the x behind the last."""
        pen = ImageDraw.Draw(image)
        x, y = place
        limit = right or image.width - 12
        for word in text.split():
            font = self.studio.fonts.get(self.name, self.size + self.rng.randint(-1, 1))
            wide = font.getlength(word)
            if x + wide > limit:
                break
            ink = tuple(max(0, min(255, one + self.rng.randint(-14, 24))) for one in self.ink)
            low = y + self.drift * (x - place[0]) + self.rng.gauss(0, 0.9)
            pen.text((x, low), word, font=font, fill=ink)
            if self.rng.random() < 0.015:
                pen.line(
                    (x, low + self.size * 0.75, x + wide, low + self.size * 0.65), fill=ink, width=2
                )
            x += wide + font.getlength("n") * self.rng.uniform(0.45, 0.9)
        return x

    def block(
        self, image: Image.Image, box: tuple[float, float, float, float], step: float
    ) -> float:
        """Sentences from the top of the box to its end; gives the y below."""
        left, y, right, bottom = box
        words = self.people.paragraph(30).split()
        while y < bottom and words:
            count = self.rng.randint(3, 8)
            self.line(image, (left + self.rng.gauss(0, 3), y), " ".join(words[:count]), right)
            words = words[count:]
            y += step
        return y


def sheet(rng: Random, size: tuple[int, int], paper: Colour | None = None) -> Image.Image:
    if paper is None:
        level = rng.randint(232, 254)
        paper = (level, level, level - rng.randint(0, 22))
    return Image.new("RGB", size, paper)


def ruled(
    image: Image.Image, step: int, ink: Colour, *, squares: bool = False, margin: bool = False
) -> None:
    pen = ImageDraw.Draw(image)
    for y in range(step, image.height, step):
        pen.line((0, y, image.width, y), fill=ink)
    if squares:
        for x in range(step, image.width, step):
            pen.line((x, 0, x, image.height), fill=ink)
    if margin:
        pen.line((46, 0, 46, image.height), fill=(225, 130, 130), width=1)


def warped(image: Image.Image, rng: Random) -> Image.Image:
    """The sheet is not flat, the hand not straight: each cell of a mesh is bent a little."""
    count, bend = 5, rng.uniform(0.5, 4)
    width, height = image.size
    points = {
        (i, j): (
            width * i / count + (rng.uniform(-bend, bend) if 0 < i < count else 0),
            height * j / count + (rng.uniform(-bend, bend) if 0 < j < count else 0),
        )
        for i in range(count + 1)
        for j in range(count + 1)
    }
    mesh = []
    for i in range(count):
        for j in range(count):
            box = tuple(
                int(one)
                for one in (
                    width * i / count,
                    height * j / count,
                    width * (i + 1) / count,
                    height * (j + 1) / count,
                )
            )
            corners = points[i, j] + points[i, j + 1] + points[i + 1, j + 1] + points[i + 1, j]
            mesh.append((box, corners))
    bent = image.transform(image.size, Image.Transform.MESH, mesh, Image.Resampling.BILINEAR)
    return bent.filter(ImageFilter.GaussianBlur(0.5)) if rng.random() < 0.5 else bent


def done(image: Image.Image, rng: Random, kind: str) -> Drawn:
    return Drawn(warped(image, rng), kind, "paper")
