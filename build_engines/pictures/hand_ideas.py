"""Sheets of ideas: formulae, figures, words with rings and arrows. All of train."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.pads import Pad
from build_engines.pictures.papers import lined, paper
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template
from build_engines.pictures.tabletops import laid

FORMULAE = (
    "f(x) = 3x² + 2x - 7",
    "∫ (x² + 1) dx = x²/2 + c",
    "Σ α = π r²",
    "a² + b² = c²",
    "v = Δs / Δt",
    "x → ∞",
    "2x - 5 = 13",
    "y' = 2y + sin x",
    "P(A) = 1/6",
    "E = m c²",
    "n! / (n - k)!",
    "cos 2α = 1 - 2 sin² α",
)


def sheet(studio: Studio, rng: Random, kind: str = "", hand: str = "") -> tuple[Pad, int]:
    """A pad of some size and the distance of its lines."""
    size = rng.randint(15, 30)
    step = int(size * rng.uniform(1.15, 1.6))
    shape = rng.choice(((420, 560), (480, 480), (560, 420), (380, 600), (460, 340)))
    pad = Pad(studio, rng, paper(rng, shape, step, kind=kind), size, hand=hand)
    return pad, step


def formula_page(studio: Studio, rng: Random) -> Drawn:
    """Sums with fractions and roots, results boxed, a figure beside them."""
    pad, step = sheet(
        studio, rng, rng.choice(("squared", "squared", "plain", "dotted")), "skeleton"
    )
    width, height = pad.image.size
    y = 1.6 * step
    while y < height - step:
        x = rng.randint(20, 70)
        if rng.random() < 0.25 and y < height - 3 * step:
            end = pad.line(rng.choice(FORMULAE), x + 8, y)
            pad.stroke((x, y + step * 0.35), (end, y + step * 0.35))
            pad.line(f"{rng.randint(2, 99)} + √ {rng.randint(2, 9)}x", x + 14, y + step * 1.2)
            y += step
        else:
            end = pad.line(rng.choice(FORMULAE), x, y)
            if rng.random() < 0.2:
                pad.box(x - 8, y - pad.size, end + 2, y + 7)
        y += step * rng.choice((1, 1, 1.5))
    if rng.random() < 0.6:
        left, y = width - 130.0, height * rng.uniform(0.2, 0.6)
        pad.stroke((left, y + 90), (left + 110, y + 90), (left + 30, y), (left, y + 90), bent=False)
        pad.line("α", left + 14, y + 84)
        pad.line("c", left + 80, y + 40)
    return pad.done("sums")


def margin_notes(studio: Studio, rng: Random) -> Drawn:
    """Ideas in all directions: circled words, arrows, small print along the edge."""
    pad, step = sheet(studio, rng, rng.choice(("plain", "dotted", "squared")))
    width, height = pad.image.size
    spots = []
    for row in range(3):
        for column in range(2):
            x = width * (0.08 + 0.46 * column) + rng.uniform(-10, 30)
            y = height * (0.15 + 0.3 * row) + rng.uniform(-12, 24)
            end = pad.line(pad.words(1, 2), x, y, x + width * 0.4)
            if rng.random() < 0.6:
                (pad.ring if rng.random() < 0.6 else pad.box)(
                    x - 12, y - pad.size, end + 4, y + pad.size * 0.5
                )
            if rng.random() < 0.6:
                pad.block(
                    (x, y + step * 1.3, x + width * 0.36, y + step * rng.uniform(1.5, 4)), step
                )
            spots.append((x + 20, y + 8))
    for _ in range(rng.randint(2, 6)):
        start, end_at = rng.sample(spots, 2)
        pad.arrow(start, end_at)
    return pad.done("note")


def dense_page(studio: Studio, rng: Random) -> Drawn:
    """Nothing but small writing from edge to edge; sometimes only a part of the sheet."""
    size = rng.randint(11, 18)
    step = max(size + 2, int(size * rng.uniform(1.15, 1.7)))
    ground = paper(rng, rng.choice(((440, 600), (500, 500), (600, 420))), step)
    pad = Pad(studio, rng, ground, size)
    width, height = ground.size
    edge = rng.randint(14, 60)
    pad.block((edge, 1.6 * step, width - rng.randint(8, 40), height - 4), step)
    image = pad.done("note").image
    if rng.random() < 0.35:
        image = image.crop((0, height // 3, width * 3 // 4, height))
    if rng.random() < 0.4:
        return Drawn(laid(image, rng), "note", "scene")
    return Drawn(image, "note", "paper")


def canvas_ink(studio: Studio, rng: Random) -> Drawn:
    """An endless canvas of a stylus: tools at the side, words in several places, shapes, arrows."""
    dark = rng.random() < 0.45
    image = Image.new(
        "RGB", rng.choice(((480, 600), (640, 420))), (24, 26, 30) if dark else (251, 251, 250)
    )
    size = rng.randint(18, 38)
    if rng.random() < 0.5 and not dark:
        lined(image, rng, "dotted", size)
    inks = (
        ((245, 245, 245), (255, 205, 80), (130, 210, 255), (255, 140, 150))
        if dark
        else ((20, 22, 28), (30, 90, 210), (210, 40, 60), (20, 140, 90))
    )
    pad = Pad(studio, rng, image, size, ink=rng.choice(inks), grain="marker")
    width, height = image.size
    y = size * 1.8
    while y < height - size * 2:
        if rng.random() < 0.4:
            pad.use(rng.choice(inks))
        x = rng.choice((70.0, 70.0, width * 0.45))
        deep = size * 1.4 * rng.randint(1, 5)
        below = pad.block((x, y, width - 14, min(height - 10, y + deep)), size * 1.4)
        if rng.random() < 0.3:
            pad.box(x - 12, y - size, width - 20, below - size * 0.9)
        y = below + size
    drawn = pad.done("tablet", "screen")
    pen = ImageDraw.Draw(drawn.image)
    pen.rounded_rectangle((8, 60, 46, 360), 14, fill=(52, 54, 60) if dark else (232, 233, 237))
    for place in range(rng.randint(4, 7)):
        pen.ellipse((17, 74 + place * 40, 37, 94 + place * 40), fill=rng.choice(inks))
    return drawn


IDEAS: tuple[Template, ...] = (formula_page, margin_notes, dense_page, canvas_ink)
