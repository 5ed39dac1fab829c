"""What every template draws with: fonts, invented people and texts, photographs of its split."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from random import Random

import numpy as np
from faker import Faker
from PIL import Image

from build_engines.pictures import photographs
from build_engines.pictures.archives import Archives
from build_engines.pictures.fonts import Fonts
from build_engines.pictures.photographs import Photograph
from build_engines.pictures.picture import Drawn, Split


@dataclass(frozen=True, slots=True)
class Studio:
    """The tools of one split. Loading is lazy; nothing random is kept between two pictures."""

    split: Split
    archives: Archives
    fonts: Fonts
    fakers: dict[str, Faker] = field(default_factory=dict)
    shown: dict[str, Image.Image] = field(default_factory=dict)

    @classmethod
    def of(cls, split: Split, archives: Archives | None = None) -> Studio:
        archives = archives or Archives()
        return cls(split, archives, Fonts(archives))

    def people(self, rng: Random, locale: str = "en_US") -> Faker:
        """Invented names, addresses and sentences, the same for the same state of `rng`."""
        if locale not in self.fakers:
            self.fakers[locale] = Faker(locale)
        faker = self.fakers[locale]
        faker.seed_instance(rng.getrandbits(48))
        return faker

    def show(self, photograph: Photograph) -> Image.Image:
        """A photograph or scan, RGB; its longest side is at most 1,024 px."""
        if photograph.name not in self.shown:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of DICOM files that bend the standard
                self.shown[photograph.name] = photographs.load(photograph, self.archives)
        return self.shown[photograph.name]


def a_day(rng: Random, first: int = 2018, last: int = 2026) -> date:
    """A day of the years from `first` to `last`; Faker's would move with the clock."""
    return date(rng.randint(first, last), rng.randint(1, 12), rng.randint(1, 28))


def dice(rng: Random) -> np.random.Generator:
    """NumPy's generator for one picture."""
    return np.random.default_rng(rng.getrandbits(64))


Template = Callable[[Studio, Random], Drawn]
Named = tuple[tuple[str, Template], ...]


def named(*templates: Template) -> Named:
    """Templates with their functions' names; one that is named twice is drawn twice as often."""
    return tuple((str(getattr(one, "__name__", one)), one) for one in templates)
