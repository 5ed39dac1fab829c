"""More kinds of plots by Matplotlib, in invented colours."""

from __future__ import annotations

import colorsys
from random import Random
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import style as styles
from matplotlib.figure import Figure

from build_engines.pictures.figures import MAPS, STYLES, drawn, names_of, walk
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, dice, named

_SIZES = ((5.2, 3.6), (4.0, 4.0), (6.4, 3.0), (3.4, 4.4), (5.6, 4.2))


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(
            stacked_area,
            two_scales,
            hexagons,
            contours,
            radar,
            with_errors,
            steps,
            points_over_boxes,
        )
    return named(stems, fitted, bars_mirrored) if split == "validation" else ()


def palette(rng: Random, count: int) -> list[tuple[float, float, float]]:
    """Colours that go together: a walk over the wheel, or shades of one."""
    start, step = rng.random(), rng.choice((0.04, 0.12, 0.31, 0.38))
    full, light = rng.uniform(0.3, 0.95), rng.uniform(0.5, 0.95)
    return [
        colorsys.hsv_to_rgb((start + step * place) % 1, full, max(0.25, light - 0.05 * place))
        for place in range(count)
    ]


def coloured(
    studio: Studio,
    rng: Random,
    rows: int = 1,
    columns: int = 1,
    polar: bool = False,
    shared: bool = False,
) -> tuple[Figure, list[Any]]:
    """A figure with other colours, fonts, grounds, and as few words as it pleases."""
    people, words = studio.people(rng), rng.random()
    serif = rng.random() < 0.25
    with (
        styles.context(rng.choice(STYLES[studio.split])),
        mpl.rc_context(
            {
                "font.size": rng.randint(6, 13),
                "font.family": "DejaVu Serif" if serif else "DejaVu Sans",
                "axes.prop_cycle": mpl.cycler(color=palette(rng, 7)),
                "axes.spines.top": rng.random() < 0.5,
                "axes.spines.right": rng.random() < 0.5,
                "axes.grid": rng.random() < 0.4,
            }
        ),
    ):
        figure = Figure(figsize=rng.choice(_SIZES), dpi=rng.choice((72, 90)))
        axes: list[Any] = (
            figure.subplots(
                rows,
                columns,
                squeeze=False,
                sharex=shared,
                sharey=shared,
                subplot_kw={"projection": "polar"} if polar else {},
            )
            .ravel()
            .tolist()
        )
        if rng.random() < 0.15:
            ground = colorsys.hsv_to_rgb(rng.random(), 0.12, rng.choice((0.96, 0.85)))
            figure.set_facecolor(ground)
        for one in axes:
            if words < 0.65:
                one.set_title(people.sentence(rng.randint(2, 6)).rstrip("."), fontsize=9)
            if 0.3 < words < 0.75 and not polar:
                one.set_xlabel(people.word())
                one.set_ylabel(people.word())
    figure.subplots_adjust(left=0.15, bottom=0.17, top=0.87, hspace=0.6, wspace=0.35)
    return figure, axes


