"""Passports, identity cards, driving licences, residence permits and badges of invented people.

Layouts are records: a split has layouts and countries of its own. Emblems, seals and faces are
drawn; nothing copies a real document beyond its words and the machine readable zone (ICAO 9303).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures import held_cards, other_cards, photographs, unseen_cards
from build_engines.pictures.faces import face, head, scribble
from build_engines.pictures.fonts import MONO, SANS, SERIF, joined
from build_engines.pictures.grounds import ground, rounded
from build_engines.pictures.layouts import Country, Layout, countries, layouts
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, a_day, named
from build_engines.pictures.zone import zone


def templates(split: Split) -> Named:
    own = tuple(
        (f"{layout.kind}_{place}", functools.partial(draw, layout))
        for place, layout in enumerate(layouts(split))
    ) + (named(*unseen_cards.templates()) if split == "test" else ())
    return own + held_cards.templates(split, draw) + other_cards.templates(split)


def draw(layout: Layout, studio: Studio, rng: Random) -> Drawn:
    """One document of an invented person."""
    country = rng.choice(countries(studio.split))
    height = int(520 / max(layout.ratio, 1 / layout.ratio) ** 0.5)
    size = (int(height * layout.ratio), height)
    card = ground(layout, country, size, rng)
    desk = _Desk(layout, country, studio, rng, card, ImageDraw.Draw(card))
    if "cover" in layout.extras:
        desk.upper_page()
    desk.band()
    desk.title()
    source, licence = desk.portrait()
    desk.fields()
    for extra in layout.extras:
        getattr(desk, extra, lambda: None)()
    desk.mrz()
    return Drawn(rounded(card, layout), layout.kind, "card", source, licence)


@dataclass(slots=True)
class _Desk:
    """One card while it is drawn."""

    layout: Layout
    country: Country
    studio: Studio
    rng: Random
    card: Image.Image
    pen: ImageDraw.ImageDraw

    def at(self, x: float, y: float) -> tuple[int, int]:
        return int(x * self.card.width), int(y * self.card.height)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        fill: tuple[int, ...],
        *,
        bold: bool = False,
        native: bool = False,
    ) -> None:
        font = self.country.font if native else self.rng.choice(SANS[:6])
        face = self.studio.fonts.get(font, max(7, int(size * self.card.height)), bold=bold)
        self.pen.text(self.at(x, y), joined(text), font=face, fill=fill)

    def band(self) -> None:
        width, height = self.card.size
        colour = self.country.strong
        top = 0.5 if "cover" in self.layout.extras else 0
        boxes = {
            "top": (0, int(top * height), width, int((top + 0.14 * (1 - top)) * height)),
            "left": (0, int(top * height), int(0.035 * width), height),
            "bottom": (0, int(0.88 * height), width, height),
        }
        if self.layout.band:
            self.pen.rectangle(boxes[self.layout.band], fill=colour)

    def title(self) -> None:
        x, y = self.layout.title
        light = self.layout.band == "top" or (self.layout.band == "bottom" and y > 0.85)
        fill = (255, 255, 255) if light else self.country.strong
        if self.layout.kind == "badge":
            self.text(x, y, self.studio.people(self.rng).company()[:20], 0.06, fill, bold=True)
            return
        size = 0.03 if "cover" in self.layout.extras else 0.052
        self.text(x, y, self.country.name, size, fill, bold=True, native=True)
        words = self.country.words[self.layout.kind]
        self.text(x, y + size * 1.25, words, size * 0.8, fill, native=True)

    def portrait(self) -> tuple[str, str]:
        left, top, right, bottom = self.layout.portrait
        width, height = self.at(right - left, bottom - top)
        source, licence = "generated", "Apache-2.0"
        choices = photographs.of(self.studio.split, "portrait")
        if choices and self.rng.random() < 0.25:
            one = self.rng.choice(choices)
            shot = head(self.studio.show(one), one.name)
            source, licence = f"{one.package}: {one.file}", one.licence
        else:
            shot = face(self.rng)
        shot = shot.resize((width, height), Image.Resampling.BILINEAR)
        if self.rng.random() < 0.45:
            shot = shot.convert("L").convert("RGB")
        self.card.paste(shot, self.at(left, top))
        if "ghost" in self.layout.extras:
            small = shot.convert("L").resize((width // 2, height // 2)).convert("RGB")
            place = self.at(0.83 if left < 0.5 else 0.5, 0.3)
            under = self.card.crop((*place, place[0] + small.width, place[1] + small.height))
            if under.size == small.size:
                self.card.paste(Image.blend(under, small, 0.4), place)
        return source, licence

    def fields(self) -> None:
        left, top, right, bottom = self.layout.fields
        lines = self._lines()
        columns = self.layout.columns
        rows = math.ceil(len(lines) / columns)
        step = (bottom - top) / max(rows, 3)
        ink = (25, 25, 35)
        for place, (label, value) in enumerate(lines):
            x = left + (place % columns) * (right - left) / columns
            y = top + place // columns * step
            if self.layout.kind == "badge":
                self.text(x, y, value, 0.055 if place == 0 else 0.035, ink, bold=place == 0)
                continue
            self.text(x, y, label, min(step * 0.32, 0.03), self.country.strong, native=True)
            native = place < 2 and self.country.script != "Latn"
            self.text(
                x, y + step * 0.33, value, min(step * 0.52, 0.05), ink, bold=True, native=native
            )

    def _lines(self) -> list[tuple[str, str]]:
        people = self.studio.people(self.rng, self.country.locale)
        day = a_day(self.rng, 1940, 2007)
        until = a_day(self.rng, 2026, 2036)
        form = self.rng.choice(("%d.%m.%Y", "%d %m %Y", "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y"))
        labels = self.country.labels
        if self.layout.kind == "badge":
            job = self.studio.people(self.rng).job()
            return [
                ("", people.name()),
                ("", job[:24]),
                ("", f"ID {self.rng.randint(1000, 99999)}"),
            ]
        values = [
            people.last_name(),
            people.first_name(),
            day.strftime(form),
            self.rng.choice(("M", "F")),
            people.city(),
            until.strftime(form),
            self.number_text(),
        ]
        if self.layout.kind == "driving_licence":
            return [(f"{place + 1}.", one) for place, one in enumerate([*values, "AM A1 B BE C1"])]
        return list(zip(labels, values, strict=False))

    def number_text(self) -> str:
        letters = "".join(self.rng.choice("ACEFGHJKLMNPRTVWXYZ") for _ in range(2))
        return f"{letters}{self.rng.randint(100000, 9999999)}"

    def mrz(self) -> None:
        lines = zone(self.layout.mrz, self.country.code, self.studio.people(self.rng), self.rng)
        if not lines:
            return
        font = self.studio.fonts.get(MONO[self.studio.split][0], 20)
        size = int(20 * self.card.width * 0.94 / font.getlength(lines[0]))
        font = self.studio.fonts.get(MONO[self.studio.split][0], size)
        step = size * 1.35
        top = self.card.height - step * len(lines) - 0.03 * self.card.height
        if self.layout.mrz == 2 or self.rng.random() < 0.5:
            self.pen.rectangle(
                (0, int(top - 6), self.card.width, self.card.height), fill=(246, 246, 242)
            )
        for place, line in enumerate(lines):
            self.pen.text(
                (0.03 * self.card.width, top + place * step), line, font=font, fill=(20, 20, 20)
            )

    def chip(self) -> None:
        x, y = self.at(0.83, 0.3)
        w, h = self.at(0.1, 0.14)
        self.pen.rounded_rectangle(
            (x, y, x + w, y + h), 4, fill=(212, 178, 90), outline=(120, 95, 40)
        )
        for part in (0.33, 0.66):
            self.pen.line((x, y + h * part, x + w, y + h * part), fill=(120, 95, 40))

    def flag(self) -> None:
        x, y = self.at(0.05, 0.04)
        w, h = self.at(0.1, 0.1)
        for place, colour in enumerate(self.country.flag):
            box = (x, y + h * place // 3, x + w, y + h * (place + 1) // 3)
            if self.country.upright:
                box = (x + w * place // 3, y, x + w * (place + 1) // 3, y + h)
            self.pen.rectangle(box, fill=colour)

    def barcode(self) -> None:
        x, y = self.at(
            0.1 if self.layout.ratio < 1 else 0.28, 0.9 if self.layout.ratio < 1 else 0.54
        )
        w, h = self.at(0.7 if self.layout.ratio < 1 else 0.5, 0.06)
        while w > 0:
            bar = self.rng.randint(1, 4)
            self.pen.rectangle((x, y, x + bar - 1, y + h), fill=(15, 15, 15))
            gap = bar + self.rng.randint(1, 4)
            x, w = x + gap, w - gap

    def signature(self) -> None:
        left, _, right, bottom = self.layout.portrait
        scribble(
            self.pen,
            self.rng,
            self.at(left, bottom + 0.05),
            self.at(right - left, 0.07),
            (20, 25, 70),
        )

    def seal(self) -> None:
        x, y = self.at(self.rng.uniform(0.3, 0.8), self.rng.uniform(0.25, 0.55))
        radius = self.card.height * self.rng.uniform(0.07, 0.14)
        for part in (1, 0.82, 0.4):
            box = (x - radius * part, y - radius * part, x + radius * part, y + radius * part)
            self.pen.ellipse(box, outline=self.country.strong, width=2)
        for step in range(12):
            turn = step * math.pi / 6
            self.pen.line(
                (x, y, x + radius * 0.8 * math.cos(turn), y + radius * 0.8 * math.sin(turn)),
                fill=self.country.strong,
            )

    def number(self) -> None:
        self.text(0.62, 0.06, self.number_text(), 0.055, (160, 30, 30), bold=True)

    def upper_page(self) -> None:
        """The page above the data page of an open booklet."""
        width, height = self.card.size
        self.pen.rectangle((0, 0, width, height // 2 - 2), fill=self.country.pale)
        self.pen.line((0, height // 2, width, height // 2), fill=(90, 90, 90), width=3)
        face_ = self.studio.fonts.any(SERIF[:2], 11, self.rng)
        text = self.studio.people(self.rng).paragraph(5)
        for line in range(7):
            piece = text[line * 48 : line * 48 + 48]
            self.pen.text(
                (0.1 * width, height * (0.08 + 0.045 * line)),
                piece,
                font=face_,
                fill=self.country.strong,
            )
