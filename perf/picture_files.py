"""Large pictures to measure with, made of those in tests/pictures, and the code that serves."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from perf.served import REPOSITORY, modules, settings

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "tests/pictures"
PREPROCESS, ENCODER, SIGNALS = "image_preprocess", "vision_encoder", "image_signals"

Size = tuple[int, int]
GRAIN = 3.0  # levels, standard deviation; a sensor's noise, and what makes a jpeg of usual length
TILE = 256  # pixels after which the grain repeats


@dataclass(frozen=True, slots=True)
class Served:
    """The code and the settings of `image_signals`, in this process."""

    preprocessor: Any
    encoder: Any


def served() -> Served:
    (pixels,), (encoder,) = modules(PREPROCESS, "pixels"), modules(ENCODER, "encoder")
    network = REPOSITORY / ENCODER / "1" / "model.onnx"
    found = Served(
        pixels.Preprocessor(pixels.Settings.read(settings(PREPROCESS))),
        encoder.Encoder.load(network, 1),
    )
    found.preprocessor.warm()
    found.encoder.warm()
    return found


def opened(name: str) -> Image.Image:
    with Image.open(PICTURES / name) as picture:
        return picture.convert("RGB")


def enlarged(picture: Image.Image, size: Size) -> Image.Image:
    return picture.resize(size, Image.Resampling.BICUBIC)


def tiled(picture: Image.Image, size: Size) -> Image.Image:
    """The same picture again and again, so that it has detail up to the last pixel."""
    page = Image.new("RGB", size)
    for left in range(0, size[0], picture.width):
        for top in range(0, size[1], picture.height):
            page.paste(picture, (left, top))
    return page


def grained(picture: Image.Image, seed: int = 0) -> Image.Image:
    grain = np.random.default_rng(seed).normal(0, GRAIN, (TILE, TILE, 1)).astype(np.float32)
    width, height = picture.size
    noise = np.tile(grain, (height // TILE + 1, width // TILE + 1, 1))[:height, :width]
    levels = np.asarray(picture, np.float32) + noise
    return Image.fromarray(levels.round().clip(0, 255).astype(np.uint8))


def encoded(picture: Image.Image, form: str) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, form, **({} if form == "PNG" else {"quality": 90}))
    return buffer.getvalue()


def photograph(size: Size, form: str = "JPEG", seed: int = 0) -> bytes:
    return encoded(grained(enlarged(opened("photo_coffee.jpg"), size), seed), form)


def screenshot(size: Size) -> bytes:
    return encoded(enlarged(opened("code_editor_dark.png"), size), "PNG")
