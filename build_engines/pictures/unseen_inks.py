"""Newer test templates of handwriting: single strokes on papers and boards, and script fonts."""

from __future__ import annotations

from random import Random

from faker import Faker
from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.fonts import HAND
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.unseen_props import CUBIC, Brush, Colour, desk, laid
from build_engines.pictures.unseen_strokes import Writer

PENS: tuple[Colour, ...] = ((24, 40, 120), (30, 30, 34), (20, 60, 150), (60, 60, 66), (110, 26, 40))
GOODS = "milk eggs bread onions rice tea coffee soap apples pasta cheese butter salt lemons".split()
ERRANDS = (
    "call mum",
    "pay rent",
    "book dentist",
    "fix bike",
    "send form to Ana",
    "water plants",
    "pick up parcel",
    "answer Tom",
    "buy stamps",
    "renew library card",
    "clean oven",
    "gym at 6",
)
NOTES = (
    "remember the meeting on Friday at ten",
    "the key is under the blue pot",
    "chapter 4: causes of the war",
    "supply falls when the price is low",
    "see page 112 again",
    "ask about the second example",
    "cells divide in two steps",
    "energy is never lost, only changed",
    "the train leaves at 7:40",
    "Anna said she would bring the maps",
    "main idea: trade made the city rich",
    "why did they leave so early?",
    "thank you for the lovely evening",
    "we will be back on Sunday",
    "do not forget the tickets",
)


def templates() -> tuple[Template, ...]:
    return (
        new_lined_page,
        new_torn_list,
        new_letter_on_desk,
        new_marker_board,
        new_square_sums,
        new_sticky_notes,
        new_spiral_pad,
        new_index_card,
    )


def _lines(rng: Random, writer: Writer, wide: float) -> list[str]:
    """Sentences of notes, broken where the sheet ends."""
    words = " ".join(rng.sample(NOTES, 9)).split()
    lines, line = [], ""
    for word in words:
        if writer.length(f"{line} {word}") > wide:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def _paper(rng: Random, size: tuple[int, int]) -> Image.Image:
    level = rng.randint(236, 253)
    return Image.new("RGB", size, (level, level, level - rng.randint(0, 18)))


def new_lined_page(studio: Studio, rng: Random) -> Drawn:
    """A page of notes on lines, with a heading that is underlined."""
    step = rng.randint(44, 58)
    image = _paper(rng, (760, rng.randint(620, 980)))
    pen = ImageDraw.Draw(image)
    for y in range(step * 2, image.height, step):
        pen.line((0, y, 760, y), fill=(176, 196, 224), width=2)
    pen.line((90, 0, 90, image.height), fill=(226, 130, 140), width=2)
    writer = Writer(image, rng, step * rng.uniform(0.6, 0.78), rng.choice(PENS))
    base = step * 2 - writer.size
    title = rng.choice(
        ("History notes", "Lecture 7", "Monday", "Ideas", "Biology - week 3", "Summary")
    )
    end = writer.write((110, base - step), title)
    writer.stroke((110, base - step + writer.size * 1.2), (end, base - step + writer.size * 1.16))
    count = (image.height - step * 2) // step
    writer.lines((104, base), _lines(rng, writer, 620)[:count], step)
    return Drawn(image, "note", "paper")


def new_torn_list(studio: Studio, rng: Random) -> Drawn:
    """A list on a strip with a torn edge; some of it is done."""
    image = _paper(rng, (460, rng.randint(620, 820))).convert("RGBA")
    edge = [(x, rng.randint(0, 14)) for x in range(0, 470, 12)]
    writer = Writer(image, rng, rng.randint(34, 46), rng.choice(PENS))
    things = rng.sample(rng.choice((GOODS, ERRANDS)), 9)
    step, mark = writer.size * 1.55, rng.choice(("-", "*", ""))
    for place, text in enumerate(things[: int((image.height - 70) / step)]):
        y = 40 + place * step
        end = writer.write((34, y), f"{mark or f'{place + 1}.'} {text}")
        if rng.random() < 0.25:
            writer.stroke((40, y + writer.size * 0.7), (end, y + writer.size * 0.62))
    ImageDraw.Draw(image).polygon([(0, 0), *edge, (470, 0)], fill=(0, 0, 0, 0))
    return Drawn(image, "list", "paper")


