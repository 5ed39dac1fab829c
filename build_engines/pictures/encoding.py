"""Encodes a picture in the many ways that files come: colour modes, alpha, depth, orientation."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
from PIL import Image

LIMIT = 24_500  # bytes
_TAG = 0x0112  # EXIF orientation
# What was done to the upright picture so that the tag undoes it (EXIF 2.32, 4.6.4 A).
_TURNS = {
    3: Image.Transpose.ROTATE_180,
    6: Image.Transpose.ROTATE_90,
    8: Image.Transpose.ROTATE_270,
}
_QUALITIES = (80, 65, 50, 38, 28, 20, 12)


def encode(image: Image.Image, how: str, limit: int = LIMIT) -> bytes:
    """The file; worse, then smaller, until it has at most `limit` bytes.

    `how`: png, png_palette, png_alpha, png_grey, png_grey_alpha, png_16, png_bilevel, jpeg,
    jpeg_grey, jpeg_cmyk, jpeg_progressive, jpeg_exif_3 (6, 8), webp, webp_lossless, webp_alpha,
    gif, gif_animated. Raises KeyError for another.
    """
    while True:
        for quality in _QUALITIES if how.startswith(("jpeg", "webp")) else (0,):
            data = _encode(image, how, quality)
            if len(data) <= limit:
                return data
        image = image.resize(
            (image.width * 4 // 5, image.height * 4 // 5), Image.Resampling.BICUBIC
        )


def _encode(image: Image.Image, how: str, quality: int) -> bytes:
    if how.startswith("jpeg_exif_"):
        return _turned(image.convert("RGB"), int(how[-1]), quality)
    return _WAYS[how](image, quality)


def _save(image: Image.Image, format_: str, **options: object) -> bytes:
    data = io.BytesIO()
    image.save(data, format_, **options)
    return data.getvalue()


def _turned(image: Image.Image, orientation: int, quality: int) -> bytes:
    exif = Image.Exif()
    exif[_TAG] = orientation
    return _save(image.transpose(_TURNS[orientation]), "JPEG", quality=quality, exif=exif)


def _faded(image: Image.Image) -> Image.Image:
    """With alpha: its own, or edges that fade out."""
    if image.mode == "RGBA":
        return image
    x, y = (np.minimum(np.arange(side), np.arange(side)[::-1]) for side in image.size)
    edge = np.clip(np.minimum(x[None, :], y[:, None]) * 16 + 40, 0, 255).astype(np.uint8)
    image = image.convert("RGBA")
    image.putalpha(Image.fromarray(edge, "L"))
    return image


def _sixteen(image: Image.Image) -> Image.Image:
    levels = np.asarray(image.convert("L"), np.uint16) * 257
    return Image.fromarray(levels.astype(np.uint16))


def _palette(image: Image.Image, colours: int = 48) -> Image.Image:
    return image.convert("RGB").quantize(colours, dither=Image.Dither.NONE)


def _animated(image: Image.Image) -> bytes:
    frames = [_palette(image.rotate(angle)) for angle in (0, 20, 40)]
    return _save(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=120, loop=0)


_WAYS: dict[str, Callable[[Image.Image, int], bytes]] = {
    "png": lambda image, _: _save(image.convert("RGB"), "PNG", optimize=True),
    "png_palette": lambda image, _: _save(_palette(image), "PNG", optimize=True),
    "png_alpha": lambda image, _: _save(_faded(image), "PNG", optimize=True),
    "png_grey": lambda image, _: _save(image.convert("L"), "PNG", optimize=True),
    "png_grey_alpha": lambda image, _: _save(_faded(image).convert("LA"), "PNG", optimize=True),
    "png_16": lambda image, _: _save(_sixteen(image), "PNG", optimize=True),
    "png_bilevel": lambda image, _: _save(image.convert("1"), "PNG", optimize=True),
    "jpeg": lambda image, q: _save(image.convert("RGB"), "JPEG", quality=q),
    "jpeg_grey": lambda image, q: _save(image.convert("L"), "JPEG", quality=q),
    "jpeg_cmyk": lambda image, q: _save(image.convert("CMYK"), "JPEG", quality=q),
    "jpeg_progressive": lambda image, q: _save(
        image.convert("RGB"), "JPEG", quality=q, progressive=True
    ),
    "webp": lambda image, q: _save(image.convert("RGB"), "WEBP", quality=q),
    "webp_lossless": lambda image, _: _save(_palette(image).convert("RGB"), "WEBP", lossless=True),
    "webp_alpha": lambda image, q: _save(_faded(image), "WEBP", quality=q),
    "gif": lambda image, _: _save(_palette(image), "GIF"),
    "gif_animated": lambda image, _: _animated(image),
}
