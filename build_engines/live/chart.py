"""How far each picture or text is from its reference, as a PNG: one mark for each vector.

The height is the logarithm of 1 - cosine, so that 0.9999 and 0.99999 lie as far apart as 0 and 0.9.
The further up, the further off; dashes are the tolerance of each vector.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

_COLOURS = {
    "end_to_end": "#d62728",
    "forward_only": "#1f77b4",
    "preprocess_only": "#2ca02c",
}
_LEAST, _MOST = 1e-8, 2.0  # of 1 - cosine
_STEP, _HEIGHT = 16, 320  # pixels: from one to the next, of the axis
_LEFT, _TOP, _SIZE = 84, 34, 11
_TICKS = ("-1", "0", "0.9", "0.99", "0.999", "0.9999", "0.99999", "0.999999", "0.9999999")


def draw(document: Mapping[str, Any], path: Path) -> None:
    """Of what `tsr parity --json` prints. Raises OSError."""
    rows = document.get("images") or document.get("texts") or []
    vectors = [name for name in _COLOURS if name in document["summary"]]
    font = ImageFont.load_default(_SIZE)
    longest = max((int(font.getlength(row["name"][:40])) for row in rows), default=0)
    width = max(_LEFT + len(rows) * _STEP + _STEP, 480)
    picture = Image.new("RGB", (width, _TOP + _HEIGHT + longest + 16), "white")
    pen = ImageDraw.Draw(picture)
    for tick in _TICKS:
        y = _height(float(tick))
        pen.text((6, y - 7), tick, "black", font)
        pen.line((_LEFT - 6, y, width - 6, y), "#dddddd")
    for at, name in enumerate(vectors):
        colour, y = _COLOURS[name], _height(document["tolerance"][name])
        pen.text((_LEFT + at * 130, 8), name, colour, font)
        for x in range(_LEFT + 8 * at, width - 6, 24):
            pen.line((x, y, x + 6, y), colour)
    for at, row in enumerate(rows):
        x = _LEFT + at * _STEP
        for shift, name in enumerate(vectors):
            y = _height(row[name]["cosine"])
            box = (x + shift * 4, y - 3, x + shift * 4 + 5, y + 2)
            pen.ellipse(box, _COLOURS[name])
        _upwards(picture, row["name"][:40], (x, _TOP + _HEIGHT + 6), font)
    picture.save(path, "PNG")


def _height(cosine: float) -> int:
    """Pixels from the top; what is nearer than can be told lies on the axis."""
    off = min(max(1 - cosine, _LEAST), _MOST)
    share = (math.log(off) - math.log(_LEAST)) / (math.log(_MOST) - math.log(_LEAST))
    return _TOP + round(_HEIGHT * (1 - share))


def _upwards(
    picture: Image.Image,
    text: str,
    place: tuple[int, int],
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
) -> None:
    """Letters that begin at `place` and are read from above."""
    line = Image.new("RGB", (int(font.getlength(text)) + 2, _SIZE + 3), "white")
    ImageDraw.Draw(line).text((0, 0), text, "black", font)
    picture.paste(line.rotate(270, expand=True), place)
