"""Written things of the validation split."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.pads import Pad
from build_engines.pictures.papers import fibres, lined, paper, white
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template
from build_engines.pictures.tabletops import laid


def index_card(studio: Studio, rng: Random) -> Drawn:
    """A card to learn from: a word above a red line, an explanation below."""
    size = rng.randint(20, 32)
    image = Image.new("RGB", (500, 310), white(rng))
    step = int(size * 1.4)
    lined(image, rng, rng.choice(("ruled", "plain")), step)
    ImageDraw.Draw(image).line((0, 2 * step, 500, 2 * step), fill=(220, 90, 100), width=2)
    pad = Pad(studio, rng, image, size)
    pad.line(pad.words(1, 2), rng.randint(30, 180), 1.7 * step)
    pad.block((24, 3 * step, 480, rng.randint(150, 300)), step)
    return Drawn(laid(pad.done("note").image, rng), "note", "scene")


def flip_chart(studio: Studio, rng: Random) -> Drawn:
    """A large sheet on an easel: thick pen, few lines, a bar at the top."""
    size = rng.randint(32, 52)
    image = fibres(Image.new("RGB", (430, 580), white(rng)), rng, 3)
    lined(image, rng, rng.choice(("plain", "squared")), size)
    pad = Pad(studio, rng, image, size, grain="marker")
    pad.line(pad.words(1, 2).title(), 50, size * 2)
    y = size * 3.6
    while y < 560:
        pad.use(rng.choice(((20, 20, 24), (30, 80, 170), (190, 40, 40), (30, 130, 60))))
        pad.line("- " + pad.words(1, 3), 40, y)
        y += size * 1.4
    pen = ImageDraw.Draw(pad.image)
    pen.rectangle((0, 0, 430, 22), fill=(80, 82, 88))
    return pad.done("board")


def lab_book(studio: Studio, rng: Random) -> Drawn:
    """Numbered lines, a table of measured values drawn by hand, a curve."""
    size = rng.randint(16, 24)
    step = int(size * 1.45)
    pad = Pad(studio, rng, paper(rng, (450, 580), step, kind="squared"), size)
    y = pad.block((36, 2 * step, 430, rng.randint(120, 220)), step)
    rows = rng.randint(3, 6)
    for row in range(rows):
        for column in range(3):
            pad.line(
                f"{rng.randint(0, 99)}.{rng.randint(0, 9)}", 50 + column * 110, y + (row + 1) * step
            )
        pad.stroke((40, y + (row + 1.25) * step), (370, y + (row + 1.25) * step), bent=False)
    for column in range(2):
        x = 140 + column * 110
        pad.stroke((x, y + 6), (x, y + (rows + 0.3) * step), bent=False)
    y += (rows + 1.5) * step
    if y < 470:
        pad.stroke((50, y), (50, 560), (360, 560), bent=False)
        pad.stroke(*((50 + place * 50, rng.uniform(y, 550)) for place in range(7)))
    return pad.done("sums")


def chat_by_pen(studio: Studio, rng: Random) -> Drawn:
    """A phone's drawing pad: dark or bright, a few written lines, bars above and below."""
    dark = rng.random() < 0.5
    image = Image.new("RGB", (330, 620), (18, 18, 20) if dark else (250, 250, 252))
    size = rng.randint(26, 40)
    ink = rng.choice(
        ((250, 250, 250), (250, 210, 80), (110, 220, 170))
        if dark
        else ((20, 20, 20), (40, 90, 220), (220, 50, 60))
    )
    pad = Pad(studio, rng, image, size, ink=ink, grain="marker")
    pad.block((24, 130, 316, rng.randint(260, 520)), size * 1.5)
    drawn = pad.done("tablet", "screen")
    pen = ImageDraw.Draw(drawn.image)
    bar = (40, 40, 44) if dark else (232, 233, 238)
    pen.rectangle((0, 0, 330, 70), fill=bar)
    pen.rectangle((0, 560, 330, 620), fill=bar)
    for place in range(5):
        x = 30 + place * 60
        pen.ellipse((x, 576, x + 28, 604), fill=tuple(rng.randint(40, 230) for _ in "rgb"))
    return drawn


def stapled_pages(studio: Studio, rng: Random) -> Drawn:
    """Dense writing on plain sheets lying on each other."""
    size = rng.randint(13, 20)
    step = size * rng.uniform(1.2, 1.6)
    pad = Pad(studio, rng, paper(rng, (430, 560), int(step), kind="plain"), size)
    pad.block((40, 2 * step, 410, 545), step)
    top = pad.done("letter").image.convert("RGBA")
    pile = Image.new("RGBA", (480, 600), (0, 0, 0, 0))
    under = Image.new("RGBA", top.size, (228, 226, 220, 255)).rotate(rng.gauss(0, 3), expand=True)
    pile.paste(under, (22, 20), under)
    pile.paste(top, (20, 18), top)
    pen = ImageDraw.Draw(pile)
    pen.line((34, 40, 60, 30), fill=(120, 120, 126, 255), width=3)
    return Drawn(laid(pile, rng), "letter", "scene")


SEEN: tuple[Template, ...] = (
    index_card,
    flip_chart,
    lab_book,
    chat_by_pen,
    stapled_pages,
)
