"""What happens to a picture on its way that does not change what it shows: turned, shrunk, grey.

Training alone sees it: most pictures stay as they were taken, the others get one of the ways.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from PIL import Image, ImageOps

from build_engines.pictures.camera import crop, jpeg, noisy

KEPT = 0.6  # share of pictures that stay as they are
Way = Callable[[Image.Image, Random], Image.Image]


def worn(image: Image.Image, rng: Random) -> Image.Image:
    """RGB, as it came or spoiled in one way. Its longer side does not grow."""
    if rng.random() < KEPT:
        return image
    return rng.choice(WAYS)(image, rng)


def _turned(image: Image.Image, rng: Random) -> Image.Image:
    turns = (Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270)
    return image.transpose(rng.choice(turns))


def _grainy(image: Image.Image, rng: Random) -> Image.Image:
    return noisy(image, rng, rng.uniform(8, 36))


def _thumbnail(image: Image.Image, rng: Random) -> Image.Image:
    small = image.copy()
    small.thumbnail((side := rng.randint(80, 200), side), Image.Resampling.BICUBIC)
    return small


def _few_colours(image: Image.Image, rng: Random) -> Image.Image:
    dither = rng.choice((Image.Dither.FLOYDSTEINBERG, Image.Dither.NONE))
    return image.quantize(rng.choice((8, 16, 32, 64)), dither=dither).convert("RGB")


def _grey(image: Image.Image, rng: Random) -> Image.Image:
    return ImageOps.grayscale(image).convert("RGB")


def _squeezed(image: Image.Image, rng: Random) -> Image.Image:
    return jpeg(image, rng.randint(6, 30))


def _part(image: Image.Image, rng: Random) -> Image.Image:
    return crop(image, rng, 0.5)


# Turning is what pictures most often suffer: phones hold it in a tag that gets lost.
WAYS: tuple[Way, ...] = (
    *(_turned, _turned),
    *(_grainy, _thumbnail, _few_colours, _grey, _squeezed, _part),
)
