"""Soft shapes on a grey film: what drawn X-rays and tomographies are made of.

Nothing here measures tissue. The shapes only have the look of such pictures: overlapping soft
densities, edges of bone, grain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.camera import BILINEAR
from build_engines.pictures.studio import dice

Levels = npt.NDArray[np.float32]
Point = tuple[float, float]


class Film:
    """Levels from 0 (black) to 1 (white); coordinates run from 0 to 1 on each side."""

    def __init__(self, rng: Random, size: tuple[int, int], level: float = 0.0) -> None:
        self.rng = rng
        self.width, self.height = size
        self.levels: Levels = np.full((self.height, self.width), level, np.float32)
        x, y = np.meshgrid(
            np.linspace(0, 1, self.width, dtype=np.float32),
            np.linspace(0, 1, self.height, dtype=np.float32),
        )
        self.x, self.y = x, y

    def inside(self, centre: Point, radii: Point, turn: float = 0.0, soft: float = 0.06) -> Levels:
        """1 inside an ellipse, 0 outside, with an edge `soft` radii wide. `turn` in degrees."""
        angle = math.radians(turn)
        u, v = self.x - centre[0], self.y - centre[1]
        across = (u * math.cos(angle) + v * math.sin(angle)) / radii[0]
        along = (v * math.cos(angle) - u * math.sin(angle)) / radii[1]
        far = np.sqrt(across**2 + along**2)
        return np.clip((1 - far) / max(soft, 1e-3) + 0.5, 0, 1).astype(np.float32)

    def ellipse(
        self, centre: Point, radii: Point, by: float, turn: float = 0.0, soft: float = 0.06
    ) -> None:
        """Adds `by` inside an ellipse."""
        self.levels += by * self.inside(centre, radii, turn, soft)

    def fill(
        self, centre: Point, radii: Point, level: float, turn: float = 0.0, soft: float = 0.06
    ) -> None:
        """Sets the level inside an ellipse."""
        mask = self.inside(centre, radii, turn, soft)
        self.levels = self.levels * (1 - mask) + level * mask

    def line(self, points: Sequence[Point], width: float, by: float, soft: float = 1.5) -> None:
        """Adds `by` along a line; `width` is a part of the film's width, `soft` in px."""
        mask = Image.new("L", (self.width, self.height), 0)
        pen = ImageDraw.Draw(mask)
        ends = [(x * self.width, y * self.height) for x, y in points]
        wide = max(1, int(width * self.width))
        pen.line(ends, fill=255, width=wide, joint="curve")
        for x, y in (ends[0], ends[-1]):
            pen.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), fill=255)
        self._add(mask, by, soft)

    def polygon(self, points: Sequence[Point], by: float, soft: float = 2.0) -> None:
        mask = Image.new("L", (self.width, self.height), 0)
        ends = [(x * self.width, y * self.height) for x, y in points]
        ImageDraw.Draw(mask).polygon(ends, fill=255)
        self._add(mask, by, soft)

    def _add(self, mask: Image.Image, by: float, soft: float) -> None:
        if soft:
            mask = mask.filter(ImageFilter.GaussianBlur(soft))
        self.levels += by * np.asarray(mask, np.float32) / 255

    def bone(self, ends: tuple[Point, Point], width: float, by: float) -> None:
        """A long bone: a bright rim, a darker marrow, wider at its ends."""
        (x, y), (u, v) = ends
        self.line(ends, width, by * 0.75)
        self.line(ends, width * 0.5, -by * 0.3, 3)
        head = width * 0.72
        tall = head * self.width / self.height
        for centre in ((x, y), (u, v)):
            self.ellipse(centre, (head, tall), by * 0.35, 0, 0.3)

    def cloud(self, scale: int, by: float, mask: Levels | None = None) -> None:
        """Adds uneven levels; `scale` is how many lumps there are across."""
        lumps = dice(self.rng).normal(0, 1, (scale, scale)).astype(np.float32)
        image = Image.fromarray(np.clip(lumps * 40 + 128, 0, 255).astype(np.uint8), "L")
        spread = np.asarray(image.resize((self.width, self.height), BILINEAR), np.float32)
        uneven = (spread - 128) / 40 * by
        self.levels += uneven if mask is None else uneven * mask

    def image(self, *, grain: float = 0.02, soft: float = 0.0) -> Image.Image:
        """RGB, with grain; a film may be a little blue or warm."""
        levels = self.levels + dice(self.rng).normal(0, grain, self.levels.shape)
        grey = Image.fromarray((np.clip(levels, 0, 1) * 255).astype(np.uint8), "L")
        if soft:
            grey = grey.filter(ImageFilter.GaussianBlur(soft))
        return grey.convert("RGB")
