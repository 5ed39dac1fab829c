"""A page whose Chinese and Japanese letters stand as dark as printed ones."""

from __future__ import annotations

from build_engines.pictures.fonts import Font
from build_engines.pictures.pages import Page


class Leaf(Page):
    """As Page; the font of these scripts begins with a weight that vanishes in small pictures."""

    def font(self, size: int, *, bold: bool = False) -> Font:
        return super().font(size, bold=bold or (self.wide and size < 16))
