"""Charts of invented numbers, drawn by Matplotlib without its global state."""

from __future__ import annotations

from random import Random

import numpy as np
from matplotlib.axes import Axes
from PIL import Image, ImageDraw

from build_engines.pictures import (
    panels,
    panels_apps,
    panels_plans,
    plots,
    plots_wide,
    unseen_charts,
)
from build_engines.pictures.figures import MAPS, axes_of, drawn, names_of, walk
from build_engines.pictures.fonts import SANS
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, Template, dice, named


def templates(split: Split) -> Named:
    chosen: dict[Split, tuple[Template, ...]] = {
        "train": (
            lines,
            bars,
            pie,
            scatter,
            heat_map,
            boxes,
            histogram,
            candles,
            dashboard,
            bars_grouped,
        ),
        "validation": (area, bars_flat),
        "test": (
            lines_banded,
            bars_stacked,
            doughnut,
            bubbles,
            heat_table,
            violins,
            candles_wide,
            dashboard_cards,
            *unseen_charts.templates(),
        ),
    }
    more = (plots, plots_wide, panels, panels_plans, panels_apps)
    return named(*chosen[split]) + sum((one.templates(split) for one in more), ())


def lines(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    for _ in range(rng.randint(1, 5)):
        count = rng.choice((8, 12, 40, 120))
        axes.plot(
            walk(rng, count), marker=rng.choice(("", "", "o", "s")), linewidth=rng.uniform(1, 2.5)
        )
    if rng.random() < 0.5:
        axes.legend(names_of(studio, rng, len(axes.lines)))
    axes.grid(rng.random() < 0.5)
    return drawn(figure, "line")


def lines_banded(studio: Studio, rng: Random) -> Drawn:
    """A curve with a band of doubt round it, and a dashed limit."""
    figure, (axes,) = axes_of(studio, rng)
    values = walk(rng, 60)
    axes.plot(values, linewidth=2)
    axes.fill_between(range(60), values - rng.uniform(1, 4), values + rng.uniform(1, 4), alpha=0.3)
    axes.axhline(float(values.mean()), linestyle="--")
    return drawn(figure, "line")


def area(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    axes.stackplot(range(30), *[np.abs(walk(rng, 30)) for _ in range(rng.randint(2, 5))])
    return drawn(figure, "line")


def bars(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    count = rng.randint(3, 11)
    names = [f"{name}{place}" for place, name in enumerate(names_of(studio, rng, count))]
    axes.bar(
        names,
        dice(rng).uniform(1, 100, count),
        color=rng.choice((None, "tab:orange", "teal", "slateblue")),
    )
    axes.tick_params(axis="x", labelrotation=rng.choice((0, 30, 60)))
    return drawn(figure, "bar")


def bars_grouped(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    count, groups = rng.randint(3, 6), rng.randint(2, 4)
    for group in range(groups):
        axes.bar(
            np.arange(count) + group * 0.8 / groups, dice(rng).uniform(5, 100, count), 0.8 / groups
        )
    axes.legend(names_of(studio, rng, groups))
    return drawn(figure, "bar")


def bars_flat(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    count = rng.randint(4, 12)
    axes.barh(range(count), np.sort(dice(rng).uniform(1, 100, count)))
    axes.set_yticks(range(count), names_of(studio, rng, count))
    return drawn(figure, "bar")


def bars_stacked(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    count, base = rng.randint(4, 9), np.zeros(1)
    for _ in range(3):
        values = dice(rng).uniform(5, 40, count)
        axes.bar(range(count), values, bottom=base)
        base = base + values
    axes.legend(names_of(studio, rng, 3))
    return drawn(figure, "bar")


def pie(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    count = rng.randint(3, 7)
    axes.pie(
        dice(rng).uniform(5, 40, count),
        labels=names_of(studio, rng, count),
        autopct=rng.choice((None, "%1.0f%%")),
        startangle=rng.randint(0, 360),
    )
    return drawn(figure, "pie")


def doughnut(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    count = rng.randint(3, 6)
    axes.pie(dice(rng).uniform(5, 40, count), wedgeprops={"width": 0.4, "edgecolor": "w"})
    axes.legend(names_of(studio, rng, count), loc="center left", bbox_to_anchor=(0.95, 0.5))
    return drawn(figure, "pie")


def scatter(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    for _ in range(rng.randint(1, 4)):
        points = dice(rng).normal(
            [rng.uniform(0, 9), rng.uniform(0, 9)], rng.uniform(0.4, 2), (rng.randint(20, 150), 2)
        )
        axes.scatter(
            points[:, 0],
            points[:, 1],
            s=rng.randint(6, 40),
            alpha=0.7,
            marker=rng.choice(("o", "^", "x", "s")),
        )
    return drawn(figure, "scatter")


def bubbles(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    table = dice(rng).uniform(0, 1, (rng.randint(15, 50), 4))
    axes.scatter(
        table[:, 0],
        table[:, 1],
        s=table[:, 2] * 600,
        c=table[:, 3],
        alpha=0.5,
        cmap=rng.choice(MAPS),
    )
    return drawn(figure, "scatter")


def heat_map(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    shown = axes.imshow(
        dice(rng).normal(0, 1, (rng.randint(5, 16), rng.randint(5, 16))), cmap=rng.choice(MAPS)
    )
    figure.colorbar(shown)
    return drawn(figure, "heat_map")


def heat_table(studio: Studio, rng: Random) -> Drawn:
    """A correlation matrix with its numbers."""
    figure, (axes,) = axes_of(studio, rng)
    count = rng.randint(4, 7)
    values = np.corrcoef(dice(rng).normal(0, 1, (count, 12)))
    axes.imshow(values, cmap=rng.choice(MAPS), vmin=-1, vmax=1)
    for place in range(count * count):
        row, column = divmod(place, count)
        axes.text(column, row, f"{values[row, column]:.1f}", ha="center", va="center")
    axes.set_yticks(range(count), names_of(studio, rng, count))
    return drawn(figure, "heat_map")


def boxes(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    count = rng.randint(3, 8)
    axes.boxplot(dice(rng).normal(rng.uniform(0, 9), 2, (60, count)), notch=rng.random() < 0.3)
    return drawn(figure, "box")


def violins(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    axes.violinplot(dice(rng).normal(0, 1, (50, rng.randint(3, 6))), showmedians=True, points=40)
    return drawn(figure, "box")


def histogram(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    for _ in range(rng.randint(1, 2)):
        axes.hist(dice(rng).normal(rng.uniform(0, 3), 1, 400), bins=rng.randint(10, 40), alpha=0.7)
    return drawn(figure, "bar")


def _candle(axes: Axes, rng: Random, count: int, up: str, down: str) -> None:
    price = rng.uniform(40, 200)
    for day in range(count):
        close = price * (1 + rng.gauss(0, 0.02))
        colour = up if close >= price else down
        axes.plot(
            (day, day),
            (min(price, close) * 0.99, max(price, close) * 1.01),
            color=colour,
            linewidth=1,
        )
        axes.bar(day, abs(close - price) or 0.1, 0.7, bottom=min(price, close), color=colour)
        price = close


def candles(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = axes_of(studio, rng)
    _candle(axes, rng, rng.randint(14, 30), "green", "red")
    axes.grid(True, alpha=0.3)
    return drawn(figure, "candles")


def candles_wide(studio: Studio, rng: Random) -> Drawn:
    """Candles above, volume below."""
    figure, (above, below) = axes_of(studio, rng, 2, 1)
    _candle(above, rng, 24, "#26a69a", "#ef5350")
    below.bar(range(24), dice(rng).uniform(1, 9, 24))
    return drawn(figure, "candles")


def dashboard(studio: Studio, rng: Random) -> Drawn:
    """Four small charts together."""
    figure, four = axes_of(studio, rng, 2, 2)
    for axes in four:
        what = rng.randint(0, 3)
        if what == 0:
            axes.plot(walk(rng, 30))
        elif what == 1:
            axes.bar(range(6), dice(rng).uniform(1, 9, 6))
        elif what == 2:
            axes.pie(dice(rng).uniform(1, 9, 4))
        else:
            axes.hist(dice(rng).normal(0, 1, 200), bins=14)
    return drawn(figure, "dashboard")


def dashboard_cards(studio: Studio, rng: Random) -> Drawn:
    """A web page of figures in boxes, with bars and curves, drawn by hand."""
    dark = rng.random() < 0.5
    ground, box, ink = (
        ((24, 27, 34), (36, 41, 52), (230, 232, 238))
        if dark
        else ((241, 243, 246), (255, 255, 255), (40, 44, 52))
    )
    image = Image.new("RGB", (720, 480), ground)
    pen = ImageDraw.Draw(image)
    big, small = (studio.fonts.any(SANS[:5], size, rng, bold=size > 20) for size in (24, 12))
    people = studio.people(rng)
    for place in range(4):
        left = 16 + place * 174
        pen.rounded_rectangle((left, 16, left + 162, 96), 8, fill=box)
        pen.text((left + 12, 26), people.word().title(), font=small, fill=ink)
        pen.text(
            (left + 12, 48), f"{rng.randint(10, 99)},{rng.randint(100, 999)}", font=big, fill=ink
        )
    accent = tuple(rng.randint(60, 230) for _ in "rgb")
    pen.rounded_rectangle((16, 112, 470, 464), 8, fill=box)
    points = [
        (40 + step * 21, 430 - float(value) * 3)
        for step, value in enumerate(np.clip(walk(rng, 20), 0, 95))
    ]
    pen.line(points, fill=accent, width=3)
    pen.line((40, 130, 40, 440, 450, 440), fill=ink)
    pen.rounded_rectangle((486, 112, 704, 464), 8, fill=box)
    for bar in range(8):
        pen.rectangle(
            (500, 140 + bar * 38, 500 + rng.randint(20, 190), 160 + bar * 38), fill=accent
        )
    return Drawn(image, "dashboard", "screen")
