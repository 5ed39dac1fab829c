"""Medical pictures: X-rays, tomographies, ultrasound, retina and tissue out of pinned packages.

Here every picture is a window, a crop or a turn of a real scan (photographs.tsv), shown bare, on a
viewer's screen, on a light box or on a contact sheet. Drawn ones stand in modules of their own.
"""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw, ImageOps

from build_engines.pictures import (
    exams,
    radiographs,
    scan_views,
    sonograms,
    tomograms,
    traces,
    unseen_scans,
)
from build_engines.pictures.camera import BILINEAR
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.scans import chosen, drawn, notes, seen
from build_engines.pictures.studio import Named, Studio, Template, named


def templates(split: Split) -> Named:
    # The real ones are few: they come up often enough among those that are drawn.
    own: dict[Split, tuple[Template, ...]] = {
        "train": (bare, bare, bare, bare, viewer, viewer, sheet, sheet),
        "validation": (bare, bare, light_box, light_box),
        "test": (bare, bare, workstation, *unseen_scans.templates()),
    }
    more = (
        one.templates(split)
        for one in (scan_views, radiographs, tomograms, sonograms, exams, traces)
    )
    return named(*own[split]) + sum(more, ())


def bare(studio: Studio, rng: Random) -> Drawn:
    photograph = chosen(studio, rng)
    image = seen(studio, rng, photograph)
    if rng.random() < 0.3:
        image = ImageOps.expand(image, rng.randint(4, 60), 0)
    return drawn(image, photograph)


def viewer(studio: Studio, rng: Random) -> Drawn:
    """One picture on black, with its patient's data in the corners."""
    photograph = chosen(studio, rng)
    image = seen(studio, rng, photograph)
    screen = Image.new("RGB", (520, 480), (0, 0, 0))
    image = ImageOps.contain(image, (460, 450))
    screen.paste(image, ((520 - image.width) // 2, (480 - image.height) // 2))
    notes(studio, rng, ImageDraw.Draw(screen), screen.size)
    return drawn(screen, photograph)


def workstation(studio: Studio, rng: Random) -> Drawn:
    """A grey program with a list of series and one large picture."""
    photograph = chosen(studio, rng)
    screen = Image.new("RGB", (640, 460), (44, 46, 52))
    large = seen(studio, rng, photograph).resize((440, 420), BILINEAR)
    screen.paste(large, (190, 30))
    for place in range(4):
        screen.paste(
            seen(studio, rng, photograph).resize((96, 92), BILINEAR), (44, 36 + place * 104)
        )
    pen = ImageDraw.Draw(screen)
    pen.rectangle((0, 0, 640, 22), fill=(70, 74, 84))
    for place in range(12):
        pen.rectangle((8 + place * 24, 4, 24 + place * 24, 18), outline=(170, 175, 185))
    return drawn(screen, photograph)


def sheet(studio: Studio, rng: Random) -> Drawn:
    """Several pictures of one examination on a sheet."""
    photograph = chosen(studio, rng)
    columns, rows = rng.choice(((2, 2), (3, 2), (4, 3)))
    side = 480 // columns
    screen = Image.new("RGB", (side * columns, side * rows), (0, 0, 0))
    for place in range(columns * rows):
        tile = seen(studio, rng, photograph).resize((side - 4, side - 4), BILINEAR)
        screen.paste(tile, (place % columns * side + 2, place // columns * side + 2))
    return drawn(screen, photograph)


def light_box(studio: Studio, rng: Random) -> Drawn:
    """A film before a bright wall."""
    photograph = chosen(studio, rng)
    film = seen(studio, rng, photograph)
    screen = Image.new("RGB", (film.width + 90, film.height + 80), (226, 236, 244))
    screen.paste(film, (45, 34))
    return drawn(screen, photograph)
