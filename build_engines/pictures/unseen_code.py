"""Newer test templates of source code: in chats, pages, slides, cells, and before a camera."""

from __future__ import annotations

import re
from random import Random

import numpy as np
from PIL import Image, ImageDraw

from build_engines.pictures import codes
from build_engines.pictures.codes import Code
from build_engines.pictures.fonts import MONO
from build_engines.pictures.listings import Look, chosen, kind_of, look, numbers, step_of, write
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template
from build_engines.pictures.unseen_props import CUBIC, Brush, Colour, laptop, phone

LIGHT, DARK = ("colorful", "gruvbox-light"), ("dracula", "nord", "zenburn")
_SIGNS = re.compile(r"[(){}=;]|^\s*(return|if|for|else|import|from|def|class)\b")
GREY: Colour = (110, 116, 126)
ASKED = (
    "why does this return None?",
    "can you add a test for it",
    "make it faster please",
    "what is wrong in this function",
    "convert this to Go",
    "it fails with an index error",
)


def templates() -> tuple[Template, ...]:
    return (
        new_chat_answer,
        new_pull_request,
        new_talk_slide,
        new_cells,
        new_laptop_photo,
        new_shared_card,
        new_completion,
        new_zoomed_lines,
    )


def _dense(studio: Studio, rng: Random, lines: int, language: str = "") -> Code:
    """Code with few comments, not the words of a file's documentation; the densest of some."""
    best, most = codes.some(studio, rng, lines), -1.0
    for _ in range(12):
        code = codes.some(studio, rng, lines)
        rows = code.text.split("\n")
        full = sum(bool(_SIGNS.search(row)) for row in rows) / max(len(rows), lines * 0.8)
        full -= 1 if language and code.language != language else 0
        if full > most:
            best, most = code, full
        if full > 0.55:
            break
    return best


def _drawn(image: Image.Image, code: Code, kind: str, shot: str = "screen") -> Drawn:
    if shot == "scene":
        return Drawn(image, kind, "scene", code.source, code.licence)
    return Drawn(image, kind, "screen", code.source, code.licence)


def _block(
    studio: Studio, rng: Random, code: Code, seen: Look, size: tuple[int, int], font: int
) -> Image.Image:
    """The code alone on its ground."""
    image = Image.new("RGB", size, seen.ground)
    write(
        ImageDraw.Draw(image), code, seen, studio.fonts.any(MONO[studio.split], font, rng), (12, 10)
    )
    return image


def new_chat_answer(studio: Studio, rng: Random) -> Drawn:
    """A phone: a question in a bubble, below it a block of code as the answer."""
    dark = rng.random() < 0.6
    content = Image.new("RGB", (360, 640), (24, 24, 28) if dark else (255, 255, 255))
    brush = Brush(studio, content)
    ink: Colour = (232, 232, 236) if dark else (30, 30, 34)
    brush.pen.rounded_rectangle(
        (70, 14, 346, 62), 16, fill=(60, 62, 72) if dark else (232, 238, 246)
    )
    brush.say((86, 28), rng.choice(ASKED), 15, ink, face="roboto")
    code = _dense(studio, rng, 25)
    seen = look(rng.choice(DARK))
    brush.pen.rounded_rectangle((10, 84, 350, 600), 10, fill=(52, 53, 65))
    brush.say((22, 90), code.language, 13, (220, 220, 226), face="roboto")
    brush.say((340, 90), "Copy code", 13, (220, 220, 226), face="roboto", right=True)
    content.paste(_block(studio, rng, code, seen, (340, 488), rng.randint(11, 14)), (10, 114))
    return _drawn(phone(content, studio, rng, dark=dark), code, kind_of(code))


