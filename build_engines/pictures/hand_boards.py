"""Writing on boards, sticky notes, tablets, cardboard, envelopes. All of train."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.hand_ideas import FORMULAE
from build_engines.pictures.pads import PENS, Pad
from build_engines.pictures.papers import Colour, fibres, lined, tinted
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, dice
from build_engines.pictures.tabletops import laid

BRIGHT: tuple[Colour, ...] = (
    (20, 60, 170),
    (200, 30, 40),
    (15, 130, 70),
    (20, 20, 24),
    (230, 120, 20),
    (120, 40, 150),
)
NOTES: tuple[Colour, ...] = (
    (255, 238, 120),
    (255, 176, 205),
    (168, 232, 190),
    (255, 200, 130),
    (165, 212, 250),
    (214, 190, 245),
)


def sticky_wall(studio: Studio, rng: Random) -> Drawn:
    """Several sticky notes on a wall, a window or the edge of a screen."""
    level = rng.randint(30, 235)
    wall = fibres(Image.new("RGB", (560, 420), (level, level, level + 6)), rng, 8)
    columns, rows = rng.choice(((2, 2), (3, 2), (4, 3), (1, 1)))
    side = int(min(500 / columns, 380 / rows) * 0.86)
    for column in range(columns):
        for row in range(rows):
            note = Image.new("RGB", (side, side), rng.choice(NOTES))
            pad = Pad(studio, rng, note, max(13, side // rng.choice((5, 6, 8))), grain="marker")
            step = pad.size * 1.25
            pad.block((side * 0.08, step * 1.2, side * 0.96, side * rng.uniform(0.4, 0.95)), step)
            image = pad.done("note").image.convert("RGBA")
            image = image.rotate(rng.gauss(0, 4), Image.Resampling.BICUBIC, expand=True)
            x = 30 + column * 500 // columns + rng.randint(-6, 6)
            y = 20 + row * 390 // rows + rng.randint(-6, 6)
            shade = image.getchannel("A").filter(ImageFilter.BoxBlur(3))
            wall.paste((20, 20, 20), (x + 3, y + 5), shade.point(lambda one: one // 3))
            wall.paste(image, (x, y), image)
    return Drawn(wall, "note", "scene")


def chalk_formulae(studio: Studio, rng: Random) -> Drawn:
    """A green or black board: formulae or words in chalk, wiped clouds, a wooden frame."""
    base = rng.choice(((36, 72, 58), (32, 36, 40), (24, 52, 66)))
    board = Image.new("RGB", (600, 400), base)
    clouds = dice(rng).integers(0, 70, (5, 7), dtype="uint8")
    mask = Image.fromarray(clouds, "L").resize(board.size, Image.Resampling.BICUBIC)
    board.paste((170, 180, 176), (0, 0), mask)
    size = rng.randint(26, 48)
    kind, hand = rng.choice((("sums", "skeleton"), ("board", "")))
    pad = Pad(studio, rng, board, size, ink=(232, 234, 228), grain="chalk", hand=hand)
    step = size * 1.45
    if kind == "board":
        pad.block((30, step, 580, rng.randint(200, 390)), step)
    else:
        for y in range(int(step), 390, int(step)):
            end = pad.line(rng.choice(FORMULAE), rng.randint(20, 60), y, 580)
            if rng.random() < 0.15:
                pad.box(14, y - size, end, y + 9)
    if rng.random() < 0.5:
        pad.use(rng.choice(((250, 220, 110), (245, 160, 170), (150, 210, 245))))
        pad.under(40, step + 8, 300)
        pad.ring(380, 250, 560, 360)
    image = pad.done("board").image
    if rng.random() < 0.5:
        edge = rng.choice(((150, 104, 62), (190, 190, 194)))
        ImageDraw.Draw(image).rectangle((0, 0, 599, 399), outline=edge, width=rng.randint(8, 18))
    return Drawn(image, kind, "scene" if rng.random() < 0.6 else "paper")


def _white_board(rng: Random, size: tuple[int, int]) -> Image.Image:
    level = rng.randint(205, 246)
    board = Image.new("RGB", size, (level, level, level + rng.randint(-8, 8)))
    glare = Image.new("L", size, 0)
    x, y = rng.randint(0, size[0]), rng.randint(0, size[1])
    ImageDraw.Draw(glare).ellipse((x - 130, y - 70, x + 130, y + 70), fill=150)
    board.paste((255, 255, 255), (0, 0), glare.filter(ImageFilter.BoxBlur(50)))
    return board


def marker_board(studio: Studio, rng: Random) -> Drawn:
    """A meeting's white board: columns, points, arrows, several colours, frame and tray."""
    size = rng.randint(20, 34)
    pad = Pad(
        studio, rng, _white_board(rng, (640, 420)), size, ink=rng.choice(BRIGHT), grain="marker"
    )
    columns, step = rng.choice((1, 2, 3)), size * 1.4
    wide = 600 / columns
    for place in range(columns):
        left = 24 + place * wide
        if rng.random() < 0.6:
            pad.use(rng.choice(BRIGHT))
        end = pad.line(pad.words(1, 2).upper(), left, step, left + wide - 20)
        pad.under(left, step + 6, end)
        y = 2.2 * step
        while y < 370 - rng.choice((0, 0, 120)):
            start = pad.line("- " + pad.words(1, 4), left, y, left + wide - 16)
            if rng.random() < 0.12:
                pad.ring(left - 6, y - size, start, y + 8)
            y += step
        if place:
            pad.stroke((left - 14, 20), (left - 14, 380), bent=False)
    if columns > 1 and rng.random() < 0.5:
        pad.arrow((wide - 30, 200), (wide + 60, 240))
    image = pad.done("board").image
    if rng.random() < 0.6:
        pen = ImageDraw.Draw(image)
        pen.rectangle((0, 0, 639, 419), outline=(150, 152, 156), width=9)
        pen.rectangle((0, 398, 639, 419), fill=(170, 172, 176))
        for place in range(rng.randint(0, 4)):
            x = 120 + place * 100
            pen.rounded_rectangle((x, 392, x + 70, 402), 4, fill=rng.choice(BRIGHT))
    return Drawn(image, "board", "scene" if rng.random() < 0.7 else "paper")