def new_letter_on_desk(studio: Studio, rng: Random) -> Drawn:
    """A letter in a script font, photographed with its pen."""
    image = Image.new(
        "RGB", (520, 680), rng.choice(((250, 246, 232), (244, 244, 246), (238, 228, 206)))
    )
    people: Faker = studio.people(rng)
    face = rng.choice(HAND[studio.split][:2])
    ink, size = rng.choice(PENS), rng.randint(24, 30)
    brush = Brush(studio, image)
    brush.say(
        (480, 30), f"{people.city()}, {a_day(rng):%d %B}", size - 4, ink, face=face, right=True
    )
    brush.say((46, 86), f"Dear {people.first_name()},", size, ink, face=face)
    words = " ".join(rng.sample(NOTES, 12)).split()
    font, y = studio.fonts.get(face, size), 132.0
    while y < 590 and words:
        x = 46 + rng.gauss(0, 3)
        while words and x + font.getlength(words[0]) < 484:
            x = brush.say(
                (x, y + rng.gauss(0, 1.2)), words.pop(0), size, ink, face=face
            ) + rng.uniform(5, 11)
        y += size * 1.3
    brush.say((280, 618), people.first_name(), size + 4, ink, face=face)
    scene = laid(image, rng, (480, 560), fill=0.96)
    pen = ImageDraw.Draw(scene)
    x, y2 = rng.randint(330, 420), rng.randint(180, 360)
    pen.line((x, y2, x + 50, y2 + 190), fill=(24, 24, 30), width=11)
    pen.line((x + 4, y2, x + 50, y2 + 176), fill=(90, 90, 110), width=3)
    return Drawn(scene, "letter", "scene")


def new_marker_board(studio: Studio, rng: Random) -> Drawn:
    """Boxes, arrows and words on a whiteboard or a blackboard."""
    dark = rng.random() < 0.4
    ground = rng.choice(((32, 62, 50), (40, 42, 46))) if dark else (240, 243, 245)
    inks: tuple[Colour, ...] = (
        ((236, 236, 226), (240, 220, 130))
        if dark
        else ((20, 60, 160), (180, 30, 40), (20, 110, 60), (30, 30, 30))
    )
    image = Image.new("RGB", (940, 640), ground)
    for _ in range(5):
        writer = Writer(
            image,
            rng,
            46,
            tuple(int(0.93 * a + 0.07 * b) for a, b in zip(ground, inks[0], strict=True)),
        )
        writer.stroke(
            (rng.randint(0, 900), rng.randint(0, 600)), (rng.randint(0, 900), rng.randint(0, 600))
        )
    writer = Writer(image, rng, rng.randint(44, 60), inks[0])
    writer.width = rng.randint(5, 8)
    writer.write(
        (60, 30),
        rng.choice(
            ("Plan for Monday", "Team goals", "How it works", "Photosynthesis", "Sprint 12")
        ),
    )
    words = rng.sample(
        (
            "users",
            "cache",
            "water",
            "light",
            "team A",
            "budget",
            "sugar",
            "orders",
            "tests",
            "launch",
        ),
        4,
    )
    for place, word in enumerate(words):
        writer.ink = rng.choice(inks)
        x, y = 70 + place % 2 * 450, 170 + place // 2 * 220
        end = writer.write((x + 26, y + 26), word)
        box = (x, y, end + 24, y + writer.size + 60)
        if rng.random() < 0.5:
            writer.ring(box)
        else:
            writer.stroke(box[:2], (box[2], y), box[2:], (x, box[3]), box[:2])
        writer.arrow((end + 34, y + 60), (end + 120, y + 60 + rng.randint(-40, 60)))
    writer.lines(
        (80, 560), [rng.choice(("next: ask Maria!", "due 14/6", "x = 2a + b", "questions?"))], 60
    )
    if dark:
        image = image.filter(ImageFilter.GaussianBlur(1.1))
    return Drawn(image, "board", "scene")


