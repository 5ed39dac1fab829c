"""Countries and card layouts of identity documents, read from countries.tsv and layouts.tsv."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from build_engines.pictures.fonts import SCRIPTS
from build_engines.pictures.picture import Split

HERE = Path(__file__).parent
Box = tuple[float, float, float, float]  # left, top, right, bottom, parts of the card
Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand on a card."""

    kind: str  # passport, identity_card, driving_licence, residence_permit, badge
    ratio: float  # width by height
    portrait: Box
    fields: Box
    title: tuple[float, float]
    columns: int = 1
    mrz: int = 0  # lines
    band: str = ""  # top, left, bottom: a coloured stripe
    extras: tuple[str, ...] = ()  # chip, flag, barcode, signature, ghost, seal, number, cover
    background: str = "waves"  # waves, rays, plain, grid


@dataclass(frozen=True, slots=True)
class Country:
    """What is printed on a country's documents: its words in its script, and its colours."""

    code: str  # of the machine readable zone
    locale: str  # Faker's
    script: str  # ISO 15924
    name: str
    words: dict[str, str]  # kind of document: its title
    labels: tuple[str, ...]  # last name, first name, born, sex, place, valid until, number
    strong: Colour
    pale: Colour
    flag: tuple[Colour, Colour, Colour]
    upright: bool  # the flag's stripes

    @property
    def font(self) -> str:
        return SCRIPTS[self.script]


@functools.cache
def layouts(split: Split) -> tuple[Layout, ...]:
    return tuple(
        Layout(
            kind=row["kind"],
            ratio=float(row["ratio"]),
            portrait=_box(row["portrait"]),
            fields=_box(row["fields"]),
            title=(float(row["title"].split()[0]), float(row["title"].split()[1])),
            columns=int(row["columns"]),
            mrz=int(row["mrz"]),
            band=row["band"],
            extras=tuple(row["extras"].split()),
            background=row["background"],
        )
        for row in _rows("layouts.tsv", split)
    )


@functools.cache
def countries(split: Split) -> tuple[Country, ...]:
    kinds = ("passport", "identity_card", "driving_licence", "residence_permit")
    return tuple(
        Country(
            code=row["code"],
            locale=row["locale"],
            script=row["script"],
            name=row["name"],
            words={kind: row[kind] for kind in kinds},
            labels=tuple(row["labels"].split("|")),
            strong=_colour(row["strong"]),
            pale=_colour(row["pale"]),
            flag=_flag(row["flag"]),
            upright=row["upright"] == "1",
        )
        for row in _rows("countries.tsv", split)
    )


def _rows(name: str, split: Split) -> Iterator[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["split"] == split:
                yield row


def _box(text: str) -> Box:
    left, top, right, bottom = (float(one) for one in text.split())
    return left, top, right, bottom


def _colour(text: str) -> Colour:
    red, green, blue = bytes.fromhex(text)
    return red, green, blue


def _flag(text: str) -> tuple[Colour, Colour, Colour]:
    one, two, three = (_colour(part) for part in text.split())
    return one, two, three
