"""More editors to learn from: split ones, debuggers, previews, modal ones, laptops."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures import codes
from build_engines.pictures.camera import BILINEAR
from build_engines.pictures.code_pages import block, narrow
from build_engines.pictures.devices import laptop
from build_engines.pictures.fonts import SANS
from build_engines.pictures.listings import (
    change,
    chosen,
    kind_of,
    numbers,
    small_map,
    status,
    step_of,
    tabs,
    tree,
    write,
)
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, dice, named


def templates(split: Split) -> Named:
    """What source_code.py adds to its own templates."""
    if split == "train":
        return named(
            split_editor,
            proposals,
            debugger,
            playground,
            notebook_rows,
            modal,
            conflict,
            few_lines,
            laptop_code,
            distant,
        )
    return named(plain_editor) if split == "validation" else ()


def split_editor(studio: Studio, rng: Random) -> Drawn:
    """Two or three files beside each other, each with its tabs."""
    seen, font = chosen(studio, rng, 12)
    count = rng.choice((2, 2, 3))
    width, height = 780, rng.randint(380, 520)
    image = Image.new("RGB", (width, height), seen.ground)
    for place in range(count):
        pane = Image.new("RGB", (width // count - 2, height - 20), seen.ground)
        pen = ImageDraw.Draw(pane)
        code = codes.some(studio, rng, (height - 60) // step_of(font))
        tabs(studio, rng, pen, seen, (0, 0, pane.width, 26), code.name)
        numbers(pen, seen, font, (0, 32), (height - 60) // step_of(font), rng.randint(1, 400))
        write(pen, code, seen, font, (46, 32))
        image.paste(pane, (place * width // count, 0))
    status(studio, rng, ImageDraw.Draw(image), (0, height - 20, width, height), code)
    return Drawn(image, "editor", "screen", code.source, code.licence)


def proposals(studio: Studio, rng: Random) -> Drawn:
    """An editor with a list of what might come next, a line marked."""
    seen, font = chosen(studio, rng, 14)
    image = Image.new("RGB", (rng.randint(460, 680), rng.randint(280, 440)), seen.ground)
    pen = ImageDraw.Draw(image)
    count = image.height // step_of(font)
    code = codes.some(studio, rng, count)
    row = rng.randint(1, max(2, count // 2))
    top = 6 + row * step_of(font)
    pen.rectangle((0, top, image.width, top + step_of(font)), fill=seen.shade(22))
    numbers(pen, seen, font, (0, 6), count, rng.randint(1, 300))
    write(pen, code, seen, font, (54, 6))
    left, top = rng.randint(90, 200), top + step_of(font)
    rows = rng.randint(4, 8)
    box = (left, top, left + 230, top + rows * 21 + 4)
    pen.rectangle(box, fill=seen.shade(14), outline=seen.shade(70))
    for line in range(rows):
        y = top + 3 + line * 21
        if line == 0:
            pen.rectangle((left + 1, y, left + 229, y + 20), fill=(4, 90, 160))
        mark = tuple(rng.randint(90, 220) for _ in "rgb")
        pen.rectangle((left + 7, y + 5, left + 17, y + 15), outline=mark, width=2)
        text = f"{rng.choice(codes.VERBS)}_{rng.choice(codes.NOUNS)}"
        ink = (255, 255, 255) if line == 0 else seen.ink
        pen.text((left + 26, y + 2), text, font=font, fill=ink)
    return Drawn(image, "editor", "screen", code.source, code.licence)


def debugger(studio: Studio, rng: Random) -> Drawn:
    """Code that stands still: a red dot, a yellow line, variables on a side."""
    seen, font = chosen(studio, rng, 12)
    width, height = rng.randint(640, 780), rng.randint(380, 500)
    image = Image.new("RGB", (width, height), seen.ground)
    pen = ImageDraw.Draw(image)
    count, side = (height - 40) // step_of(font), rng.choice((0, width - 210))
    left = 212 if side == 0 else 0
    row = rng.randint(2, count - 2)
    y = 34 + row * step_of(font)
    pen.rectangle(
        (left, y, left + width - 212, y + step_of(font)),
        fill=(90, 84, 20) if seen.dark else (255, 250, 180),
    )
    code = codes.some(studio, rng, count)
    numbers(pen, seen, font, (left + 14, 34), count, rng.randint(1, 600))
    write(pen, narrow(code, 70, count), seen, font, (left + 62, 34))
    for _ in range(rng.randint(1, 3)):
        y = 38 + rng.randint(0, count - 1) * step_of(font)
        pen.ellipse((left + 4, y, left + 14, y + 10), fill=(229, 20, 0))
    pen.rectangle((side, 0, side + 210, height), fill=seen.shade(12))
    sans = studio.fonts.any(SANS[:5], 12, rng)
    people = studio.people(rng)
    for line in range(height // 20):
        name = rng.choice(codes.NOUNS)
        value = rng.choice((str(rng.randint(0, 999)), f"'{people.word()}'", "None", "{...}"))
        text = rng.choice(("VARIABLES", "CALL STACK")) if line % 9 == 0 else f"  {name}: {value}"
        pen.text((side + 8, 6 + line * 20), text, font=sans, fill=seen.shade(150))
    pen.rounded_rectangle((width // 2 - 80, 4, width // 2 + 80, 28), 5, fill=seen.shade(40))
    for place in range(6):
        x = width // 2 - 70 + place * 24
        pen.polygon(
            [(x, 9), (x + 11, 16), (x, 23)], fill=rng.choice(((80, 180, 90), (60, 140, 220)))
        )
    return Drawn(image, "editor", "screen", code.source, code.licence)


def playground(studio: Studio, rng: Random) -> Drawn:
    """Three blocks of code above, what they draw below."""
    image = Image.new("RGB", (760, 500), (30, 31, 38))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 13, rng)
    for place, word in enumerate(("HTML", "CSS", "JS")):
        inner, code, _ = block(studio, rng, (246, rng.randint(220, 250)), 11)
        image.paste(inner, (5 + place * 252, 34))
        pen.text((14 + place * 252, 10), word, font=font, fill=(200, 202, 210))
    pen.rectangle((5, 292, 755, 495), fill=(255, 255, 255))
    for _ in range(rng.randint(2, 6)):
        x, y, side = rng.randint(20, 660), rng.randint(300, 420), rng.randint(20, 70)
        fill = tuple(rng.randint(60, 240) for _ in "rgb")
        pen.rounded_rectangle((x, y, x + side * 2, y + side), rng.randint(0, 20), fill=fill)
    return Drawn(image, "editor", "screen", code.source, code.licence)


def notebook_rows(studio: Studio, rng: Random) -> Drawn:
    """Cells of code, below them a table or a small plot."""
    seen, font = chosen(studio, rng, 12)
    image = Image.new("RGB", (660, rng.randint(420, 560)), seen.ground)
    pen, y = ImageDraw.Draw(image), 12
    sans = studio.fonts.any(SANS[:5], 12, rng)
    people = studio.people(rng)
    while y < image.height - 60:
        lines = rng.randint(1, 6)
        code = codes.some(studio, rng, lines)
        high = lines * step_of(font) + 12
        pen.rounded_rectangle(
            (70, y, 645, y + high), 3, fill=seen.shade(14), outline=seen.shade(34)
        )
        pen.text((12, y + 5), f"In [{rng.randint(1, 90)}]:", font=font, fill=(60, 110, 190))
        write(pen, narrow(code, 76, lines), seen, font, (78, y + 6))
        y += high + 10
        if rng.random() < 0.5:
            for row in range(rng.randint(3, 6)):
                cells = "".join(
                    f"{people.word()[:9] if row == 0 else rng.randint(0, 9999)!s:>14}"
                    for _ in range(5)
                )
                pen.text((80, y), cells, font=sans, fill=seen.shade(150))
                y += 19
        elif rng.random() < 0.5:
            pen.rectangle((90, y, 370, y + 110), fill=(255, 255, 255), outline=(120, 120, 120))
            walk = dice(rng).normal(0, 12, 30).cumsum() * 0.6
            points = [
                (94 + x * 9, min(y + 106, max(y + 4, y + 55 + v))) for x, v in enumerate(walk)
            ]
            pen.line(points, fill=(31, 119, 180), width=2)
            y += 118
        y += 8
    return Drawn(image, "notebook", "screen", code.source, code.licence)


def modal(studio: Studio, rng: Random) -> Drawn:
    """An editor of characters alone: tildes below the end, a mode in the last line."""
    seen, font = chosen(studio, rng, 14)
    image = Image.new("RGB", (rng.randint(520, 700), rng.randint(340, 480)), seen.ground)
    pen, step = ImageDraw.Draw(image), step_of(font)
    count = image.height // step - 2
    code = codes.some(studio, rng, rng.randint(max(3, count // 2), count))
    left = 8
    used = len(code.text.split("\n"))
    if rng.random() < 0.5:
        numbers(pen, seen, font, (0, 4), used, rng.randint(1, 200))
        left = 52
    write(pen, code, seen, font, (left, 4))
    for row in range(used, count):
        pen.text((8, 4 + row * step), "~", font=font, fill=(90, 110, 220))
    y = 4 + count * step
    pen.rectangle((0, y, image.width, y + step), fill=seen.shade(60))
    text = f" {rng.choice(('NORMAL', 'INSERT', 'VISUAL'))}  {code.name}  {rng.randint(1, 99)}%"
    pen.text((4, y), text, font=font, fill=seen.ink)
    pen.text(
        (4, y + step), rng.choice((":wq", "-- INSERT --", "/todo", "")), font=font, fill=seen.ink
    )
    return Drawn(image, kind_of(code), "screen", code.source, code.licence)


def conflict(studio: Studio, rng: Random) -> Drawn:
    """Two versions of some lines between marks."""
    seen, font = chosen(studio, rng, 13)
    step, y = step_of(font), 8
    image = Image.new("RGB", (620, step * 24 + 16), seen.ground)
    pen = ImageDraw.Draw(image)
    marks = ("<<<<<<< HEAD", "=======", f">>>>>>> feature/{rng.choice(codes.NOUNS)}", "")
    for place, mark in enumerate(marks):
        lines = rng.randint(2, 6)
        code = narrow(codes.some(studio, rng, lines), 70, lines)
        if place in (1, 2):
            fill = change(seen, "+") if place == 1 else seen.shade(34)
            pen.rectangle((0, y, 620, y + lines * step), fill=fill)
        write(pen, code, seen, font, (12, y))
        y += lines * step
        pen.text((12, y), mark, font=font, fill=seen.ink)
        y += step
    return Drawn(image, "difference", "screen", code.source, code.licence)


def few_lines(studio: Studio, rng: Random) -> Drawn:
    """One to four lines on an empty page, small or large."""
    seen, font = chosen(studio, rng, rng.choice((13, 18, 26)))
    lines = rng.randint(1, 4)
    code = codes.some(studio, rng, lines)
    size = rng.randint(360, 640), rng.randint(lines * step_of(font) + 30, 300)
    image = Image.new("RGB", size, seen.ground)
    top = rng.randint(8, max(9, size[1] - lines * step_of(font) - 10))
    write(ImageDraw.Draw(image), code, seen, font, (rng.randint(8, 60), top))
    return Drawn(image, kind_of(code), "screen", code.source, code.licence)


def _desk(studio: Studio, rng: Random, size: tuple[int, int]) -> Drawn:
    """An editor with what stands round it, in a random order of sides."""
    seen, font = chosen(studio, rng, 12)
    width, height = size
    image = Image.new("RGB", size, seen.ground)
    pen = ImageDraw.Draw(image)
    code = codes.some(studio, rng, height // step_of(font))
    side = rng.choice((0, 120))
    numbers(pen, seen, font, (side, 30), height // step_of(font), rng.randint(1, 99))
    write(pen, code, seen, font, (side + 44, 30))
    tree(studio, rng, pen, seen, (0, 0, side, height))
    tabs(studio, rng, pen, seen, (side, 0, width, 25), code.name)
    if rng.random() < 0.6:
        small_map(rng, pen, seen, (width - 60, 26, width, height))
    status(studio, rng, pen, (0, height - 19, width, height), code)
    return Drawn(image, "editor", "screen", code.source, code.licence)


def laptop_code(studio: Studio, rng: Random) -> Drawn:
    """A laptop whose screen shows an editor."""
    desk = _desk(studio, rng, (600, 370))
    image = laptop(desk.image, rng)
    if rng.random() < 0.5:
        image = image.rotate(rng.gauss(0, 4), BILINEAR, fillcolor=(88, 86, 84))
    return Drawn(image, "editor", "scene", desk.source, desk.licence)


def distant(studio: Studio, rng: Random) -> Drawn:
    """A large screen with an editor, its letters too small to read."""
    desk = _desk(studio, rng, (rng.randint(1000, 1400), rng.randint(640, 860)))
    return Drawn(
        desk.image.resize((560, 350), BILINEAR), "editor", "screen", desk.source, desk.licence
    )


def plain_editor(studio: Studio, rng: Random) -> Drawn:
    """A simple program for text: a head in inverse letters, two lines of keys below."""
    seen, font = chosen(studio, rng, 13)
    step = step_of(font)
    image = Image.new("RGB", (600, step * 24), seen.ground)
    pen = ImageDraw.Draw(image)
    code = codes.some(studio, rng, 18)
    pen.rectangle((0, 0, 600, step), fill=seen.ink)
    pen.text(
        (6, 0), f"  editor 7.{rng.randint(0, 9)}          {code.name}", font=font, fill=seen.ground
    )
    write(pen, narrow(code, 76, 18), seen, font, (6, step * 2))
    for row in (22, 23):
        text = "^G Help   ^O Write   ^W Search   ^K Cut   ^U Paste"
        pen.text((6, step * row - 4), text, font=font, fill=seen.ink)
    return Drawn(image, kind_of(code), "screen", code.source, code.licence)
