"""One real scan of the studio's split, as it is shown: slice, turn, crop, window."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw, ImageEnhance, ImageOps

from build_engines.pictures import photographs
from build_engines.pictures.camera import BILINEAR, crop
from build_engines.pictures.fonts import MONO
from build_engines.pictures.photographs import Photograph
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, a_day


def _kinds(studio: Studio) -> dict[str, list[Photograph]]:
    kinds: dict[str, list[Photograph]] = {}
    for one in photographs.of(studio.split, "medical"):
        kinds.setdefault(one.kind, []).append(one)
    return kinds


def chosen(studio: Studio, rng: Random) -> Photograph:
    """X-rays, CT and MRI come up more often than the rest, of which there are few files."""
    kinds = _kinds(studio)
    weights = {"x_ray": 4, "ct": 3, "mri": 3, "ultrasound": 2}
    names = sorted(kinds)
    return rng.choice(kinds[rng.choices(names, [weights.get(name, 1) for name in names])[0]])


def seen(studio: Studio, rng: Random, photograph: Photograph) -> Image.Image:
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


def drawn(image: Image.Image, photograph: Photograph) -> Drawn:
    source = f"{photograph.package}: {photograph.file}"
    return Drawn(image, photograph.kind, "film", source, photograph.licence)


def notes(studio: Studio, rng: Random, pen: ImageDraw.ImageDraw, size: tuple[int, int]) -> None:
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
