"""Code where people meet it outside of editors: slides, chats, answers, books, articles."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures import codes
from build_engines.pictures.codes import Code
from build_engines.pictures.devices import browser, telephone
from build_engines.pictures.fonts import MONO, SANS, SERIF, Font
from build_engines.pictures.listings import Look, chosen, kind_of, look, numbers, step_of, write
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, named

Colour = tuple[int, int, int]


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(slide, messenger, answer, printed, handbook, pocket, assistant)
    return ()


def narrow(code: Code, columns: int, lines: int) -> Code:
    """The code cut to a block of so many columns and lines."""
    rows = [line[:columns] for line in code.text.split("\n")[:lines]]
    return replace(code, text="\n".join(rows))


def block(
    studio: Studio, rng: Random, size: tuple[int, int], points: int = 13
) -> tuple[Image.Image, Code, Look]:
    """A box with as much code as there is room for."""
    seen, font = chosen(studio, rng, points)
    lines = max(2, (size[1] - 16) // step_of(font))
    columns = int((size[0] - 20) / font.getlength("m"))
    code = narrow(codes.some(studio, rng, lines), columns, lines)
    image = Image.new("RGB", size, seen.ground)
    write(ImageDraw.Draw(image), code, seen, font, (10, 8))
    return image, code, seen


def prose(
    pen: ImageDraw.ImageDraw,
    text: str,
    font: Font,
    box: tuple[int, int, int],
    ink: Colour,
) -> int:
    """Words in lines from (left, top), `width` px wide; gives the y below."""
    left, y, width = box
    line = ""
    for word in text.split():
        if font.getlength(f"{line} {word}") > width and line:
            pen.text((left, y), line, font=font, fill=ink)
            line, y = "", y + int(font.size * 1.45)
        line = f"{line} {word}".strip()
    pen.text((left, y), line, font=font, fill=ink)
    return y + int(font.size * 1.6)


def framed(image: Image.Image, code: Code) -> Drawn:
    return Drawn(image, kind_of(code) or "post", "screen", code.source, code.licence)


def slide(studio: Studio, rng: Random) -> Drawn:
    """A title, a few words, a block of code, a page number."""
    people, dark = studio.people(rng), rng.random() < 0.4
    ground: Colour = (28, 30, 40) if dark else (255, 255, 255)
    ink: Colour = (240, 240, 240) if dark else (40, 40, 50)
    image = Image.new("RGB", (680, rng.choice((384, 510))), ground)
    pen = ImageDraw.Draw(image)
    accent: Colour = (rng.randint(20, 220), rng.randint(60, 160), rng.randint(60, 220))
    if rng.random() < 0.5:
        pen.rectangle((0, 0, 680, 58), fill=accent)
    title = studio.fonts.any(SANS[:5], 27, rng, bold=True)
    pen.text((30, 13), people.sentence(4).rstrip("."), font=title, fill=ink)
    body = studio.fonts.any(SANS[:5], 16, rng)
    y = 72
    for _ in range(rng.randint(0, 2)):
        pen.text((34, y), f"•  {people.sentence(7)}", font=body, fill=ink)
        y += 26
    inner, code, _ = block(studio, rng, (600, image.height - y - 40), 16)
    image.paste(inner, (40, y + 6))
    pen.text((640, image.height - 26), str(rng.randint(2, 90)), font=body, fill=ink)
    return framed(image, code)


def messenger(studio: Studio, rng: Random) -> Drawn:
    """A talk of two people, with code between their words."""
    people, dark = studio.people(rng), rng.random() < 0.5
    ground: Colour = (49, 51, 56) if dark else (250, 250, 252)
    ink: Colour = (220, 222, 226) if dark else (40, 42, 46)
    image = Image.new("RGB", (600, 470), ground)
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 14, rng)
    bold = studio.fonts.any(SANS[:5], 14, rng, bold=True)
    y, code = 14, Code("", "", "", "", "")
    for talk in range(3):
        fill = tuple(rng.randint(60, 220) for _ in "rgb")
        pen.ellipse((14, y, 50, y + 36), fill=fill)
        pen.text(
            (62, y),
            f"{people.first_name()}   {rng.randint(0, 23)}:{rng.randint(0, 59):02}",
            font=bold,
            fill=ink,
        )
        y = prose(pen, people.sentence(rng.randint(4, 16)), font, (62, y + 20, 510), ink)
        if talk == 0 or rng.random() < 0.4:
            high = rng.randint(90, 240)
            inner, code, seen = block(studio, rng, (510, high), 12)
            image.paste(inner, (62, y))
            pen.rounded_rectangle((61, y - 1, 572, y + high), 4, outline=seen.shade(40))
            y += high + 10
    return framed(image, code)


def answer(studio: Studio, rng: Random) -> Drawn:
    """Question and answer: votes on the left, words, code on grey, words."""
    people = studio.people(rng)
    image = Image.new("RGB", (680, 520), (255, 255, 255))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 14, rng)
    head = studio.fonts.any(SANS[:5], 21, rng)
    ink: Colour = (35, 38, 41)
    y = prose(pen, people.sentence(8).rstrip(".") + "?", head, (20, 14, 640), ink)
    pen.line((20, y, 660, y), fill=(214, 217, 220))
    grey = (187, 192, 197)
    pen.polygon([(38, y + 30), (58, y + 30), (48, y + 16)], fill=grey)
    pen.text((38, y + 36), str(rng.randint(-2, 900)), font=head, fill=(107, 115, 122))
    pen.polygon([(38, y + 68), (58, y + 68), (48, y + 82)], fill=grey)
    y = prose(pen, people.sentence(rng.randint(12, 26)), font, (90, y + 14, 560), ink)
    high = rng.randint(130, 300)
    inner, code, _ = block(studio, rng, (570, high), 13)
    image.paste(inner, (90, y))
    y = prose(pen, people.sentence(rng.randint(8, 30)), font, (90, y + high + 12, 560), ink)
    for place in range(3):
        pen.rounded_rectangle(
            (90 + place * 84, y, 166 + place * 84, y + 22), 4, fill=(225, 236, 244)
        )
        pen.text((98 + place * 84, y + 3), people.word()[:9], font=font, fill=(57, 115, 157))
    page = browser(image, studio, rng) if rng.random() < 0.6 else image
    return framed(page, code)


def printed(studio: Studio, rng: Random) -> Drawn:
    """A page of a book on programming: black letters, a caption, words above and below."""
    people = studio.people(rng)
    image = Image.new("RGB", (470, 640), (252, 250, 244))
    pen = ImageDraw.Draw(image)
    serif = studio.fonts.any(SERIF, 14, rng)
    small = studio.fonts.any(SERIF, 12, rng, bold=True)
    ink: Colour = (24, 24, 24)
    y = prose(pen, people.paragraph(rng.randint(1, 4)), serif, (40, 36, 390), ink)
    pen.text(
        (40, y + 4),
        f"Listing {rng.randint(1, 14)}.{rng.randint(1, 30)}: {people.sentence(4)}",
        font=small,
        fill=ink,
    )
    seen = replace(look("default"), inks={}, ground=(252, 250, 244), ink=ink)
    font = studio.fonts.any(MONO[studio.split], rng.randint(10, 13), rng)
    lines = rng.randint(10, 24)
    code = narrow(codes.some(studio, rng, lines), int(350 / font.getlength("m")), lines)
    top = y + 28
    pen.line((40, top - 4, 430, top - 4), fill=ink)
    left = 44
    if rng.random() < 0.6:
        numbers(pen, seen, font, (32, top), lines, 1)
        left = 76
    below = write(pen, code, seen, font, (left, top)) + step_of(font)
    pen.line((40, below, 430, below), fill=ink)
    if below < 560:
        prose(pen, people.paragraph(3), serif, (40, below + 14, 390), ink)
    pen.text((226, 612), str(rng.randint(20, 700)), font=serif, fill=ink)
    return Drawn(image, kind_of(code) or "post", "paper", code.source, code.licence)


def handbook(studio: Studio, rng: Random) -> Drawn:
    """Documentation: a list of chapters, a heading, words, two blocks of code."""
    people, dark = studio.people(rng), rng.random() < 0.3
    ground: Colour = (24, 26, 27) if dark else (255, 255, 255)
    ink: Colour = (222, 222, 222) if dark else (50, 50, 60)
    image = Image.new("RGB", (760, 500), ground)
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 13, rng)
    pen.rectangle((0, 0, 170, 500), fill=tuple(max(0, one - 10) for one in ground))
    for line in range(18):
        x = 16 + rng.choice((0, 0, 14))
        pen.text((x, 20 + line * 25), people.bs()[:16].title(), font=font, fill=ink)
    head = studio.fonts.any(SANS[:5], 25, rng, bold=True)
    pen.text((196, 18), people.bs()[:30].title(), font=head, fill=ink)
    y = 62
    for _ in range(2):
        y = prose(pen, people.paragraph(rng.randint(1, 3)), font, (196, y, 530), ink)
        high = rng.randint(90, 190)
        inner, code, _ = block(studio, rng, (540, high), 12)
        image.paste(inner, (196, y))
        y += high + 12
    return Drawn(
        browser(image, studio, rng), kind_of(code) or "post", "screen", code.source, code.licence
    )


def pocket(studio: Studio, rng: Random) -> Drawn:
    """Code on a telephone, its lines cut on the right."""
    inner, code, seen = block(studio, rng, (320, rng.randint(440, 600)), rng.choice((11, 14, 17)))
    image = Image.new("RGB", (320, inner.height + 44), seen.shade(20))
    image.paste(inner, (0, 44))
    pen = ImageDraw.Draw(image)
    pen.text((48, 12), code.name[:24], font=studio.fonts.any(SANS[:5], 16, rng), fill=seen.ink)
    for line in range(3):
        pen.line((14, 16 + line * 6, 34, 16 + line * 6), fill=seen.ink, width=2)
    return framed(telephone(image, studio, rng), code)


def assistant(studio: Studio, rng: Random) -> Drawn:
    """A program that writes code: a question in a bubble, a block with its language above."""
    people, dark = studio.people(rng), rng.random() < 0.5
    ground: Colour = (33, 33, 33) if dark else (255, 255, 255)
    ink: Colour = (236, 236, 236) if dark else (25, 25, 25)
    image = Image.new("RGB", (rng.randint(420, 680), rng.randint(420, 620)), ground)
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 14, rng)
    right = image.width - 24
    pen.rounded_rectangle(
        (right - 260, 14, right, 66), 16, fill=(128, 128, 128) if dark else (236, 238, 242)
    )
    prose(pen, people.sentence(7), font, (right - 246, 22, 232), ink)
    y = prose(pen, people.sentence(14), font, (24, 84, image.width - 48), ink)
    high = rng.randint(160, 300)
    inner, code, seen = block(studio, rng, (image.width - 48, high), 13)
    pen.rounded_rectangle((24, y, right, y + high + 26), 8, fill=seen.shade(30))
    pen.text((34, y + 5), code.language, font=font, fill=seen.ink)
    pen.text((right - 60, y + 5), "Copy", font=font, fill=seen.ink)
    image.paste(inner, (24, y + 26))
    prose(pen, people.paragraph(3), font, (24, y + high + 40, image.width - 48), ink)
    return framed(image, code)