def new_square_sums(studio: Studio, rng: Random) -> Drawn:
    """Sums on squared paper, some marked in red."""
    image = _paper(rng, (720, 860))
    pen = ImageDraw.Draw(image)
    for at in range(0, 860, 30):
        pen.line((0, at, 720, at), fill=(190, 208, 226))
        pen.line((at, 0, at, 860), fill=(190, 208, 226))
    writer = Writer(image, rng, rng.randint(38, 48), rng.choice(PENS[:4]))
    red = Writer(image, rng, 40, (200, 30, 40))
    for place in range(5):
        y, a, b, c = 40 + place * 160, rng.randint(2, 9), rng.randint(2, 30), rng.randint(2, 60)
        texts = (
            (f"{a}x + {b} = {a * c + b}", f"x = {c}"),
            (f"{b} * {c} = {b * c}", f"{b * c} - {a} = {b * c - a}"),
            (f"({a}x + {b}) / {c} = {a}", f"{a}x = {a * c} - {b}"),
            (f"{place + 1}) {b}% of {c}0 =", f"  = {b * c / 10:.1f}"),
        )
        writer.lines((50, y), rng.choice(texts), 74)
        if rng.random() < 0.35:
            red.stroke((560, y + 60), (580, y + 86), (640, y + 20))
    return Drawn(image, "sums", "paper")


def new_sticky_notes(studio: Studio, rng: Random) -> Drawn:
    """Two to four notes on a wall or a desk, each of its colour."""
    scene = desk(rng, (760, 600))
    for place in range(rng.randint(2, 4)):
        note = Image.new(
            "RGB",
            (320, 280),
            rng.choice(((250, 236, 120), (250, 180, 196), (170, 226, 170), (160, 210, 246))),
        )
        writer = Writer(note, rng, rng.randint(38, 48), rng.choice(PENS))
        writer.width += 1
        writer.lines((26, 30), rng.choice(ERRANDS).split()[:4], 62)
        tile = note.convert("RGBA").rotate(rng.gauss(0, 5), CUBIC, expand=True)
        scene.paste(
            tile.convert("RGB"), (30 + place % 2 * 370, 10 + place // 2 * 300), tile.getchannel("A")
        )
    return Drawn(scene, "note", "scene")


def new_spiral_pad(studio: Studio, rng: Random) -> Drawn:
    """A pad with a wire at its top, lying somewhere."""
    image = _paper(rng, (560, 700))
    pen = ImageDraw.Draw(image)
    dots = rng.random() < 0.5
    for y in range(90, 700, 46):
        for x in range(20, 560, 46 if dots else 560):
            pen.ellipse((x, y, x + 3, y + 3), fill=(170, 170, 180)) if dots else pen.line(
                (0, y, 560, y), fill=(200, 206, 216)
            )
    for x in range(24, 560, 32):
        pen.ellipse((x, 14, x + 14, 28), fill=(70, 66, 60))
        pen.line((x + 7, 0, x + 7, 22), fill=(150, 152, 158), width=5)
    writer = Writer(image, rng, rng.randint(30, 38), rng.choice(PENS))
    writer.lines((36, 60), _lines(rng, writer, 490)[: rng.randint(6, 12)], 46)
    return Drawn(laid(image, rng, (520, 620), fill=0.92, turn=10), "note", "scene")


def new_index_card(studio: Studio, rng: Random) -> Drawn:
    """A card with a question in capitals and an answer."""
    image = _paper(rng, (760, 460))
    pen = ImageDraw.Draw(image)
    pen.line((0, 84, 760, 84), fill=(220, 90, 100), width=3)
    for y in range(138, 460, 54):
        pen.line((0, y, 760, y), fill=(176, 200, 226), width=2)
    writer = Writer(image, rng, 42, rng.choice(PENS))
    writer.write(
        (40, 26),
        rng.choice(("WHAT IS OSMOSIS?", "TREATY OF 1648", "GERMAN VERBS", "GRANDMA'S SOUP")),
    )
    lines = _lines(rng, writer, 680)[:6]
    writer.lines((40, 138 - 42), lines, 54)
    return Drawn(image, "note", "paper")