def board_diagram(studio: Studio, rng: Random) -> Drawn:
    """Boxes and rings with words, arrows between them, drawn with markers."""
    size = rng.randint(20, 32)
    pad = Pad(
        studio, rng, _white_board(rng, (620, 420)), size, ink=rng.choice(BRIGHT), grain="marker"
    )
    spots = []
    count = rng.randint(4, 8)
    for place in range(count):
        x = 40 + (place % 3) * 195 + rng.randint(-12, 12)
        y = 70 + (place // 3) * 130 + rng.randint(-14, 14)
        if rng.random() < 0.3:
            pad.use(rng.choice(BRIGHT))
        end = pad.line(pad.words(1, 2), x, y, x + 150)
        shape = pad.box if rng.random() < 0.6 else pad.ring
        shape(x - 14, y - size - 4, max(end, x + 50) + 4, y + size * 0.6)
        spots.append((x, y))
    for (x, y), (u, v) in zip(spots, spots[1:], strict=False):
        if v - y > 60:
            pad.arrow((x + 40, y + 24), (u + 40, v - size - 10))
        else:
            pad.arrow((x + 130, y - 6), (u - 18, v - 6))
    return Drawn(pad.done("board").image, "board", "scene" if rng.random() < 0.6 else "paper")


def tablet_note(studio: Studio, rng: Random) -> Drawn:
    """A note application: bars, a palette, a canvas bright or dark, ink of many colours."""
    dark = rng.random() < 0.4
    size = rng.randint(18, 32)
    step = int(size * 1.45)
    image = Image.new("RGB", (640, 470), (28, 28, 32) if dark else (253, 253, 253))
    if not dark:
        lined(image, rng, rng.choice(("plain", "ruled", "squared", "dotted")), step)
    light: tuple[Colour, ...] = (
        (240, 240, 245),
        (255, 214, 90),
        (120, 200, 255),
        (255, 130, 140),
        (150, 230, 150),
    )
    inks = light if dark else BRIGHT
    pad = Pad(studio, rng, image, size, ink=rng.choice(inks), grain="marker")
    y = 60.0 + step
    while y < 440:
        if rng.random() < 0.2:
            pad.use(rng.choice(inks))
        end = pad.line(pad.words(2, 9), 30 + rng.choice((0, 0, 30)), y, rng.choice((610, 610, 380)))
        if rng.random() < 0.15:
            pad.under(30, y + 6, end)
        y += step
    image = pad.done("note", "screen").image
    pen, bar = ImageDraw.Draw(image), (44, 44, 50) if dark else (238, 239, 243)
    pen.rectangle((0, 0, 640, 44), fill=bar)
    for place in range(rng.randint(6, 12)):
        x = 26 + place * 40
        fill = rng.choice(inks) if place > 3 else (130, 130, 140)
        shape = pen.ellipse if rng.random() < 0.6 else pen.rectangle
        shape((x, 14, x + 16, 30), fill=fill)
    return Drawn(image, "tablet", "screen")


def placard(studio: Studio, rng: Random) -> Drawn:
    """Big letters with a thick pen on cardboard or coloured paper."""
    size = rng.randint(40, 78)
    colour = tinted(rng)
    image = fibres(Image.new("RGB", (rng.randint(400, 560), rng.randint(280, 440)), colour), rng, 9)
    pad = Pad(studio, rng, image, size, ink=rng.choice(BRIGHT), grain="marker")
    pad.block((20, size * 1.2, image.width - 12, image.height - 10), size * 1.25)
    drawn = pad.done("note")
    return (
        Drawn(laid(drawn.image, rng, held=True), "note", "scene") if rng.random() < 0.4 else drawn
    )


def addressed(studio: Studio, rng: Random) -> Drawn:
    """An envelope or a parcel: sender, address, stamp, postmark."""
    size = rng.randint(20, 32)
    image = Image.new("RGB", (560, rng.choice((300, 380))), tinted(rng))
    image = fibres(image, rng, rng.uniform(1, 7))
    pen = ImageDraw.Draw(image)
    if rng.random() < 0.4:
        for x in range(0, 560, 40):
            for y in (0, image.height - 9):
                pen.rectangle(
                    (x, y, x + 18, y + 9), fill=rng.choice(((190, 40, 50), (40, 70, 150)))
                )
    pen.rectangle((470, 22, 535, 104), fill=tuple(rng.randint(60, 230) for _ in "rgb"))
    for ring in range(3):
        pen.ellipse(
            (420 + ring * 6, 30 + ring * 6, 500 - ring * 6, 110 - ring * 6), outline=(60, 60, 70)
        )
    pad = Pad(studio, rng, image, size, ink=rng.choice(PENS))
    left = rng.randint(170, 250)
    for place in range(rng.randint(3, 5)):
        words = f"{pad.people.last_name()} {rng.randint(1, 999)}" if place else pad.people.name()
        pad.line(words, left, image.height * 0.5 + place * size * 1.25)
    if rng.random() < 0.5:
        for place in range(3):
            pad.line(pad.words(1, 2).title(), 24, 40 + place * size)
    return Drawn(laid(pad.done("letter").image, rng), "letter", "scene")


def paper_scrap(studio: Studio, rng: Random) -> Drawn:
    """A torn corner of paper with a number, a name, an arrow."""
    size = rng.randint(28, 44)
    image = Image.new("RGB", (360, 240), tinted(rng) if rng.random() < 0.4 else (246, 245, 240))
    lined(image, rng, rng.choice(("plain", "ruled", "squared")), size)
    pad = Pad(studio, rng, image, size)
    pad.slope = rng.gauss(0, 0.05)
    pad.line(pad.people.first_name(), 24, size * 1.4)
    pad.line(f"{rng.randint(100, 999)} {rng.randint(1000, 9999)}", 40, size * 2.8)
    pad.arrow((40, size * 3.6), (200, size * 3.4))
    if rng.random() < 0.6:
        pad.line(pad.words(1, 3), 24, size * 4.6)
    torn = pad.done("note").image.convert("RGBA")
    mask = Image.new("L", torn.size, 0)
    edge = [(x, rng.randint(0, 12)) for x in range(0, 361, 12)]
    edge += [(360 - rng.randint(0, 12), y) for y in range(0, 241, 12)]
    ImageDraw.Draw(mask).polygon([*edge, (360, 240), (0, 240)], fill=255)
    torn.putalpha(mask)
    return Drawn(laid(torn, rng, held=rng.random() < 0.3), "note", "scene")


THINGS: tuple[Template, ...] = (
    sticky_wall,
    chalk_formulae,
    marker_board,
    board_diagram,
    tablet_note,
    placard,
    addressed,
    paper_scrap,
)
