"""From the drawn thing to a picture of it: screen shots, photographs, scans."""

from __future__ import annotations

import io
import math
from random import Random

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter

from build_engines.pictures.picture import LARGEST, Drawn
from build_engines.pictures.studio import dice

BILINEAR = Image.Resampling.BILINEAR


def take(drawn: Drawn, rng: Random) -> Image.Image:
    """The picture as one would send it: RGB, its longer side 224 to 512 px."""
    image = {"screen": _screen, "card": _card, "paper": _paper, "film": _film, "scene": _scene}[
        drawn.shot
    ](drawn.image, rng)
    side = rng.choice((224, 288, 352, 448, LARGEST))
    image.thumbnail((side, side), Image.Resampling.BICUBIC)
    return _spoil(image.convert("RGB"), rng)


def _screen(image: Image.Image, rng: Random) -> Image.Image:
    draw = rng.random()
    if draw < 0.35:
        return crop(image, rng, 0.55)
    if draw < 0.55:
        return _photographed(moire(image.convert("RGB"), rng), rng, dark=True)
    return image


def _card(image: Image.Image, rng: Random) -> Image.Image:
    draw = rng.random()
    if draw < 0.15:
        return image
    if draw < 0.25:
        return crop(image, rng, 0.75)
    if draw < 0.35:
        return _scanned(image, rng)
    return _photographed(image, rng)


def _paper(image: Image.Image, rng: Random) -> Image.Image:
    draw = rng.random()
    if draw < 0.2:
        return image
    if draw < 0.4:
        return _scanned(crop(image, rng, 0.7), rng)
    if draw < 0.5:
        return crop(image, rng, 0.6)
    return _photographed(_crumpled(image, rng) if rng.random() < 0.5 else image, rng)


def _film(image: Image.Image, rng: Random) -> Image.Image:
    if rng.random() < 0.2:
        return _photographed(image, rng, dark=rng.random() < 0.5)
    return image


def _scene(image: Image.Image, rng: Random) -> Image.Image:
    return crop(image, rng, 0.7) if rng.random() < 0.4 else image


def crop(image: Image.Image, rng: Random, least: float) -> Image.Image:
    """A part of it, at least `least` of each side."""
    width, height = image.size
    w, h = (int(side * rng.uniform(least, 1)) for side in (width, height))
    left, top = rng.randint(0, width - w), rng.randint(0, height - h)
    return image.crop((left, top, left + w, top + h))


def _photographed(image: Image.Image, rng: Random, *, dark: bool = False) -> Image.Image:
    """Lying on something, seen at an angle, with a shadow and uneven light."""
    image.thumbnail((460, 460), BILINEAR)
    width, height = image.size
    margin = rng.uniform(0.02, 0.3)
    wide, high = int(width * (1 + 2 * margin)), int(height * (1 + 2 * margin))
    corners = _corners(rng, width, height, wide, high)
    back = _dark((wide, high), rng) if dark else surface((wide, high), rng)
    seen = image.convert("RGBA").transform(
        (wide, high), Image.Transform.PERSPECTIVE, _coefficients(corners, width, height), BILINEAR
    )
    alpha = seen.getchannel("A")
    shade = alpha.filter(ImageFilter.BoxBlur(rng.uniform(2, 9))).point(lambda level: level * 0.55)
    offset = (rng.randint(-6, 6), rng.randint(1, 8))
    back.paste((12, 10, 8), offset, shade)
    back.paste(seen.convert("RGB"), (0, 0), alpha)
    return back if dark else _lit(back, rng)


def _corners(
    rng: Random, width: int, height: int, wide: int, high: int
) -> list[tuple[float, float]]:
    angle = math.radians(rng.gauss(0, 9))
    scale = rng.uniform(0.86, 1.04)
    turn_x, turn_y = math.cos(angle) * scale, math.sin(angle) * scale
    jitter = 0.07 * min(width, height)
    points = []
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        u, v = x * width / 2, y * height / 2
        points.append(
            (
                wide / 2 + u * turn_x - v * turn_y + rng.uniform(-jitter, jitter),
                high / 2 + u * turn_y + v * turn_x + rng.uniform(-jitter, jitter),
            )
        )
    return points