def stacked_area(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = coloured(studio, rng)
    count = rng.randint(2, 6)
    layers = [np.abs(walk(rng, 24)) + 2 for _ in range(count)]
    base = rng.choice(("zero", "sym", "wiggle"))
    axes.stackplot(range(24), *layers, baseline=base, alpha=rng.uniform(0.6, 1))
    axes.legend(names_of(studio, rng, count), loc="upper left", fontsize=7)
    return drawn(figure, "line")


def two_scales(studio: Studio, rng: Random) -> Drawn:
    """Bars and a curve with an axis of its own."""
    figure, (axes,) = coloured(studio, rng)
    count = rng.choice((7, 12, 12, 24))
    axes.bar(range(count), dice(rng).uniform(5, 100, count), alpha=0.75)
    other = axes.twinx()
    other.plot(walk(rng, count), color=rng.choice(("black", "crimson", "navy")), marker="o")
    return drawn(figure, "bar")


def hexagons(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = coloured(studio, rng)
    bent = rng.uniform(-0.9, 0.9)
    points = dice(rng).multivariate_normal((0, 0), ((2, bent), (bent, 1)), 900)
    shown = axes.hexbin(
        points[:, 0], points[:, 1], gridsize=rng.randint(8, 24), cmap=rng.choice(MAPS)
    )
    if rng.random() < 0.6:
        figure.colorbar(shown)
    return drawn(figure, "heat_map")


def contours(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = coloured(studio, rng)
    x, y = np.meshgrid(np.linspace(-3, 3, 50), np.linspace(-3, 3, 50))
    z = sum(
        rng.uniform(-1, 1)
        * np.exp(-((x - rng.uniform(-2, 2)) ** 2) - (y - rng.uniform(-2, 2)) ** 2)
        for _ in range(5)
    )
    if rng.random() < 0.5:
        shown = axes.contourf(x, y, z, rng.randint(6, 16), cmap=rng.choice(MAPS))
        figure.colorbar(shown)
    else:
        axes.clabel(axes.contour(x, y, z, rng.randint(5, 12)), fontsize=6)
    return drawn(figure, "heat_map")


def radar(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = coloured(studio, rng, polar=True)
    count = rng.randint(5, 9)
    turns = np.linspace(0, 2 * np.pi, count + 1)
    for _ in range(rng.randint(1, 3)):
        values = dice(rng).uniform(2, 10, count)
        values = np.append(values, values[0])
        axes.plot(turns, values, linewidth=2)
        axes.fill(turns, values, alpha=0.25)
    axes.set_xticks(turns[:-1], names_of(studio, rng, count))
    return drawn(figure, "radar")


def with_errors(studio: Studio, rng: Random) -> Drawn:
    """Means and their doubts."""
    figure, (axes,) = coloured(studio, rng)
    count = rng.randint(4, 9)
    for _ in range(rng.randint(1, 3)):
        axes.errorbar(
            np.arange(count) + rng.uniform(-0.1, 0.1),
            walk(rng, count),
            yerr=dice(rng).uniform(0.2, 1.5, count),
            fmt=rng.choice(("o", "s-", "^--")),
            capsize=rng.choice((0, 3, 5)),
        )
    return drawn(figure, "line")


def steps(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = coloured(studio, rng)
    for _ in range(rng.randint(1, 3)):
        values = np.sort(dice(rng).uniform(0, 1, 25))
        values = values[::-1] if rng.random() < 0.5 else values
        axes.step(range(25), values, where="post", linewidth=2)
    if rng.random() < 0.3:
        axes.set_yscale("log")
    axes.legend(names_of(studio, rng, len(axes.lines)), fontsize=7)
    return drawn(figure, "line")


def points_over_boxes(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = coloured(studio, rng)
    count = rng.randint(2, 6)
    table = dice(rng).normal(dice(rng).uniform(0, 5, count), 1, (40, count))
    shown = axes.boxplot(
        table,
        patch_artist=True,
        orientation=rng.choice(("vertical", "horizontal")),
        showfliers=False,
    )
    for box, colour in zip(shown["boxes"], palette(rng, count), strict=True):
        box.set_facecolor((*colour, 0.5))
    if rng.random() < 0.5:
        for place in range(count):
            spread = dice(rng).normal(place + 1, 0.06, 40)
            pair = spread, table[:, place]
            if shown["medians"][0].get_xdata()[0] == shown["medians"][0].get_xdata()[1]:
                pair = pair[::-1]
            axes.scatter(*pair, s=6, color="black", alpha=0.5)
    return drawn(figure, "box")


def stems(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = coloured(studio, rng)
    axes.stem(walk(rng, rng.randint(15, 40)) - 20)
    return drawn(figure, "line")


def fitted(studio: Studio, rng: Random) -> Drawn:
    """Points and the line through them, its equation in a corner."""
    figure, (axes,) = coloured(studio, rng)
    x = dice(rng).uniform(0, 10, rng.randint(20, 90))
    slope = rng.uniform(-2, 2)
    axes.scatter(x, slope * x + dice(rng).normal(0, 2, x.size), s=14, alpha=0.8)
    axes.plot((0, 10), (0, slope * 10), linestyle="--")
    axes.text(0.05, 0.9, f"y = {slope:.2f}x   R² = {rng.random():.2f}", transform=axes.transAxes)
    return drawn(figure, "scatter")


def bars_mirrored(studio: Studio, rng: Random) -> Drawn:
    """Ages of a people, men on the left and women on the right."""
    figure, (axes,) = coloured(studio, rng)
    ages = np.linspace(10, 2, 12) + dice(rng).normal(0, 0.8, 12)
    axes.barh(range(12), -ages)
    axes.barh(range(12), ages * rng.uniform(0.8, 1.2))
    return drawn(figure, "bar")
