"""Scores of pictures against texts as colours: at a terminal by group, as a PNG by text.

Dark is high. A frame (at a terminal: brackets) is the right group; red is a picture where another
one wins, grey (at a terminal: KNOWN in yellow) one that is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from orchestrator.errors import ConfigError
from orchestrator.labelled.inversion import Judged, Report
from orchestrator.labelled.looking import Looked

Colour = tuple[int, int, int]

_LIGHT, _DARK = (247, 251, 255), (8, 64, 129)
_RED, _GREY = (200, 30, 30), (140, 150, 170)
_CELL, _GAP, _SIZE = 14, 6, 11  # pixels: of a cell, between groups, of letters


def table(report: Report) -> Table:
    """A row for each picture, a column for each group, by its number in `legend`."""
    scores = [score for one in report.pictures for score in one.scores.values()]
    low, high = min(scores), max(scores)
    found = Table(box=None, padding=(0, 0, 0, 1), pad_edge=False)
    found.add_column("picture", no_wrap=True, max_width=32)
    found.add_column("known", justify="right")
    found.add_column("margin", justify="right")
    groups = list(report.pictures[0].scores)
    for number, _ in enumerate(groups, 1):
        found.add_column(f"{number} ", justify="right", no_wrap=True)
    for one in report.pictures:
        cells = [_cell(one, group, _colour(one.scores[group], low, high)) for group in groups]
        name = f"[red]{escape(one.file)}[/red]" if one.inverted else escape(one.file)
        known = f"{one.known:.2f}" if one.familiar else f"[yellow]{one.known:.2f}[/yellow]"
        found.add_row(name, known, _margin(one), *cells)
    return found


def legend(groups: Sequence[str]) -> str:
    return "  ".join(f"{number} {name}" for number, name in enumerate(groups, 1))


def _cell(one: Judged, group: str, colour: Colour) -> str:
    ink = "black" if sum(colour) > 400 else "white"
    said = f"{one.scores[group]:.2f}"
    told = f"[{said}]" if group == one.group else f" {said} "
    red, green, blue = colour
    return f"[{ink} on rgb({red},{green},{blue})]{escape(told)}[/]"


def _margin(one: Judged) -> str:
    if one.margin is None:
        return "-"
    return f"[red]{one.margin:+.3f}[/red]" if one.inverted else f"{one.margin:+.3f}"


def draw(path: Path, looked: Looked, report: Report, groups: Mapping[str, Sequence[str]]) -> None:
    """Write a PNG: a row for each picture, a column for each text, groups beside each other.

    Raises ConfigError where it cannot be written.
    """
    font = ImageFont.load_default(_SIZE)
    names = [one.file for one in report.pictures]
    left = int(max(font.getlength(name) for name in names)) + 2 * _GAP
    top = int(max(font.getlength(group) for group in groups)) + 2 * _GAP
    starts, right = {}, left
    for group, texts in groups.items():
        starts[group] = right
        right += len(texts) * _CELL + _GAP
    picture = Image.new("RGB", (right + _GAP, top + len(names) * _CELL + _GAP), "white")
    pen = ImageDraw.Draw(picture)
    for group, start in starts.items():
        _upwards(picture, group, (start, top), font)
    column = {text: at for at, text in enumerate(looked.texts)}
    low, high = float(looked.cosines.min()), float(looked.cosines.max())
    for row, one in enumerate(report.pictures):
        y = top + row * _CELL
        pen.text((_GAP, y + 1), one.file, _ink(one), font)
        for group, texts in groups.items():
            for at, text in enumerate(texts):
                x = starts[group] + at * _CELL
                value = float(looked.cosines[row, column[text]])
                pen.rectangle((x, y, x + _CELL - 1, y + _CELL - 1), _colour(value, low, high))
            if group == one.group:
                box = (starts[group], y, starts[group] + len(texts) * _CELL - 1, y + _CELL - 1)
                pen.rectangle(box, outline=_ink(one), width=1)
    save(picture, path)


def _ink(one: Judged) -> str | Colour:
    if one.inverted:
        return _RED
    return "black" if one.familiar else _GREY


def save(picture: Image.Image, path: Path) -> None:
    try:
        picture.save(path, "PNG")
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from None


def print_to(console: Console, report: Report) -> None:
    console.print(table(report))
    said = escape(legend(list(report.pictures[0].scores)))
    console.print(f"[dim]{said}[/dim]", highlight=False)


def _upwards(
    picture: Image.Image,
    text: str,
    place: tuple[int, int],
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
) -> None:
    """Letters that end at `place`, read from below."""
    line = Image.new("RGB", (int(font.getlength(text)) + 2, _CELL), "white")
    ImageDraw.Draw(line).text((0, 0), text, "black", font)
    turned = line.rotate(90, expand=True)
    picture.paste(turned, (place[0], place[1] - turned.height - 2))


def _colour(value: float, low: float, high: float) -> Colour:
    share = 0.0 if high <= low else (value - low) / (high - low)
    mixed = np.asarray(_LIGHT) * (1 - share) + np.asarray(_DARK) * share
    red, green, blue = (int(part) for part in mixed)
    return red, green, blue
