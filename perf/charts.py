"""Requests a second and p50 against load, a line an arm, as SVG: one file, no fonts, no scripts.

Both scales are logarithmic. Colours are Okabe and Ito's, which colour-blind readers tell apart, and
marks differ too. It has its own background, light or dark as the reader's system asks for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from perf.result import Row, names

WIDTH, PANEL, TOP, LEFT, GAP, LINE = 820, (330, 240), 58, 56, 72, 20
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#7f7f7f", "#8c564b")
MARKS = ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M-4-4h8v8h-8z", "M0-5l5 9h-10z", "M0-6l6 6-6 6-6-6z")
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#24292f}text:first-of-type{font-weight:600}"
    ".back{fill:#fff}.grid{stroke:#d0d7de}.line{fill:none;stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.back{fill:#0d1117}.grid{stroke:#30363d}}"
)


@dataclass(frozen=True, slots=True)
class Panel:
    """Where its points are: loads at equal distances, values by their logarithm."""

    left: float
    loads: Sequence[str]
    steps: Sequence[float]

    def x(self, load: str) -> float:
        share = (self.loads.index(load) + 0.5) / len(self.loads)
        return round(self.left + PANEL[0] * share, 1)

    def y(self, value: float) -> float:
        low, high = self.steps[0], self.steps[-1]
        return round(TOP + PANEL[1] * (1 - math.log(value / low) / math.log(high / low)), 1)


def chart(title: str, rows: Sequence[Row]) -> str:
    """The rows of one input. Figures that are not above zero have no point."""
    loads, arms = names(rows, "load"), names(rows, "arm")
    bottom = TOP + PANEL[1] + 68
    height = bottom + LINE * math.ceil(len(arms) / 3)
    size = {"viewBox": f"0 0 {WIDTH} {height}", "width": str(WIDTH), "height": str(height)}
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **size})
    SubElement(svg, "title").text = title
    SubElement(svg, "style").text = STYLE
    SubElement(svg, "rect", {"class": "back", "width": "100%", "height": "100%", "rx": "6"})
    _text(svg, LEFT, 24, title, "start")
    rates = {(row.arm, row.load): row.rate for row in rows if row.rate > 0}
    medians = {(row.arm, row.load): row.p50 for row in rows if row.p50 > 0}
    for left, what, figures in (
        (LEFT, "requests a second", rates),
        (LEFT + PANEL[0] + GAP, "p50, ms", medians),
    ):
        _text(svg, left, TOP - 10, what, "start")
        panel = Panel(left, loads, ticks(figures.values()))
        _axes(svg, panel)
        _lines(svg, panel, arms, figures)
    for number, arm in enumerate(arms):
        x, y = LEFT + number % 3 * 250, bottom + number // 3 * LINE
        _mark(svg, number, x + 6, y - 4)
        _text(svg, x + 20, y, arm, "start")
    indent(svg)
    return tostring(svg, encoding="unicode") + "\n"


def ticks(values: Iterable[float]) -> list[float]:
    """Two at least, of 1, 2 and 5 times powers of ten: the first and last around all values."""
    known = sorted(values) or [1.0]
    low, high = known[0], known[-1]
    # One more at both ends: the logarithm of 0.00999999999999 is rounded to that of 0.01.
    powers = range(math.floor(math.log10(low)) - 1, math.floor(math.log10(high)) + 3)
    steps = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    first = max(number for number, step in enumerate(steps) if step <= low)
    last = min(number for number, step in enumerate(steps) if step >= high)
    return steps[first : max(last, first + 1) + 1]


def _axes(svg: Element, panel: Panel) -> None:
    right, floor = panel.left + PANEL[0], TOP + PANEL[1]
    for step in panel.steps:
        ends = {"x1": str(panel.left), "x2": str(right)} | dict.fromkeys(
            ("y1", "y2"), str(panel.y(step))
        )
        SubElement(svg, "line", {"class": "grid", **ends})
        _text(svg, panel.left - 6, panel.y(step) + 4, f"{step:,g}", "end")
    units = {load.partition(" ")[2] for load in panel.loads}
    for load in panel.loads:
        _text(svg, panel.x(load), floor + 18, load.split()[0] if len(units) == 1 else load)
    _text(svg, (panel.left + right) / 2, floor + 36, f"requests {' or '.join(sorted(units))}")


def _lines(
    svg: Element, panel: Panel, arms: Sequence[str], figures: Mapping[tuple[str, str], float]
) -> None:
    """No line goes from requests at once to requests a second."""
    for number, arm in enumerate(arms):
        points = {load: figures[arm, load] for load in panel.loads if (arm, load) in figures}
        lines = dict[str, list[str]]()
        for load, value in points.items():
            x, y = panel.x(load), panel.y(value)
            lines.setdefault(load.partition(" ")[2], []).append(f"{x},{y}")
            SubElement(_mark(svg, number, x, y), "title").text = f"{arm}, {load}: {value:g}"
        for line in lines.values():
            style = {"class": "line", "stroke": COLOURS[number % len(COLOURS)]}
            SubElement(svg, "polyline", {**style, "points": " ".join(line)})


def _mark(svg: Element, number: int, x: float, y: float) -> Element:
    place = {"transform": f"translate({x} {y})", "fill": COLOURS[number % len(COLOURS)]}
    return SubElement(svg, "path", {"d": MARKS[number % len(MARKS)], **place})


def _text(svg: Element, x: float, y: float, text: str, anchor: str = "middle") -> None:
    SubElement(svg, "text", {"x": str(x), "y": str(y), "text-anchor": anchor}).text = text
