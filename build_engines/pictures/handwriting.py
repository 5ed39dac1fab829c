"""Notes, letters, lists, sums and boards in handwriting.

The letters are those of script fonts, a split's own; hands.py makes a hand of them.
"""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures import unseen_inks
from build_engines.pictures.faces import scribble
from build_engines.pictures.hand_boards import THINGS
from build_engines.pictures.hand_ideas import IDEAS
from build_engines.pictures.hand_pages import SHEETS
from build_engines.pictures.hands import INKS, Hand, done, ruled, sheet
from build_engines.pictures.hands_seen import SEEN
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, Template, a_day, named


def templates(split: Split) -> Named:
    chosen: dict[Split, tuple[Template, ...]] = {
        "train": (
            note,
            letter,
            to_do,
            sums,
            sticky,
            whiteboard,
            envelope,
            *SHEETS,
            *IDEAS,
            *THINGS,
        ),
        "validation": (diary, blackboard, *SEEN),
        "test": (postcard, squared, recipe, yellow_pad, *unseen_inks.templates()),
    }
    return named(*chosen[split])


def note(studio: Studio, rng: Random) -> Drawn:
    hand = Hand(studio, rng)
    image = sheet(rng, (rng.randint(380, 520), rng.randint(260, 460)))
    step = int(hand.size * 1.3)
    if rng.random() < 0.6:
        ruled(image, step, (185, 200, 225), margin=rng.random() < 0.5)
    hand.block(image, (54, step * 0.15, image.width - 16, image.height - step), step)
    return done(image, rng, "note")


def letter(studio: Studio, rng: Random) -> Drawn:
    hand = Hand(studio, rng, 24)
    image = sheet(rng, (420, 560))
    hand.line(image, (270, 24), str(a_day(rng)))
    hand.line(image, (30, 70), f"Dear {hand.people.first_name()},")
    y = hand.block(image, (30, 115, 400, 430), hand.size * 1.35)
    hand.line(image, (200, y + 14), "Yours,")
    scribble(ImageDraw.Draw(image), rng, (210, int(y) + 46), (130, 34), hand.ink)
    return done(image, rng, "letter")


def to_do(studio: Studio, rng: Random) -> Drawn:
    hand = Hand(studio, rng, 32)
    image = sheet(rng, (rng.randint(280, 380), rng.randint(380, 480)))
    pen = ImageDraw.Draw(image)
    hand.line(image, (34, 10), rng.choice(("To do", "Shopping", "Today", "Ideas", "Packing")))
    pen.line((30, hand.size + 18, 170, hand.size + 14), fill=hand.ink, width=2)
    y = hand.size * 1.9
    while y < image.height - hand.size:
        mark = rng.choice(("-", "•", "o", f"{rng.randint(1, 9)}."))
        end = hand.line(image, (28, y), f"{mark} {' '.join(hand.people.words(rng.randint(1, 3)))}")
        if rng.random() < 0.25:
            pen.line((30, y + hand.size * 0.7, end, y + hand.size * 0.6), fill=hand.ink, width=2)
        y += hand.size * 1.35
    return done(image, rng, "list")


def sums(studio: Studio, rng: Random) -> Drawn:
    """Homework: equations under each other."""
    hand = Hand(studio, rng, 32)
    image = sheet(rng, (460, 440))
    if rng.random() < 0.6:
        ruled(image, 22, (190, 205, 228), squares=True)
    y = 12.0
    while y < 390:
        a, b, c = (rng.randint(2, 99) for _ in range(3))
        text = rng.choice(
            (
                f"{a}x + {b} = {c}",
                f"f(x) = {a}x² - {b}x",
                f"{a} · {b} = {a * b}",
                f"x = ( {c} - {b} ) / {a}",
                f"∫ {a}x dx = {a / 2}x²",
                f"{a} + {b} + {c} = {a + b + c}",
                "E = m c²",
                "lim n → ∞ 1/n = 0",
            )
        )
        hand.line(
            image,
            (rng.randint(20, 70), y),
            text.replace("∫", "S").replace("∞", "oo").replace("→", "->"),
        )
        y += hand.size * 1.4
    return done(image, rng, "sums")


def sticky(studio: Studio, rng: Random) -> Drawn:
    hand = Hand(studio, rng, 40)
    paper = rng.choice(
        ((255, 240, 130), (255, 190, 210), (180, 235, 200), (255, 205, 140), (175, 215, 250))
    )
    image = sheet(rng, (340, 340), paper)
    hand.block(image, (24, 30, 330, 280), hand.size * 1.3)
    return done(image, rng, "note")