def new_pull_request(studio: Studio, rng: Random) -> Drawn:
    """Changed lines of a file on a web page, a remark between them."""
    image = Image.new("RGB", (720, 560), (255, 255, 255))
    brush = Brush(studio, image)
    people, code = studio.people(rng), _dense(studio, rng, 27)
    brush.say(
        (20, 12),
        f"{rng.choice(codes.VERBS).title()} the {rng.choice(codes.NOUNS)} #{rng.randint(10, 4000)}",
        22,
        face="noto_sans",
    )
    brush.pen.rounded_rectangle((20, 48, 84, 72), 11, fill=(31, 136, 61))
    brush.say((34, 52), "Open", 14, (255, 255, 255), bold=True)
    brush.say(
        (94, 53),
        f"{people.user_name()} wants to merge {rng.randint(1, 9)} commits into main",
        13,
        GREY,
    )
    brush.pen.rectangle((20, 86, 700, 552), outline=(208, 215, 222))
    brush.pen.rectangle((20, 86, 700, 116), fill=(246, 248, 250), outline=(208, 215, 222))
    brush.say((34, 94), f"src/{code.name}", 13, face="ibm_plex_mono")
    seen = look("colorful")
    font = studio.fonts.any(MONO[studio.split], 12, rng)
    y, break_at = 118, rng.randint(6, 14)
    for row, text in enumerate(code.text.split("\n")):
        if y > 534:
            break
        mark = rng.choice("  +++-") if 2 < row < 20 else " "
        ground = {"+": (218, 251, 225), "-": (255, 235, 233)}.get(mark, (255, 255, 255))
        brush.pen.rectangle((21, y, 699, y + 16), fill=ground)
        brush.say((28, y + 1), f"{row + 40:>4} {mark}", 12, GREY, face="ibm_plex_mono")
        write(brush.pen, Code(code.language, "", text, "", ""), seen, font, (96, y))
        y += 17
        if row == break_at:
            brush.pen.rounded_rectangle(
                (60, y + 4, 660, y + 58), 6, fill=(255, 255, 255), outline=(208, 215, 222)
            )
            brush.say((74, y + 10), people.user_name(), 13, bold=True)
            brush.say((74, y + 32), rng.choice(ASKED), 13)
            y += 64
    return _drawn(image, code, "difference")


def new_talk_slide(studio: Studio, rng: Random) -> Drawn:
    """A slide of a talk: a title and a large listing."""
    dark = rng.random() < 0.5
    seen = look(rng.choice(DARK if dark else LIGHT))
    image = Image.new("RGB", (720, 405), seen.shade(12) if dark else (255, 255, 255))
    brush = Brush(studio, image)
    accent = rng.choice(((220, 80, 60), (60, 130, 220), (250, 190, 60), (80, 170, 120)))
    title = rng.choice(
        (
            "How it works",
            "Step 2: the loop",
            "A small example",
            "Before",
            "After",
            "Type hints help",
        )
    )
    brush.say(
        (36, 20), title, 32, seen.ink if dark else (30, 34, 40), face="barlow_condensed", bold=True
    )
    brush.pen.rectangle((36, 64, 120, 68), fill=accent)
    code = _dense(studio, rng, rng.randint(9, 13))
    image.paste(_block(studio, rng, code, seen, (648, 290), rng.randint(15, 18)), (36, 86))
    brush.say((690, 382), str(rng.randint(2, 60)), 13, GREY, right=True)
    return _drawn(image, code, kind_of(code))


def new_cells(studio: Studio, rng: Random) -> Drawn:
    """Cells of a notebook with what they gave."""
    image = Image.new("RGB", (700, 560), (255, 255, 255))
    brush = Brush(studio, image)
    brush.pen.rectangle((0, 0, 700, 34), fill=(240, 240, 240))
    brush.say((14, 8), "File   Edit   View   Run   Kernel   Help", 14, GREY, face="roboto")
    y, count, code = 46, rng.randint(1, 40), _dense(studio, rng, 8, "python")
    while y < 540:
        high = rng.randint(5, 9)
        code = _dense(studio, rng, high, "python")
        brush.say((10, y + 10), f"In [{count}]:", 13, (48, 63, 159), face="ibm_plex_mono")
        block = _block(studio, rng, code, look("colorful"), (580, high * 17 + 14), 12)
        image.paste(block, (100, y))
        brush.pen.rectangle((100, y, 680, y + block.height), outline=(207, 207, 207))
        y += block.height + 8
        if rng.random() < 0.6:
            brush.say((6, y + 2), f"Out[{count}]:", 13, (216, 67, 21), face="ibm_plex_mono")
            values = ", ".join(f"{rng.uniform(-2, 9):.3f}" for _ in range(rng.randint(1, 6)))
            brush.say((104, y + 2), f"array([{values}])", 13, face="ibm_plex_mono")
            y += 30
        count += 1
        y += 10
    return _drawn(image, code, "notebook")


