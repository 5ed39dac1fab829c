"""Written sheets: lecture notes, exams, corrected essays, notebooks, old letters. All of train."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import SERIF
from build_engines.pictures.hand_ideas import sheet
from build_engines.pictures.pads import Pad
from build_engines.pictures.papers import fibres, lined, paper, spiral, stained, white
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.tabletops import laid

RED = (200, 30, 35)
MARKERS = ((255, 236, 90), (170, 240, 130), (255, 170, 200), (140, 215, 250), (255, 195, 110))


def lecture_notes(studio: Studio, rng: Random) -> Drawn:
    """Headings, points with dashes, words marked, a sketch between the lines."""
    pad, step = sheet(studio, rng)
    width, height = pad.image.size
    bright = ImageDraw.Draw(pad.image)
    y = float(2 * step)
    while y < height - step:
        what = rng.random()
        if what < 0.2:
            end = pad.line(pad.words(1, 3).title(), 24, y, width - 20)
            pad.under(24, y + 4, min(end, width - 30))
        elif what < 0.3 and y < height - 5 * step:
            y = _sketch(pad, rng, y, step)
            continue
        else:
            if rng.random() < 0.12:
                x = rng.randint(40, width // 2)
                bright.rectangle(
                    (x, y - pad.size * 0.6, x + rng.randint(60, 160), y + 3),
                    fill=rng.choice(MARKERS),
                )
            x = 40 + rng.choice((0, 0, 22))
            pad.line(rng.choice(("- ", "→ ", "", "")) + pad.words(4, 12), x, y, width - 14)
        y += step
    return pad.done("note")


def _sketch(pad: Pad, rng: Random, y: float, step: int) -> float:
    """A small graph or two ideas with an arrow; the y below."""
    left, deep = rng.randint(50, 160), 3.2 * step
    if rng.random() < 0.5:
        pad.stroke(
            (left, y - step / 2), (left, y + deep - step), (left + 150, y + deep - step), bent=False
        )
        pad.stroke(
            *((left + place * 24, y + rng.uniform(0, deep - 1.2 * step)) for place in range(6))
        )
    else:
        for x in (left, left + 160):
            end = pad.line(pad.words(1, 1), x, y + step)
            pad.ring(x - 12, y, end + 6, y + 1.6 * step)
        pad.arrow((left + 92, y + step * 0.8), (left + 144, y + step * 0.8))
    return y + deep + step


def exam_answers(studio: Studio, rng: Random) -> Drawn:
    """Printed questions, answers by hand, the marks in red."""
    pad, step = sheet(studio, rng, "plain")
    width, height = pad.image.size
    print_font = studio.fonts.any(SERIF, 13, rng)
    pen, y = ImageDraw.Draw(pad.image), 34.0
    marks = []
    number = rng.randint(1, 6)
    while y < height - 2 * step:
        question = f"{number}.  {pad.people.sentence(7)}  ({rng.randint(2, 9)})"
        pen.text((20, y - 10), question, font=print_font, fill=(30, 30, 30))
        below = y + step * rng.randint(2, 6)
        if rng.random() < 0.5:
            for line in range(int(y + step), int(below), step):
                pen.line((24, line + 6, width - 20, line + 6), fill=(170, 170, 170))
        y = pad.block((30, y + 1.1 * step, width - 60, below), step) + step * 0.4
        marks.append(y)
        number += 1
    pad.use(RED)
    for at in marks:
        pad.line(str(rng.randint(0, 9)), width - 44, at - step)
        if rng.random() < 0.6:
            pad.tick(width - 66, at - step, pad.size * 0.8)
    return pad.done("exam")


def corrected_essay(studio: Studio, rng: Random) -> Drawn:
    """A pupil's page with the teacher's red between the lines and in the margin."""
    pad, step = sheet(
        studio, rng, rng.choice(("ruled", "college")), rng.choice(("font", "skeleton"))
    )
    width, height = pad.image.size
    pad.block((70, 2 * step, width - 20, height - step), step)
    pad.use(rng.choice((RED, (190, 30, 120), (20, 130, 60))))
    for _ in range(rng.randint(3, 9)):
        x, y = rng.randint(80, width - 120), step * rng.randint(2, max(3, height // step - 2))
        what = rng.random()
        if what < 0.35:
            pad.under(x, y + 3, x + rng.randint(30, 90))
            pad.line(rng.choice(("R", "Sp", "?", "gr", "!")), 20, y)
        elif what < 0.6:
            pad.ring(x, y - pad.size, x + 60, y + 6)
        else:
            pad.scratch(x, y - pad.size * 0.3, x + 50)
            pad.line(pad.words(1, 1), x, y - step * 0.55)
    if rng.random() < 0.6:
        pad.line(rng.choice(("B+", "7/10", "2-", "A", "15/20", "Good!")), width - 110, height - 20)
    return pad.done("exam")


def spiral_notebook(studio: Studio, rng: Random) -> Drawn:
    """On a table, beside what lies there."""
    pad, step = sheet(studio, rng)
    width, height = pad.image.size
    pad.line(str(a_day(rng)), width - 140, step)
    pad.block((30, 2 * step, width - 16, height * rng.uniform(0.4, 0.97)), step)
    bound = spiral(pad.done("note").image, rng, top=rng.random() < 0.5)
    return Drawn(laid(bound, rng), "note", "scene")


def notebook_spread(studio: Studio, rng: Random) -> Drawn:
    """Two pages, the second begun, the fold between them."""
    size = rng.randint(14, 22)
    step = int(size * 1.4)
    pad = Pad(studio, rng, paper(rng, (660, 440), step), size)
    for left, full in ((20, 1.0), (350, rng.uniform(0.2, 1))):
        pad.block((left, 2 * step, left + 290, 425 * full), step)
    image = pad.done("note").image
    shade = Image.linear_gradient("L").rotate(90).resize((44, 440)).point(lambda one: one // 2)
    image.paste((70, 60, 50), (286, 0), shade)
    image.paste((70, 60, 50), (330, 0), shade.transpose(Image.Transpose.FLIP_LEFT_RIGHT))
    if rng.random() < 0.5:
        return Drawn(laid(image, rng), "note", "scene")
    return Drawn(image, "note", "paper")


def ticked_list(studio: Studio, rng: Random) -> Drawn:
    """Boxes before the entries, some ticked, some struck out; scrap, kraft or coloured paper."""
    size = rng.randint(22, 36)
    step = int(size * 1.35)
    image = paper(rng, (rng.randint(240, 400), rng.randint(340, 520)), step)
    pad = Pad(studio, rng, image, size)
    width, height = image.size
    pad.line(pad.words(1, 2).title(), 30, step * 1.1)
    pad.under(30, step * 1.1 + 6, width * 0.6)
    y, boxes = step * 2.4, rng.random() < 0.7
    while y < height - step * 0.5:
        if boxes:
            pad.box(24, y - size * 0.6, 24 + size * 0.6, y)
        end = pad.line(pad.words(1, 4), 34 + size * 0.6, y)
        if rng.random() < 0.4:
            if boxes:
                pad.tick(25, y, size * 0.7)
            else:
                pad.scratch(34 + size * 0.6, y - size * 0.25, end)
        y += step
    if rng.random() < 0.4:
        return Drawn(laid(pad.done("list").image, rng, held=rng.random() < 0.4), "list", "scene")
    return pad.done("list")


def old_letter(studio: Studio, rng: Random) -> Drawn:
    """Brown ink in narrow lines on a yellowed sheet."""
    size = rng.randint(13, 22)
    level = rng.randint(205, 240)
    image = Image.new("RGB", (430, 570), (level, level - 18, level - rng.randint(40, 70)))
    image = stained(fibres(image, rng, 7), rng)
    ink = rng.choice(((74, 48, 28), (50, 40, 40), (96, 62, 36), (40, 44, 70)))
    pad = Pad(studio, rng, image, size, ink=ink, grain="ink")
    step = size * rng.uniform(1.1, 1.5)
    pad.line(f"{pad.people.city()} {rng.randint(1, 28)} {rng.randint(1820, 1960)}", 200, step * 1.4)
    y = pad.block((34, 3 * step, 404, rng.randint(380, 520)), step)
    pad.sign(230, y + step * 0.4, 140)
    return pad.done("letter")


def short_card(studio: Studio, rng: Random) -> Drawn:
    """A few words of thanks or wishes on a folded card, signed."""
    size = rng.randint(26, 44)
    image = paper(rng, rng.choice(((460, 320), (340, 460))), size, kind="plain")
    if rng.random() < 0.5:
        frame = tuple(rng.randint(60, 220) for _ in "rgb")
        ImageDraw.Draw(image).rectangle(
            (12, 12, image.width - 13, image.height - 13), outline=frame, width=rng.randint(1, 7)
        )
    pad = Pad(studio, rng, image, size)
    pad.slope *= 2
    y = pad.block(
        (46, size * 1.8, image.width - 40, image.height * rng.uniform(0.4, 0.72)), size * 1.35
    )
    pad.sign(image.width * 0.45, y + size * 0.3, image.width * 0.4)
    if rng.random() < 0.4:
        return Drawn(laid(pad.done("letter").image, rng), "letter", "scene")
    return pad.done("letter")


def far_letter(studio: Studio, rng: Random) -> Drawn:
    """Lines of a script without an alphabet of ours, with signature and date."""
    pad, step = sheet(studio, rng, "", rng.choice(("Hani", "Arab")))
    width, height = pad.image.size
    y = pad.block((36, 2 * step, width - 30, height * rng.uniform(0.5, 0.85)), step)
    pad.sign(rng.choice((40, width - 170)), min(height - 20, y + step), 120)
    return pad.done("letter")


def few_words(studio: Studio, rng: Random) -> Drawn:
    """Nothing but a word or two, or a signature, close to the eye."""
    size = rng.randint(44, 90)
    image = Image.new("RGB", (rng.randint(360, 520), rng.randint(160, 340)), white(rng))
    if rng.random() < 0.4:
        lined(image, rng, "ruled", int(size * 1.2))
    pad = Pad(studio, rng, image, size)
    if rng.random() < 0.3:
        pad.sign(40, image.height * 0.6, image.width - 100)
    else:
        pad.block((20, size * 1.2, image.width - 10, image.height - 10), size * 1.2)
    return pad.done("note")


SHEETS: tuple[Template, ...] = (
    lecture_notes,
    exam_answers,
    corrected_essay,
    spiral_notebook,
    notebook_spread,
    ticked_list,
    old_letter,
    short_card,
    far_letter,
    few_words,
)
