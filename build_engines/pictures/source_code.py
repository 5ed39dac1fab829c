"""Screens with source code: bare listings, editors, notebooks, differences, reviews on the web."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures import code_desks, code_pages, code_posts, codes, unseen_code
from build_engines.pictures.codes import Code
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
from build_engines.pictures.studio import Named, Studio, Template, named


def templates(split: Split) -> Named:
    chosen: dict[Split, tuple[Template, ...]] = {
        "train": (listing, editor, editor, notebook, difference, large_print),
        "validation": (window, editor_bottom),
        "test": (ide, side_by_side, web_page, *unseen_code.templates()),
    }
    more = (code_pages, code_posts, code_desks)
    return named(*chosen[split]) + sum((one.templates(split) for one in more), ())


def listing(studio: Studio, rng: Random) -> Drawn:
    """Nothing but code."""
    seen, font = chosen(studio, rng)
    lines = rng.randint(8, 34)
    code = codes.some(studio, rng, lines)
    image = Image.new("RGB", (rng.randint(420, 640), step_of(font) * lines + 20), seen.ground)
    pen = ImageDraw.Draw(image)
    left = 10
    if rng.random() < 0.5:
        numbers(pen, seen, font, (4, 10), lines, rng.randint(1, 400))
        left = 50
    write(pen, code, seen, font, (left, 10))
    return Drawn(image, kind_of(code), "screen", code.source, code.licence)


def large_print(studio: Studio, rng: Random) -> Drawn:
    """A few lines in big letters, as on a slide or a telephone."""
    seen, font = chosen(studio, rng, 24)
    code = codes.some(studio, rng, rng.randint(5, 11))
    image = Image.new("RGB", (560, step_of(font) * 10), seen.ground)
    write(ImageDraw.Draw(image), code, seen, font, (16, 14))
    return Drawn(image, kind_of(code), "screen", code.source, code.licence)


def editor(studio: Studio, rng: Random) -> Drawn:
    """Side bar, tabs, line numbers, status bar."""
    seen, font = chosen(studio, rng)
    width, height = rng.randint(600, 760), rng.randint(400, 520)
    image = Image.new("RGB", (width, height), seen.ground)
    pen = ImageDraw.Draw(image)
    side = rng.choice((0, 110, 150))
    code = codes.some(studio, rng, height // step_of(font))
    tree(studio, rng, pen, seen, (0, 0, side, height))
    tabs(studio, rng, pen, seen, (side, 0, width, 26), code.name)
    numbers(pen, seen, font, (side + 4, 34), (height - 60) // step_of(font), rng.randint(1, 900))
    write(pen, code, seen, font, (side + 52, 34))
    if rng.random() < 0.5:
        small_map(rng, pen, seen, (width - 70, 30, width, height - 20))
    status(studio, rng, pen, (0, height - 20, width, height), code)
    return Drawn(image, "editor", "screen", code.source, code.licence)


def editor_bottom(studio: Studio, rng: Random) -> Drawn:
    """Tabs below, a wide gutter, no side bar."""
    seen, font = chosen(studio, rng)
    image = Image.new("RGB", (680, 440), seen.ground)
    pen = ImageDraw.Draw(image)
    code = codes.some(studio, rng, 24)
    pen.rectangle((0, 0, 60, 440), fill=seen.shade(16))
    numbers(pen, seen, font, (8, 8), 26, 1)
    write(pen, code, seen, font, (72, 8))
    tabs(studio, rng, pen, seen, (0, 412, 680, 440), code.name)
    return Drawn(image, "editor", "screen", code.source, code.licence)


def ide(studio: Studio, rng: Random) -> Drawn:
    """Menu, tool bar, tree on the right, code, and messages below."""
    seen, font = chosen(studio, rng, 12)
    width, height = 760, rng.randint(460, 540)
    image = Image.new("RGB", (width, height), seen.ground)
    pen = ImageDraw.Draw(image)
    small = studio.fonts.any(SANS[:5], 11, rng)
    pen.rectangle((0, 0, width, 22), fill=seen.shade(28))
    pen.text(
        (8, 4),
        "File   Edit   View   Navigate   Code   Refactor   Run   Git   Help",
        font=small,
        fill=seen.ink,
    )
    pen.rectangle((0, 22, width, 46), fill=seen.shade(18))
    for place in range(9):
        colour = (rng.randint(60, 200), rng.randint(60, 200), rng.randint(60, 200))
        pen.rounded_rectangle((10 + place * 26, 27, 26 + place * 26, 41), 3, fill=colour)
    tree(studio, rng, pen, seen, (width - 150, 46, width, height))
    code = codes.some(studio, rng, (height - 190) // step_of(font))
    write(pen, code, seen, font, (44, 54))
    numbers(pen, seen, font, (2, 54), (height - 190) // step_of(font), rng.randint(1, 99))
    pen.rectangle((0, height - 120, width - 150, height), fill=seen.shade(14))
    for line in range(6):
        state = rng.choice(("INFO", "WARN", "PASS", "FAIL"))
        text = f"{state}  {studio.people(rng).file_path()}:{rng.randint(1, 200)}"
        pen.text((10, height - 114 + line * 17), text[:70], font=font, fill=seen.shade(150))
    return Drawn(image, "editor", "screen", code.source, code.licence)


def window(studio: Studio, rng: Random) -> Drawn:
    """A rounded window with three buttons on a gradient, as people post code."""
    seen, font = chosen(studio, rng, 14)
    code = codes.some(studio, rng, rng.randint(8, 18))
    ends = [Image.new("RGB", (1, 1), tuple(rng.randint(40, 255) for _ in "rgb")) for _ in "ab"]
    back = Image.new("RGB", (1, 2))
    back.paste(ends[0], (0, 0))
    back.paste(ends[1], (0, 1))
    image = back.resize((620, step_of(font) * 18 + 110), Image.Resampling.BILINEAR)
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((36, 32, 584, image.height - 32), 10, fill=seen.ground)
    for place, colour in enumerate(((255, 95, 86), (255, 189, 46), (39, 201, 63))):
        pen.ellipse((52 + place * 20, 46, 64 + place * 20, 58), fill=colour)
    write(
        pen,
        Code(
            code.language,
            code.name,
            "\n".join(line[:56] for line in code.text.split("\n")),
            code.source,
            code.licence,
        ),
        seen,
        font,
        (54, 72),
    )
    return Drawn(image, kind_of(code), "screen", code.source, code.licence)


def notebook(studio: Studio, rng: Random) -> Drawn:
    """Cells with numbers in brackets, and what they printed."""
    seen, font = chosen(studio, rng)
    image = Image.new("RGB", (660, 520), seen.shade(-8))
    pen = ImageDraw.Draw(image)
    y, source, licence = 12, "generated", "Apache-2.0"
    for cell in range(1, 5):
        count = rng.randint(2, 7)
        code = codes.some(studio, rng, count)
        source, licence = (
            (code.source, code.licence) if code.source != "generated" else (source, licence)
        )
        high = count * step_of(font) + 14
        pen.rectangle((70, y, 648, y + high), fill=seen.ground, outline=seen.shade(40))
        pen.text((8, y + 7), f"In [{cell}]:", font=font, fill=(80, 110, 200))
        write(pen, code, seen, font, (78, y + 7))
        y += high + 8
        for _ in range(rng.randint(0, 3)):
            pen.text(
                (78, y),
                f"{rng.random() * 100:.4f}   {rng.choice(codes.NOUNS)}   {rng.randint(0, 999)}",
                font=font,
                fill=seen.ink,
            )
            y += step_of(font)
    return Drawn(image, "notebook", "screen", source, licence)


def difference(studio: Studio, rng: Random) -> Drawn:
    """Lines that came and went, green and red."""
    seen, font = chosen(studio, rng)
    count = rng.randint(14, 28)
    code = codes.some(studio, rng, count)
    step = step_of(font)
    image = Image.new("RGB", (640, count * step + 44), seen.ground)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 640, 26), fill=seen.shade(22))
    pen.text(
        (10, 6),
        f"@@ -{rng.randint(1, 300)},7 +{rng.randint(1, 300)},9 @@ {code.name}",
        font=font,
        fill=seen.ink,
    )
    for line in range(count):
        mark = rng.choices(" +-", (6, 2, 2))[0]
        if mark != " ":
            pen.rectangle(
                (0, 32 + line * step, 640, 32 + (line + 1) * step), fill=change(seen, mark)
            )
        pen.text((10, 32 + line * step), mark, font=font, fill=seen.ink)
    write(pen, code, seen, font, (30, 32))
    return Drawn(image, "difference", "screen", code.source, code.licence)


def side_by_side(studio: Studio, rng: Random) -> Drawn:
    """Two versions beside each other."""
    seen, font = chosen(studio, rng, 11)
    step, count = step_of(font), 26
    image = Image.new("RGB", (760, count * step + 40), seen.ground)
    code = codes.some(studio, rng, count)
    for left in (0, 380):
        half = Image.new("RGB", (378, image.height), seen.ground)
        pen = ImageDraw.Draw(half)
        pen.rectangle((0, 0, 378, 22), fill=seen.shade(24))
        pen.text((8, 4), code.name, font=font, fill=seen.ink)
        for line in range(count):
            if rng.random() < 0.25:
                pen.rectangle(
                    (0, 28 + line * step, 378, 28 + (line + 1) * step),
                    fill=change(seen, "-" if left == 0 else "+"),
                )
        numbers(pen, seen, font, (0, 28), count, 1)
        write(pen, code, seen, font, (40, 28))
        image.paste(half, (left, 0))
    return Drawn(image, "difference", "screen", code.source, code.licence)


def web_page(studio: Studio, rng: Random) -> Drawn:
    """A repository's page in a browser: a path, a box with code, a remark of a reviewer."""
    seen, font = chosen(studio, rng, 12)
    image = Image.new("RGB", (720, 560), (255, 255, 255) if not seen.dark else seen.shade(-6))
    pen = ImageDraw.Draw(image)
    sans = studio.fonts.any(SANS[:5], 13, rng)
    pen.rectangle((0, 0, 720, 34), fill=(36, 41, 46))
    pen.text(
        (16, 8),
        f"{rng.choice(codes.NOUNS)}s / {rng.choice(codes.NOUNS)}-{rng.choice(codes.NOUNS)}",
        font=sans,
        fill=(255, 255, 255),
    )
    code = codes.some(studio, rng, 22)
    pen.text((20, 48), f"src / main / {code.name}", font=sans, fill=(9, 105, 218))
    pen.rectangle((16, 72, 704, 470), fill=seen.ground, outline=(200, 205, 210))
    numbers(pen, seen, font, (18, 80), 23, 1)
    write(
        pen,
        Code(
            code.language,
            code.name,
            "\n".join(line[:84] for line in code.text.split("\n")[:22]),
            code.source,
            code.licence,
        ),
        seen,
        font,
        (62, 80),
    )
    pen.rounded_rectangle((60, 480, 690, 545), 6, outline=(200, 205, 210), fill=(255, 255, 255))
    pen.ellipse(
        (22, 484, 50, 512), fill=(rng.randint(80, 220), rng.randint(80, 220), rng.randint(80, 220))
    )
    pen.text((72, 488), studio.people(rng).sentence(12), font=sans, fill=(60, 60, 60))
    return Drawn(image, kind_of(code), "screen", code.source, code.licence)