def _editor(
    studio: Studio, rng: Random, code: Code, seen: Look, size: tuple[int, int]
) -> Image.Image:
    """A window of an editor: icons, files, numbered lines, a bar below."""
    image = Image.new("RGB", size, seen.ground)
    brush, font = Brush(studio, image), studio.fonts.any(MONO[studio.split], 13, rng)
    width, height = size
    brush.pen.rectangle((0, 0, 40, height), fill=seen.shade(26))
    for place in range(6):
        brush.pen.rounded_rectangle(
            (11, 16 + place * 42, 29, 34 + place * 42), 4, outline=seen.shade(110), width=2
        )
    brush.pen.rectangle((40, 0, 170, height), fill=seen.shade(10))
    for row in range(height // 22):
        ending = rng.choice(("py", "ts", "go", "md"))
        name = f"{rng.choice(codes.NOUNS)}_{rng.choice(codes.NOUNS)}.{ending}"
        brush.say(
            (52 + rng.choice((0, 12)), 10 + row * 22), name[:15], 12, seen.shade(130), face="roboto"
        )
    brush.pen.rectangle((170, 0, width, 28), fill=seen.shade(18))
    brush.say((186, 6), code.name[:24], 13, seen.ink, face="roboto")
    lines = code.text.count("\n") + 1
    numbers(
        brush.pen,
        seen,
        font,
        (172, 36),
        min(lines, (height - 60) // step_of(font)),
        rng.randint(1, 300),
    )
    write(brush.pen, code, seen, font, (220, 36))
    brush.pen.rectangle(
        (0, height - 20, width, height),
        fill=rng.choice(((0, 122, 204), (104, 33, 122), (40, 44, 52))),
    )
    brush.say(
        (10, height - 18),
        "main*   0 errors   UTF-8   " + code.language,
        12,
        (255, 255, 255),
        face="roboto",
    )
    return image


def new_laptop_photo(studio: Studio, rng: Random) -> Drawn:
    """A laptop with an editor, photographed by somebody who sits before it."""
    code, (seen, _) = _dense(studio, rng, 24), chosen(studio, rng)
    return _drawn(
        laptop(_editor(studio, rng, code, seen, (640, 410)), rng), code, "editor", "scene"
    )


def new_shared_card(studio: Studio, rng: Random) -> Drawn:
    """Code in a window on a coloured ground, as people share it."""
    corners = np.array(
        [[[rng.randint(40, 250) for _ in "rgb"] for _ in range(2)] for _ in range(2)], np.uint8
    )
    code, seen = _dense(studio, rng, rng.randint(8, 16)), look(rng.choice(DARK))
    size = rng.randint(13, 16)
    high = (code.text.count("\n") + 1) * int(size * 1.4) + 30
    image = Image.fromarray(corners, "RGB").resize((620, high + 130), CUBIC)
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((48, 40, 572, high + 90), 10, fill=seen.ground)
    for place, ink in enumerate(((255, 95, 86), (255, 189, 46), (39, 201, 63))):
        pen.ellipse((64 + place * 22, 54, 77 + place * 22, 67), fill=ink)
    image.paste(_block(studio, rng, code, seen, (512, high - 10), size), (54, 80))
    return _drawn(image, code, kind_of(code))


def new_completion(studio: Studio, rng: Random) -> Drawn:
    """An editor with a list of completions or a hint over the code."""
    code, (seen, _) = _dense(studio, rng, 26), chosen(studio, rng)
    image = _editor(studio, rng, code, seen, (720, 470))
    brush = Brush(studio, image)
    x, y = rng.randint(260, 420), rng.randint(80, 260)
    rows = rng.randint(4, 7)
    brush.pen.rectangle((x, y, x + 230, y + rows * 22), fill=seen.shade(30), outline=seen.shade(80))
    brush.pen.rectangle(
        (x, y, x + 230, y + 22), fill=(9, 71, 113) if seen.dark else (198, 222, 250)
    )
    for row in range(rows):
        name = f"{rng.choice(codes.VERBS)}_{rng.choice(codes.NOUNS)}"
        brush.say((x + 28, y + 3 + row * 22), name, 13, seen.ink, face="jetbrains_mono")
        brush.pen.rectangle(
            (x + 8, y + 6 + row * 22, x + 18, y + 16 + row * 22), fill=(180, 120, 210)
        )
    return _drawn(image, code, "editor")


def new_zoomed_lines(studio: Studio, rng: Random) -> Drawn:
    """A few large lines, one of them marked, and a remark below."""
    code, (seen, _) = _dense(studio, rng, rng.randint(8, 12)), chosen(studio, rng)
    image = Image.new("RGB", (640, rng.randint(220, 330)), seen.ground)
    font = studio.fonts.any(MONO[studio.split], rng.randint(18, 24), rng)
    pen = ImageDraw.Draw(image)
    y = 16 + rng.randint(0, 4) * step_of(font)
    pen.rectangle((0, y, 640, y + step_of(font)), fill=seen.shade(28))
    write(pen, code, seen, font, (24, 16))
    return _drawn(image, code, kind_of(code))