def _coefficients(corners: list[tuple[float, float]], width: int, height: int) -> tuple[float, ...]:
    """Of the map from the seen plane back to the thing: eight equations, eight unknowns."""
    there = ((0, 0), (width, 0), (width, height), (0, height))
    rows, values = [], []
    for (x, y), (u, v) in zip(corners, there, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return tuple(float(one) for one in np.linalg.solve(np.array(rows), np.array(values)))


def surface(size: tuple[int, int], rng: Random) -> Image.Image:
    """A table, a cloth, a stone or a plain sheet that things lie on."""
    base = np.array([rng.randint(40, 235)] * 3) + np.array([rng.randint(-35, 35) for _ in "rgb"])
    rough = rng.choice(((3, 90), (6, 8), (40, 40), (90, 3), (2, 2)))
    small = np.clip(dice(rng).normal(0, rng.uniform(2, 26), rough), -60, 60)
    noise = Image.fromarray((small + 128).astype(np.uint8), "L").resize(size, BILINEAR)
    tint = Image.new("RGB", size, tuple(int(min(255, max(0, one))) for one in base))
    return Image.blend(tint, noise.convert("RGB"), rng.uniform(0.05, 0.45))


def _dark(size: tuple[int, int], rng: Random) -> Image.Image:
    level = rng.randint(5, 60)
    return Image.new("RGB", size, (level, level, level + rng.randint(0, 8)))


def _lit(image: Image.Image, rng: Random) -> Image.Image:
    levels = np.array([[rng.randint(150, 255) for _ in range(3)] for _ in range(3)], np.float32)
    warm = rng.uniform(-0.08, 0.08)
    tinted = np.clip(levels[..., None] * np.array([1 + warm, 1, 1 - warm]), 0, 255)
    light = Image.fromarray(tinted.astype(np.uint8), "RGB").resize(image.size, BILINEAR)
    return ImageChops.multiply(image, light)


def _crumpled(image: Image.Image, rng: Random) -> Image.Image:
    """Folds: the paper's light changes along random lines."""
    width, height = image.size
    small = Image.new("L", (96, 96), 128)
    draw = ImageDraw.Draw(small)
    for _ in range(rng.randint(3, 14)):
        points = [(rng.randint(-20, 116), rng.randint(-20, 116)) for _ in range(3)]
        draw.polygon(points, fill=rng.randint(112, 144))
    folds = small.filter(ImageFilter.BoxBlur(1)).resize((width, height), BILINEAR)
    shade = folds.point(lambda level: min(255, level * 255 // 144))
    lit = ImageChops.multiply(image.convert("RGB"), Image.merge("RGB", (shade,) * 3))
    if image.mode == "RGBA":
        lit.putalpha(image.getchannel("A"))
    return lit


def _scanned(image: Image.Image, rng: Random) -> Image.Image:
    level = rng.randint(225, 255)
    back = Image.new("RGB", image.size, (level, level, level))
    turned = image.convert("RGBA").rotate(rng.gauss(0, 1.5), BILINEAR, expand=False)
    back.paste(turned, (0, 0), turned)
    if rng.random() < 0.5:
        back = ImageEnhance.Contrast(back.convert("L")).enhance(rng.uniform(0.9, 1.8))
    return back.convert("RGB")


def moire(image: Image.Image, rng: Random) -> Image.Image:
    """The beat between the pixels of a screen and those of the camera."""
    width, height = image.size
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    waves = np.zeros((height, width), np.float32)
    for _ in range(2):
        angle, step = rng.uniform(0, math.pi), rng.uniform(3, 14)
        waves += np.sin((x * math.cos(angle) + y * math.sin(angle)) * 2 * math.pi / step)
    gain = 1 + rng.uniform(0.02, 0.07) * waves
    return Image.fromarray(
        np.clip(np.asarray(image, np.float32) * gain[..., None], 0, 255).astype(np.uint8), "RGB"
    )


def _spoil(image: Image.Image, rng: Random) -> Image.Image:
    """What a phone and a messenger do to it: light, blur, noise, JPEG."""
    if rng.random() < 0.5:
        image = ImageEnhance.Brightness(image).enhance(rng.uniform(0.72, 1.2))
        image = ImageEnhance.Contrast(image).enhance(rng.uniform(0.8, 1.25))
    if rng.random() < 0.15:
        image = ImageEnhance.Color(image).enhance(rng.choice((0.0, 0.5, 1.5)))
    if rng.random() < 0.3:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 1.3)))
    if rng.random() < 0.25:
        image = noisy(image, rng, rng.uniform(2, 12))
    if rng.random() < 0.6:
        image = jpeg(image, rng.randint(30, 92))
    return image


def noisy(image: Image.Image, rng: Random, spread: float) -> Image.Image:
    levels: npt.NDArray[np.float32] = np.asarray(image, np.float32)
    noise = dice(rng).standard_normal(levels.shape, np.float32) * np.float32(spread)
    return Image.fromarray(np.clip(levels + noise, 0, 255).astype(np.uint8), image.mode)


def jpeg(image: Image.Image, quality: int) -> Image.Image:
    data = io.BytesIO()
    image.save(data, "JPEG", quality=quality)
    with Image.open(io.BytesIO(data.getvalue())) as again:
        return again.convert("RGB")