def whiteboard(studio: Studio, rng: Random) -> Drawn:
    """Words, boxes and arrows on a white board."""
    hand = Hand(
        studio, rng, 34, rng.choice(((20, 60, 160), (20, 20, 20), (170, 30, 30), (20, 120, 60)))
    )
    image = sheet(rng, (600, 400), (240, 243, 245))
    pen = ImageDraw.Draw(image)
    spots = [(rng.randint(20, 420), 40 + place * 90) for place in range(4)]
    for (x, y), (u, v) in zip(spots, spots[1:], strict=False):
        pen.line((x + 60, y + 50, u + 60, v), fill=hand.ink, width=3)
    for x, y in spots:
        end = hand.line(image, (x, y), " ".join(hand.people.words(2)))
        if rng.random() < 0.7:
            pen.rounded_rectangle(
                (x - 12, y - 4, end + 6, y + hand.size * 1.4), 9, outline=rng.choice(INKS), width=3
            )
    return done(image, rng, "board")


def envelope(studio: Studio, rng: Random) -> Drawn:
    hand = Hand(studio, rng, 28)
    image = sheet(rng, (540, 300), rng.choice(((248, 246, 238), (226, 205, 168), (235, 240, 246))))
    for place, line in enumerate([hand.people.name(), *hand.people.address().split("\n")][:4]):
        hand.line(image, (200, 120 + place * hand.size * 1.3), line)
    pen = ImageDraw.Draw(image)
    pen.rectangle(
        (460, 20, 520, 92),
        fill=tuple(rng.randint(60, 220) for _ in "rgb"),
        outline=(255, 255, 255),
        width=4,
    )
    for y in (40, 52, 64):
        pen.arc((380, y, 460, y + 14), 180, 360, fill=(70, 70, 80))
    return done(image, rng, "letter")


def diary(studio: Studio, rng: Random) -> Drawn:
    """Two pages of a bound book."""
    hand = Hand(studio, rng, 22)
    image = sheet(rng, (640, 420))
    ruled(image, int(hand.size * 1.35), (205, 205, 215))
    for left in (18, 338):
        hand.block(image, (left, 14, left + 290, 380), hand.size * 1.35)
    shade = Image.new("L", (60, 1))
    for x in range(60):
        shade.putpixel((x, 0), int(110 * (1 - abs(x - 30) / 30)))
    image.paste((120, 110, 100), (290, 0), shade.resize((60, 420)))
    return done(image, rng, "note")


def blackboard(studio: Studio, rng: Random) -> Drawn:
    hand = Hand(studio, rng, 40, (225, 230, 225))
    image = sheet(rng, (600, 380), rng.choice(((38, 70, 56), (35, 38, 42))))
    hand.block(image, (30, 24, 580, 320), hand.size * 1.4)
    return done(image, rng, "board")


def postcard(studio: Studio, rng: Random) -> Drawn:
    hand = Hand(studio, rng, 26)
    image = sheet(rng, (600, 390))
    pen = ImageDraw.Draw(image)
    pen.line((310, 30, 310, 360), fill=(150, 150, 150))
    hand.block(image, (24, 30, 300, 340), hand.size * 1.3)
    for place, line in enumerate([hand.people.name(), *hand.people.address().split("\n")][:4]):
        y = 170 + place * 48
        pen.line((340, y + hand.size * 1.1, 580, y + hand.size * 1.1), fill=(170, 170, 170))
        hand.line(image, (345, y), line)
    pen.rectangle((510, 24, 576, 104), outline=(120, 120, 120))
    return done(image, rng, "letter")


def squared(studio: Studio, rng: Random) -> Drawn:
    """A page of a squared exercise book with a sketch of a graph."""
    hand = Hand(studio, rng, 30)
    image = sheet(rng, (480, 560))
    ruled(image, 18, (200, 212, 230), squares=True)
    pen = ImageDraw.Draw(image)
    y = hand.block(image, (24, 12, 460, 220), 36)
    pen.line((60, y + 20, 60, 530, 420, 530), fill=hand.ink, width=2)
    turn = rng.uniform(20, 60)
    pen.line(
        [(60 + step * 6, 430 - 70 * math.sin(step * 6 / turn)) for step in range(58)],
        fill=hand.ink,
        width=2,
    )
    return done(image, rng, "sums")


def recipe(studio: Studio, rng: Random) -> Drawn:
    hand = Hand(studio, rng, 28)
    image = sheet(rng, (520, 340), (253, 248, 232))
    ruled(image, int(hand.size * 1.3), (220, 160, 160))
    hand.line(
        image, (120, 4), rng.choice(("Apple cake", "Lentil soup", "Bread", "Plum jam", "Pancakes"))
    )
    y = hand.size * 1.5
    for _ in range(8):
        goods = rng.choice(("flour", "sugar", "butter", "eggs", "milk", "salt", "apples", "yeast"))
        hand.line(image, (rng.choice((24, 26, 28)), y), f"{rng.randint(1, 500)} g {goods}")
        hand.line(image, (250, y), " ".join(hand.people.words(2)))
        y += hand.size * 1.3
    return done(image, rng, "list")


def yellow_pad(studio: Studio, rng: Random) -> Drawn:
    hand = Hand(studio, rng, 28)
    image = sheet(rng, (420, 540), (255, 247, 170))
    step = int(hand.size * 1.25)
    ruled(image, step, (150, 180, 215), margin=True)
    hand.block(image, (58, step * 0.1, 405, 480), step)
    return done(image, rng, "note")
