"""Documents on a screen: slides, viewers, browsers, sheets of numbers, editors. All of train."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import joined
from build_engines.pictures.leaves import Leaf
from build_engines.pictures.marks import bars, picture
from build_engines.pictures.pages import INK, Colour
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template

WIDE = (660, 372)


def _deck(studio: Studio, rng: Random, ground: Colour, ink: Colour, accent: Colour) -> Drawn:
    """A slide: title, points in one or two columns or a figure, foot with a number."""
    page = Leaf(studio, rng, rng.choice((WIDE, WIDE, (560, 420))), ground)
    page.accent = accent
    width, height = page.image.size
    what = rng.choice(("points", "points", "figure", "columns", "title", "table"))
    if what == "title":
        page.y = height * 0.36
        page.line(
            page.people.sentence(3)[:24], rng.randint(30, 40), bold=True, middle=True, fill=ink
        )
        page.line(page.people.name(), 16, middle=True, fill=accent)
        page.pen.rectangle((0, height - rng.randint(12, 90), width, height), fill=accent)
        return page.done("slide", "screen")
    page.y = rng.randint(20, 34)
    page.line(
        page.people.sentence(4)[:32],
        rng.randint(22, 30),
        bold=True,
        fill=accent if rng.random() < 0.5 else ink,
    )
    if rng.random() < 0.5:
        page.pen.line((page.margin, page.y, width - page.margin, page.y), fill=accent, width=3)
    page.y += 14
    top = page.y
    if what == "table":
        page.grid(rng.randint(3, 5), rng.randint(4, 8), shaded=sum(ground) > 380, height=28)
    else:
        columns = (page.margin, width / 2) if what == "columns" else (page.margin,)
        limit = int(30 if what != "points" else 52) // (2 if page.wide else 1)
        for left in columns:
            page.y = top
            for _ in range(rng.randint(2, 5)):
                page.line(
                    f"{rng.choice('•–-')}  {page.people.sentence(7)}"[:limit],
                    rng.choice((14, 16, 18)),
                    x=left,
                    fill=ink,
                )
                page.y += rng.randint(4, 14)
    if what == "figure":
        box = (width * 0.56, top, width - 30, height - 50)
        if rng.random() < 0.5:
            picture(page.pen, rng, box)
        else:
            bars(page.pen, rng, box, accent)
            page.pen.line((box[0], box[1], box[0], box[3], box[2], box[3]), fill=ink)
    page.pen.text((width - 34, height - 24), str(rng.randint(2, 60)), font=page.font(11), fill=ink)
    if rng.random() < 0.5:
        page.logo(16, height - 34, 22)
    return page.done("slide", "screen")


def deck_bright(studio: Studio, rng: Random) -> Drawn:
    ground = rng.choice(((255, 255, 255), (246, 248, 250), (253, 246, 227), (235, 243, 250)))
    accent = rng.choice(((0, 90, 160), (190, 60, 40), (20, 120, 90), (110, 60, 150), (40, 40, 48)))
    return _deck(studio, rng, ground, (38, 40, 46), accent)


def deck_dim(studio: Studio, rng: Random) -> Drawn:
    """A dark slide."""
    ground = rng.choice(((18, 24, 44), (30, 30, 34), (12, 48, 56), (50, 22, 60), (70, 20, 26)))
    accent = rng.choice(((255, 190, 60), (90, 200, 250), (250, 120, 110), (140, 230, 150)))
    return _deck(studio, rng, ground, (238, 240, 244), accent)


def _leaf(studio: Studio, rng: Random, size: tuple[int, int]) -> Leaf:
    """A page to show in a window."""
    page = Leaf(studio, rng, size, (255, 255, 255))
    page.heading(rng.randint(14, 20), middle=rng.random() < 0.3)
    right = size[0] - page.margin
    while page.y < size[1] - 40:
        what = rng.random()
        if what < 0.15 and page.y < size[1] - 150:
            high = rng.randint(60, 120)
            picture(page.pen, rng, (page.margin, page.y, right, page.y + high))
            page.y += high + 8
        elif what < 0.3 and page.y < size[1] - 130:
            page.grid(rng.randint(3, 5), rng.randint(3, 6), shaded=rng.random() < 0.5)
        page.line(page.people.sentence(3)[:30], 12, bold=True)
        page.text(
            page.margin,
            right,
            min(page.y + rng.randint(50, 200), size[1] - 14),
            rng.choice((9, 10, 11)),
        )
    return page


def pdf_viewer(studio: Studio, rng: Random) -> Drawn:
    """A page between grey, a bar with zoom and page number, small pages at the left."""
    dark = rng.random() < 0.6
    back, bar = ((82, 86, 89), (50, 54, 57)) if dark else ((214, 216, 220), (246, 246, 248))
    image = Image.new("RGB", (760, 560), back)
    pen = ImageDraw.Draw(image)
    wide = rng.randint(380, 520)
    page = _leaf(studio, rng, (wide, 640))
    left = (760 - wide) // 2
    if rng.random() < 0.6:
        for place in range(4):
            small = page.image.resize((74, 104))
            image.paste(small, (18, 60 + place * 126))
        left = max(left, 124)
    image.paste(page.image, (left, rng.choice((56, 44, -120))))
    pen.rectangle((0, 0, 760, 36), fill=bar)
    ink = (240, 240, 240) if dark else (60, 60, 66)
    number = f"{rng.randint(1, 9)} / {rng.randint(9, 90)}"
    text = f"{page.people.word()}.pdf      {number}      {rng.randint(50, 150)} %"
    pen.text((20, 10), joined(text), font=page.font(12), fill=ink)
    for x in range(640, 750, 30):
        pen.rectangle((x, 11, x + 14, 25), outline=ink)
    return Drawn(image, "", "screen")


def browser_article(studio: Studio, rng: Random) -> Drawn:
    """A news page or an encyclopedia: tabs, menu, picture, text, a column of links."""
    page = Leaf(
        studio, rng, (720, 540), rng.choice(((255, 255, 255), (255, 255, 255), (24, 26, 30)))
    )
    ink = INK if page.image.getpixel((1, 1)) == (255, 255, 255) else (222, 224, 228)
    page.pen.rectangle((0, 0, 720, 56), fill=rng.choice(((222, 225, 230), (52, 54, 60))))
    for place in range(rng.randint(1, 4)):
        page.pen.rounded_rectangle(
            (10 + place * 150, 5, 150 + place * 150, 30), 7, fill=(242, 243, 245)
        )
        page.pen.text(
            (20 + place * 150, 9),
            joined(page.people.sentence(2)[:14]),
            font=page.font(10),
            fill=INK,
        )
    page.pen.rounded_rectangle((80, 33, 600, 51), 9, fill=(255, 255, 255))
    page.pen.text(
        (92, 35), page.people.domain_name(), font=studio.fonts.get("roboto", 11), fill=(80, 80, 84)
    )
    left = rng.choice((40, 150))
    if left == 150:
        for row in range(12):
            page.pen.text(
                (14, 90 + row * 22),
                joined(page.people.word()),
                font=page.font(10),
                fill=page.accent,
            )
    page.margin, page.y = left, 74.0
    page.heading(rng.randint(22, 30), fill=ink)
    page.line(page.people.name(), 10, fill=(130, 130, 136))
    right = rng.choice((690, 500))
    if rng.random() < 0.6:
        high = rng.randint(90, 180)
        picture(page.pen, rng, (left, page.y + 4, right, page.y + high))
        page.y += high + 12
    page.text(left, right, 530, rng.choice((11, 12, 13)), fill=ink)
    if right == 500:
        page.y = 84
        for _ in range(4):
            picture(page.pen, rng, (520, page.y, 580, page.y + 44))
            page.pen.text(
                (588, page.y + 4),
                joined(page.people.sentence(2)[:16]),
                font=page.font(10),
                fill=ink,
            )
            page.y += 62
    return page.done("web_page", "screen")


def number_sheet(studio: Studio, rng: Random) -> Drawn:
    """A spreadsheet: ribbon, letters above, numbers at the left, cells, some coloured."""
    page = Leaf(studio, rng, (720, 480), (255, 255, 255))
    bar = rng.choice(((33, 115, 70), (240, 241, 243), (24, 128, 56), (70, 70, 76)))
    page.pen.rectangle((0, 0, 720, 40), fill=bar)
    page.pen.rectangle((0, 40, 720, 78), fill=(243, 243, 245))
    for x in range(14, 700, rng.choice((34, 44, 60))):
        page.pen.rectangle((x, 50, x + 16, 66), outline=(120, 120, 126))
    wide, high = rng.choice((66, 84, 110)), rng.choice((18, 20, 24))
    texts = {0} | {rng.randint(0, 5) for _ in "ab"}
    rows, columns = (470 - 98) // high, 690 // wide + 1
    for row in range(rows + 1):
        y = 98 + row * high
        page.pen.rectangle((0, y, 30, y + high), fill=(236, 237, 240))
        page.pen.text(
            (8, y + 3), str(row + 1), font=studio.fonts.get("roboto", 10), fill=(90, 90, 96)
        )
        page.pen.line((0, y, 720, y), fill=(212, 213, 217))
        for column in range(columns):
            x = 30 + column * wide
            if not row:
                page.pen.text(
                    (x + wide / 2, 83),
                    chr(65 + column),
                    font=studio.fonts.get("roboto", 10),
                    fill=(90, 90, 96),
                )
            if rng.random() < (0.04 if row else 0.8):
                fill = page.accent if not row else tuple(rng.randint(190, 255) for _ in "rgb")
                page.pen.rectangle((x + 1, y + 1, x + wide - 1, y + high - 1), fill=fill)
            if row > rows - 3 and rng.random() < 0.8:
                continue
            cell = (
                page.people.word()[:11]
                if column in texts or not row
                else f"{rng.uniform(0, 9999):.{rng.choice((0, 2))}f}"
            )
            page.pen.text((x + 4, y + 3), joined(cell), font=page.font(11, bold=not row), fill=INK)
    for column in range(columns):
        page.pen.line((30 + column * wide, 80, 30 + column * wide, 480), fill=(212, 213, 217))
    return page.done("table", "screen")


def editor_window(studio: Studio, rng: Random) -> Drawn:
    """A word processor: ribbon, ruler, a page half written, a status line."""
    image = Image.new(
        "RGB", (740, 540), rng.choice(((230, 231, 234), (248, 249, 250), (58, 58, 62)))
    )
    pen, accent = ImageDraw.Draw(image), rng.choice(((43, 87, 154), (66, 133, 244), (24, 24, 28)))
    wide = rng.randint(420, 560)
    page = _leaf(studio, rng, (wide, 600))
    image.paste(page.image, ((740 - wide) // 2, 110))
    pen.rectangle((0, 0, 740, 26), fill=accent)
    pen.rectangle((0, 26, 740, 92), fill=(243, 243, 245))
    for place in range(7):
        pen.text(
            (16 + place * 70, 30),
            joined(page.people.word()[:8]),
            font=page.font(10),
            fill=(70, 70, 76),
        )
    for x in range(16, 700, 26):
        pen.rectangle(
            (x, 56, x + 15, 71), outline=(110, 110, 118), fill=rng.choice((None, (214, 222, 236)))
        )
    for x in range((740 - wide) // 2, (740 + wide) // 2, 14):
        pen.line((x, 96, x, 102), fill=(140, 140, 146))
    pen.rectangle((0, 522, 740, 540), fill=accent)
    return Drawn(image, "", "screen")


def pocket_page(studio: Studio, rng: Random) -> Drawn:
    """A page read on a phone: status line, head, narrow text, a button."""
    dark = rng.random() < 0.35
    page = Leaf(
        studio, rng, (340, rng.choice((600, 680))), (22, 22, 26) if dark else (255, 255, 255)
    )
    ink = (228, 228, 232) if dark else INK
    height = page.image.height
    page.pen.text(
        (18, 7),
        f"{rng.randint(0, 23)}:{rng.randint(10, 59)}",
        font=studio.fonts.get("roboto", 12, bold=True),
        fill=ink,
    )
    page.pen.rectangle((296, 9, 320, 19), outline=ink)
    page.pen.rectangle(
        (0, 26, 340, 66), fill=page.accent if rng.random() < 0.5 else page.image.getpixel((1, 1))
    )
    page.margin, page.y = 18, 82.0
    if rng.random() < 0.5:
        picture(page.pen, rng, (0, 66, 340, 200))
        page.y = 214
    page.line(page.people.sentence(3)[:22], 20, bold=True, fill=ink)
    page.text(18, 322, height - rng.choice((20, 80)), rng.choice((12, 13, 15)), fill=ink)
    if rng.random() < 0.5:
        page.pen.rounded_rectangle((20, height - 60, 320, height - 22), 12, fill=page.accent)
    return page.done("web_page", "screen")


SCREENS: tuple[Template, ...] = (
    deck_bright,
    deck_dim,
    pdf_viewer,
    browser_article,
    number_sheet,
    editor_window,
    pocket_page,
)
