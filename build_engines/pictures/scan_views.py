"""More ways to show a real scan: films in a window, reports, marks, pairs, colours, screens."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageOps

from build_engines.pictures.camera import BILINEAR, crop, moire
from build_engines.pictures.devices import browser, laptop, telephone, window
from build_engines.pictures.fonts import MONO, SANS
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.scans import chosen, drawn, notes, seen
from build_engines.pictures.studio import Named, Studio, a_day, named


def templates(split: Split) -> Named:
    """What medical.py adds to its own templates."""
    if split == "train":
        return named(
            detail,
            wall_of_films,
            report,
            marked,
            pair,
            tinted,
            round_crop,
            machine,
            shown_on,
            against_window,
            from_far,
        )
    return named(banner, slide_of_talk) if split == "validation" else ()


def detail(studio: Studio, rng: Random) -> Drawn:
    """A small part, enlarged."""
    scan = chosen(studio, rng)
    image = crop(seen(studio, rng, scan), rng, 0.35)
    return drawn(image.resize((rng.randint(260, 440), rng.randint(260, 440)), BILINEAR), scan)


def wall_of_films(studio: Studio, rng: Random) -> Drawn:
    """Films side by side before a bright wall."""
    scan = chosen(studio, rng)
    count = rng.choice((2, 2, 3))
    bright = rng.randint(205, 250)
    wall = Image.new("RGB", (count * 230 + 30, 330), (bright, bright, min(255, bright + 6)))
    for place in range(count):
        film = ImageOps.contain(seen(studio, rng, scan), (205, 270), BILINEAR)
        film = film.rotate(rng.gauss(0, 2), BILINEAR, expand=True, fillcolor=(bright,) * 3)
        wall.paste(film, (20 + place * 230 + rng.randint(-6, 6), 30 + rng.randint(-12, 12)))
    pen = ImageDraw.Draw(wall)
    pen.rectangle((0, 0, wall.width, 16), fill=(96, 98, 102))
    pen.rectangle((0, 312, wall.width, 330), fill=(60, 62, 66))
    return drawn(wall, scan)


def report(studio: Studio, rng: Random) -> Drawn:
    """A printed page: a clinic, a patient, one to four pictures, a finding."""
    scan, people = chosen(studio, rng), studio.people(rng)
    page = Image.new("RGB", (430, 580), (253, 253, 250))
    pen = ImageDraw.Draw(page)
    head, font = (studio.fonts.any(SANS[:5], size, rng, bold=size > 14) for size in (18, 12))
    pen.text((26, 20), f"{people.last_name()} Clinic · Radiology", font=head, fill=(20, 60, 110))
    pen.text((26, 46), f"{people.name()}   {a_day(rng)}", font=font, fill=(30, 30, 30))
    columns = rng.choice((1, 2, 2))
    side = 380 // columns
    for place in range(columns * columns if columns == 2 else 1):
        tile = seen(studio, rng, scan).resize((side - 8, side - 8), BILINEAR)
        page.paste(tile, (26 + place % columns * side, 70 + place // columns * side))
    for line in range(4):
        pen.text((26, 468 + line * 22), people.sentence(9)[:62], font=font, fill=(30, 30, 30))
    part = drawn(page, scan)
    return Drawn(page, part.kind, "paper", part.source, part.licence)


def marked(studio: Studio, rng: Random) -> Drawn:
    """Arrows, circles, a ruler, lengths: what doctors draw upon a scan."""
    scan = chosen(studio, rng)
    image = ImageOps.contain(seen(studio, rng, scan), (460, 460), BILINEAR).convert("RGB")
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(MONO[studio.split], 13, rng)
    ink = rng.choice(
        ((255, 230, 60), (255, 70, 60), (80, 230, 120), (90, 200, 255), (255, 255, 255))
    )
    for _ in range(rng.randint(1, 4)):
        x, y = (rng.uniform(0.25, 0.75) * side for side in image.size)
        what = rng.randint(0, 2)
        if what == 0:
            turn, long = rng.uniform(0, 6.3), rng.randint(30, 70)
            pen.line(
                (x + long * math.cos(turn), y + long * math.sin(turn), x, y), fill=ink, width=3
            )
            for side in (-0.4, 0.4):
                pen.line(
                    (x, y, x + 14 * math.cos(turn + side), y + 14 * math.sin(turn + side)),
                    fill=ink,
                    width=3,
                )
        elif what == 1:
            radius = rng.randint(14, 60)
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), outline=ink, width=2)
        else:
            u, v = x + rng.randint(-90, 90), y + rng.randint(-60, 60)
            pen.line((x, y, u, v), fill=ink, width=2)
            pen.text((u + 4, v), f"{rng.uniform(2, 80):.1f} mm", font=font, fill=ink)
    for tick in range(11):
        y = image.height * (0.25 + tick * 0.05)
        pen.line((image.width - 8 - (6 if tick % 5 == 0 else 0), y, image.width - 4, y), fill=ink)
    return drawn(image, scan)


def pair(studio: Studio, rng: Random) -> Drawn:
    """Then and now, beside each other."""
    scan = chosen(studio, rng)
    screen = Image.new("RGB", (600, 330), rng.choice(((0, 0, 0), (26, 28, 32))))
    font = studio.fonts.any(SANS[:5], 13, rng)
    for left in (4, 302):
        screen.paste(seen(studio, rng, scan).resize((294, 300), BILINEAR), (left, 26))
        ImageDraw.Draw(screen).text((left + 8, 5), str(a_day(rng)), font=font, fill=(230, 230, 230))
    return drawn(screen, scan)


def tinted(studio: Studio, rng: Random) -> Drawn:
    """Blue base of a film, sepia of an old one, or false colours."""
    scan = chosen(studio, rng)
    grey = seen(studio, rng, scan).convert("L")
    black, white, middle = rng.choice(
        (
            ((0, 6, 26), (200, 225, 255), (70, 110, 165)),
            ((20, 10, 0), (250, 230, 195), (140, 105, 70)),
            ((0, 0, 20), (255, 255, 200), (215, 70, 20)),
            ((10, 0, 40), (250, 240, 60), (30, 150, 140)),
            ((0, 14, 6), (220, 255, 235), (80, 150, 110)),
        )
    )
    return drawn(ImageOps.colorize(grey, black, white, middle), scan)


def round_crop(studio: Studio, rng: Random) -> Drawn:
    """Seen through a round hole, or with rounded corners."""
    scan = chosen(studio, rng)
    image = seen(studio, rng, scan).resize((360, 360), BILINEAR)
    mask = Image.new("L", (360, 360), 0)
    ImageDraw.Draw(mask).rounded_rectangle((6, 6, 354, 354), rng.choice((60, 174, 174)), fill=255)
    level = rng.choice((0, 0, 245))
    back = Image.new("RGB", (360, 360), (level, level, level))
    back.paste(image, (0, 0), mask.filter(ImageFilter.GaussianBlur(1)))
    return drawn(back, scan)


def machine(studio: Studio, rng: Random) -> Drawn:
    """The screen of the device: data above, scales beside, keys below."""
    scan, people = chosen(studio, rng), studio.people(rng)
    screen = Image.new("RGB", (640, 460), rng.choice(((8, 10, 14), (30, 34, 40), (12, 24, 38))))
    pen = ImageDraw.Draw(screen)
    font = studio.fonts.any(SANS[:5], 12, rng)
    accent = rng.choice(((90, 200, 230), (240, 190, 60), (130, 220, 120)))
    screen.paste(ImageOps.contain(seen(studio, rng, scan), (440, 370), BILINEAR), (110, 44))
    pen.text(
        (10, 8),
        f"{people.name()}   ID {rng.randint(10**5, 10**7)}   {a_day(rng)}",
        font=font,
        fill=(230, 230, 230),
    )
    for row in range(10):
        text = f"{people.lexify('??').upper()} {rng.uniform(0.1, 90):.1f}"
        pen.text((10, 50 + row * 22), text, font=font, fill=accent)
    for level in range(120):
        pen.line((600, 60 + level, 616, 60 + level), fill=(255 - level * 2,) * 3)
    for place in range(8):
        box = (12 + place * 78, 426, 82 + place * 78, 452)
        pen.rounded_rectangle(box, 4, outline=(110, 116, 126))
        pen.text((box[0] + 8, 431), people.word()[:7].title(), font=font, fill=(200, 205, 212))
    return drawn(screen, scan)


def shown_on(studio: Studio, rng: Random) -> Drawn:
    """On a laptop, a telephone, a page, in a window."""
    scan = chosen(studio, rng)
    screen = Image.new("RGB", (520, 360), (0, 0, 0))
    image = ImageOps.contain(seen(studio, rng, scan), (480, 340), BILINEAR)
    screen.paste(image, ((520 - image.width) // 2, (360 - image.height) // 2))
    notes(studio, rng, ImageDraw.Draw(screen), screen.size)
    what = rng.randint(0, 3)
    if what == 0:
        return drawn(laptop(moire(screen, rng), rng), scan)
    if what == 1:
        inner = Image.new(
            "RGB", (320, rng.randint(440, 560)), rng.choice(((0, 0, 0), (250, 250, 250)))
        )
        inner.paste(ImageOps.fit(image, (320, 320)), (0, 60))
        return drawn(telephone(inner, studio, rng), scan)
    if what == 2:
        return drawn(browser(screen, studio, rng), scan)
    return drawn(
        window(screen, studio, rng, "Viewer", menu="Study  Series  Image  Tools  Window"), scan
    )


def against_window(studio: Studio, rng: Random) -> Drawn:
    """A film held against daylight: a bright blur behind, uneven light through it."""
    scan = chosen(studio, rng)
    film = ImageOps.contain(seen(studio, rng, scan), (330, 330), BILINEAR)
    small = Image.new("RGB", (4, 4))
    for place in range(16):
        level = rng.randint(120, 255)
        tint = (level - rng.randint(0, 20), level, min(255, level + rng.randint(0, 30)))
        small.putpixel((place % 4, place // 4), tint)
    back = small.resize((film.width + 120, film.height + 110), Image.Resampling.BICUBIC)
    left, top = rng.randint(20, 100), rng.randint(20, 90)
    behind = back.crop((left, top, left + film.width, top + film.height))
    through = ImageEnhance.Brightness(Image.blend(film, behind, rng.uniform(0.1, 0.35))).enhance(
        0.95
    )
    back.paste(through, (left, top))
    return drawn(back.rotate(rng.gauss(0, 4), BILINEAR, fillcolor=(200, 205, 210)), scan)


def from_far(studio: Studio, rng: Random) -> Drawn:
    """A large black screen or page with a small scan on it."""
    scan = chosen(studio, rng)
    ground = rng.choice(((0, 0, 0), (20, 22, 26), (255, 255, 255), (240, 242, 245)))
    page = Image.new("RGB", (500, rng.choice((330, 500))), ground)
    side = rng.randint(150, 260)
    image = ImageOps.contain(seen(studio, rng, scan), (side, side), BILINEAR)
    page.paste(
        image, (rng.randint(0, 500 - image.width), rng.randint(0, page.height - image.height))
    )
    return drawn(page, scan)


def banner(studio: Studio, rng: Random) -> Drawn:
    """A scan below a coloured bar with two lines."""
    scan, people = chosen(studio, rng), studio.people(rng)
    screen = Image.new("RGB", (420, 470), (10, 10, 12))
    pen = ImageDraw.Draw(screen)
    pen.rectangle((0, 0, 420, 50), fill=(20, 100, 120))
    font = studio.fonts.any(SANS[:5], 14, rng)
    pen.text((12, 6), people.name(), font=font, fill=(255, 255, 255))
    pen.text((12, 27), f"{a_day(rng)}  {people.bs()[:26]}", font=font, fill=(220, 240, 245))
    screen.paste(ImageOps.fit(seen(studio, rng, scan), (412, 408)), (4, 56))
    return drawn(screen, scan)


def slide_of_talk(studio: Studio, rng: Random) -> Drawn:
    """A case on a white slide: a heading, a scan, three points."""
    scan, people = chosen(studio, rng), studio.people(rng)
    page = Image.new("RGB", (620, 400), (255, 255, 255))
    pen = ImageDraw.Draw(page)
    head, font = (studio.fonts.any(SANS[:5], size, rng, bold=size > 20) for size in (26, 15))
    pen.text(
        (26, 18), f"Case {rng.randint(1, 40)}: {people.bs()[:24]}", font=head, fill=(20, 40, 80)
    )
    page.paste(ImageOps.fit(seen(studio, rng, scan), (330, 320)), (26, 64))
    for line in range(3):
        pen.text(
            (376, 90 + line * 50), f"•  {people.sentence(3)}"[:28], font=font, fill=(40, 40, 40)
        )
    return drawn(page, scan)
