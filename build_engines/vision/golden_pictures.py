"""Paint the golden pictures: python -m build_engines.vision.golden_pictures FOLDER

They are committed (`model_repository/image_signals/pictures`): an encoder of another version would
write other bytes. Each is there for a way in which pictures are read wrongly: sides that are not
square, sizes far from the encoder's, alpha, palettes, grey, 16 bits, CMYK, EXIF, colours that
differ when swapped. Everything is drawn here, so that no picture is anybody's.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import ExifTags, Image, ImageDraw, ImageFont

Size = tuple[int, int]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (paint, options) in _PICTURES.items():
        paint().save(folder / name, **options)


def _page(size: Size, colour: str = "white") -> tuple[Image.Image, ImageDraw.ImageDraw]:
    picture = Image.new("RGB", size, colour)
    return picture, ImageDraw.Draw(picture)


def _lines(size: Size, ink: str, paper: str, rows: list[str], height: int) -> Image.Image:
    picture, pen = _page(size, paper)
    font = ImageFont.load_default(height)
    for at, row in enumerate(rows):
        pen.text((height, height + at * height * 3 // 2), row, ink, font)
    return picture


def _code() -> Image.Image:
    rows = ["def total(prices):", "    found = 0", "    for one in prices:", "        found += one"]
    picture = _lines((640, 360), "#d4d4d4", "#1e1e2e", [*rows, "    return found"], 24)
    ImageDraw.Draw(picture).rectangle((0, 0, 12, 360), "#3c6ef0")
    return picture


def _terminal() -> Image.Image:
    rows = ["$ make test", "collected 214 items", "FAILED tests/test_total.py", "$ _"]
    return _lines((720, 300), "#33ff66", "black", rows, 26)


def _card() -> Image.Image:
    picture, pen = _page((428, 270), "#dfe8f5")
    pen.rectangle((0, 0, 428, 40), "#20407a")
    pen.text((12, 10), "IDENTITY CARD", "white", ImageFont.load_default(20))
    pen.rectangle((18, 60, 130, 200), "#9aa7b8")
    pen.ellipse((48, 78, 100, 140), "#e2b999")
    for at, row in enumerate(("SAMPLE", "ALEX MARTIN", "01.02.1990", "T0000000X")):
        pen.text((150, 60 + at * 34), row, "#101820", ImageFont.load_default(20))
    pen.text((14, 226), "IDXXXSAMPLE<<ALEX<MARTIN<<<<<<<<", "black", ImageFont.load_default(17))
    return picture


def _chart() -> Image.Image:
    picture, pen = _page((500, 320))
    pen.line((40, 20, 40, 290, 480, 290), "black", 2)
    for at, (value, colour) in enumerate(zip((80, 190, 130, 240, 60), _COLOURS, strict=True)):
        pen.rectangle((70 + at * 80, 290 - value, 120 + at * 80, 289), colour)
    return picture


_COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd")


def _receipt() -> Image.Image:
    rows = ["CORNER SHOP", "Milk        1.29", "Bread       2.49", "Total       3.78", "Thank you"]
    return _lines((200, 420), "#222222", "#f8f6f0", rows, 18)


def _scene(width: int, height: int) -> Image.Image:
    """Sky, sun and a meadow: smooth, of strong and different colours."""
    down = np.linspace(0, 1, height)[:, None, None]
    sky, grass = np.array([70, 130, 220]), np.array([60, 140, 40])
    levels = np.where(down < 0.6, sky + 90 * down, grass * (1.6 - down))
    levels = np.broadcast_to(levels, (height, width, 3)).copy()
    draw = np.random.default_rng(11)
    levels[int(height * 0.6) :] += draw.normal(0, 14, levels[int(height * 0.6) :].shape)
    picture = Image.fromarray(levels.clip(0, 255).astype(np.uint8))
    side = min(width, height) // 5
    ImageDraw.Draw(picture).ellipse((side, side // 2, 2 * side, side * 3 // 2), "#ffd23c")
    return picture


def _noise() -> Image.Image:
    return Image.fromarray(np.random.default_rng(5).integers(0, 256, (150, 151, 3), np.uint8))


def _stripes() -> Image.Image:
    """One pixel black, one white: a filter that does not average makes of it anything."""
    levels = np.zeros((700, 701), np.uint8)
    levels[:, ::2] = 255
    return Image.fromarray(levels).convert("RGB")


def _scribble() -> Image.Image:
    picture, pen = _page((460, 200), "#fbfaf2")
    draw = random.Random(3)
    for row in range(3):
        points = [
            (20 + 8 * at, 40 + row * 55 + draw.randint(-14, 14))
            for at in range(draw.randint(35, 50))
        ]
        pen.line(points, "#1a2a7a", 3, "curve")
    return picture


def _scan() -> Image.Image:
    """Bright in the middle of black, grey of 16 bits."""
    across, down = np.meshgrid(np.linspace(-1, 1, 300), np.linspace(-1, 1, 360))
    levels = 60000 * np.exp(-4 * across**2 - 2 * down**2) * (0.8 + 0.2 * np.cos(30 * down))
    return Image.fromarray(levels.astype(np.uint16))


def _badge() -> Image.Image:
    """Clear around; what is clear is red underneath, which must not be seen."""
    picture = Image.new("RGBA", (180, 180), (255, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    pen.ellipse((20, 20, 160, 160), (20, 90, 200, 255))
    pen.ellipse((60, 60, 120, 120), (255, 255, 255, 120))
    return picture


def _turned() -> dict[str, Any]:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    return {"exif": exif, "quality": 85}


Paint = Callable[[], Image.Image]
_PICTURES: dict[str, tuple[Paint, dict[str, Any]]] = {
    "badge.png": (_badge, {}),
    "card.jpg": (_card, {"quality": 88}),
    "chart.gif": (lambda: _chart().quantize(16), {}),
    "code.png": (_code, {}),
    "icon.png": (lambda: _scene(16, 16), {}),
    "noise.png": (_noise, {}),
    "panorama.webp": (lambda: _scene(1200, 200), {"quality": 70}),
    "print.jpg": (lambda: _scene(320, 240).convert("CMYK"), {"quality": 85}),
    "receipt.png": (lambda: _receipt().convert("L"), {}),
    "scan.png": (_scan, {}),
    "scene.jpg": (lambda: _scene(1600, 1200), {"quality": 70}),
    "scribble.jpg": (_scribble, {"quality": 85, "progressive": True}),
    "square.webp": (lambda: _scene(224, 224), {"lossless": True}),
    "stripes.png": (_stripes, {}),
    "terminal.png": (lambda: _terminal().quantize(8), {}),
    "turned.jpg": (_card, _turned()),
}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
