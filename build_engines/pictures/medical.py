"""Medical pictures: X-rays, tomographies, ultrasound, retina and tissue out of pinned packages.

Nothing is generated: every picture is a window, a crop or a turn of a real scan (photographs.tsv),
shown bare, on a viewer's screen, on a light box or on a contact sheet.
"""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw, ImageEnhance, ImageOps

from build_engines.pictures import photographs
from build_engines.pictures.camera import BILINEAR, crop
from build_engines.pictures.fonts import MONO
from build_engines.pictures.photographs import Photograph
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, Template, a_day, named


def templates(split: Split) -> Named:
    chosen: dict[Split, tuple[Template, ...]] = {
        "train": (bare, bare, viewer, sheet),
        "validation": (bare, light_box),
        "test": (bare, bare, workstation),
    }
    return named(*chosen[split])


def _kinds(studio: Studio) -> dict[str, list[Photograph]]:
    kinds: dict[str, list[Photograph]] = {}
    for one in photographs.of(studio.split, "medical"):
        kinds.setdefault(one.kind, []).append(one)
    return kinds


def _chosen(studio: Studio, rng: Random) -> Photograph:
    """X-rays, CT and MRI come up more often than the rest, of which there are few files."""
    kinds = _kinds(studio)
    weights = {"x_ray": 4, "ct": 3, "mri": 3, "ultrasound": 2}
    names = sorted(kinds)
    return rng.choice(kinds[rng.choices(names, [weights.get(name, 1) for name in names])[0]])


def _seen(studio: Studio, rng: Random, photograph: Photograph) -> Image.Image:
    """One slice, turned, cropped, with another window."""
    image = studio.show(photograph)
    if photograph.volume:
        side = image.width
        top = side * rng.randrange(image.height // side)
        image = image.crop((0, top, side, top + side))
    image = image.copy()
    image.thumbnail((480, 480), BILINEAR)
    if rng.random() < 0.3:
        image = ImageOps.mirror(image)
    if rng.random() < 0.5:
        image = image.rotate(rng.gauss(0, 8), BILINEAR)
    if rng.random() < 0.6:
        image = crop(image, rng, 0.6)
    image = ImageEnhance.Contrast(image).enhance(rng.uniform(0.6, 1.7))
    image = ImageEnhance.Brightness(image).enhance(rng.uniform(0.6, 1.3))
    if photograph.kind == "x_ray" and rng.random() < 0.25:
        image = ImageOps.invert(image)
    return image


def _drawn(image: Image.Image, photograph: Photograph) -> Drawn:
    source = f"{photograph.package}: {photograph.file}"
    return Drawn(image, photograph.kind, "film", source, photograph.licence)


def bare(studio: Studio, rng: Random) -> Drawn:
    photograph = _chosen(studio, rng)
    image = _seen(studio, rng, photograph)
    if rng.random() < 0.3:
        image = ImageOps.expand(image, rng.randint(4, 60), 0)
    return _drawn(image, photograph)


def _notes(studio: Studio, rng: Random, pen: ImageDraw.ImageDraw, size: tuple[int, int]) -> None:
    """Words in the corners, as viewers write them."""
    font = studio.fonts.any(MONO[studio.split], 12, rng)
    people = studio.people(rng)
    ink = rng.choice(((255, 255, 255), (230, 220, 120), (140, 220, 255)))
    for place, text in enumerate(
        (people.name(), f"ID {rng.randint(10**5, 10**7)}", str(a_day(rng)))
    ):
        pen.text((8, 8 + place * 15), text, font=font, fill=ink)
    for place, text in enumerate(
        (
            f"W {rng.randint(80, 2000)} L {rng.randint(-500, 400)}",
            f"Im {rng.randint(1, 40)}/{rng.randint(41, 220)}",
        )
    ):
        pen.text((size[0] - 130, size[1] - 40 + place * 15), text, font=font, fill=ink)
    pen.text((size[0] - 24, size[1] // 2), rng.choice("LR"), font=font, fill=ink)


def viewer(studio: Studio, rng: Random) -> Drawn:
    """One picture on black, with its patient's data in the corners."""
    photograph = _chosen(studio, rng)
    image = _seen(studio, rng, photograph)
    screen = Image.new("RGB", (520, 480), (0, 0, 0))
    image = ImageOps.contain(image, (460, 450))
    screen.paste(image, ((520 - image.width) // 2, (480 - image.height) // 2))
    _notes(studio, rng, ImageDraw.Draw(screen), screen.size)
    return _drawn(screen, photograph)


def workstation(studio: Studio, rng: Random) -> Drawn:
    """A grey program with a list of series and one large picture."""
    photograph = _chosen(studio, rng)
    screen = Image.new("RGB", (640, 460), (44, 46, 52))
    large = _seen(studio, rng, photograph).resize((440, 420), BILINEAR)
    screen.paste(large, (190, 30))
    for place in range(4):
        screen.paste(
            _seen(studio, rng, photograph).resize((96, 92), BILINEAR), (44, 36 + place * 104)
        )
    pen = ImageDraw.Draw(screen)
    pen.rectangle((0, 0, 640, 22), fill=(70, 74, 84))
    for place in range(12):
        pen.rectangle((8 + place * 24, 4, 24 + place * 24, 18), outline=(170, 175, 185))
    return _drawn(screen, photograph)


def sheet(studio: Studio, rng: Random) -> Drawn:
    """Several pictures of one examination on a sheet."""
    photograph = _chosen(studio, rng)
    columns, rows = rng.choice(((2, 2), (3, 2), (4, 3)))
    side = 480 // columns
    screen = Image.new("RGB", (side * columns, side * rows), (0, 0, 0))
    for place in range(columns * rows):
        tile = _seen(studio, rng, photograph).resize((side - 4, side - 4), BILINEAR)
        screen.paste(tile, (place % columns * side + 2, place // columns * side + 2))
    return _drawn(screen, photograph)


def light_box(studio: Studio, rng: Random) -> Drawn:
    """A film before a bright wall."""
    photograph = _chosen(studio, rng)
    film = _seen(studio, rng, photograph)
    screen = Image.new("RGB", (film.width + 90, film.height + 80), (226, 236, 244))
    screen.paste(film, (45, 34))
    return _drawn(screen, photograph)
