"""Plots of many parts by Matplotlib: small multiples, ridges, roses, calendars."""

from __future__ import annotations

from random import Random

import numpy as np

from build_engines.pictures.figures import MAPS, drawn, names_of, walk
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.plots import coloured, palette
from build_engines.pictures.studio import Named, Studio, dice, named


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(
            small_multiples, ridges, lollipops, roses, diverging, calendar, bare_curves, many_bars
        )
    return ()


def small_multiples(studio: Studio, rng: Random) -> Drawn:
    """The same small plot many times."""
    rows, columns = rng.choice(((2, 3), (3, 3), (1, 3), (4, 2), (3, 2)))
    figure, many = coloured(studio, rng, rows, columns, shared=True)
    what = rng.randint(0, 2)
    for axes in many:
        if what == 0:
            axes.plot(walk(rng, 30))
        elif what == 1:
            axes.hist(dice(rng).normal(rng.uniform(-1, 1), 1, 120), bins=12)
        else:
            points = dice(rng).normal(0, 1, (2, 40))
            axes.scatter(points[0], points[1] + points[0] * rng.uniform(-2, 2), s=5)
    return drawn(figure, "dashboard")


def ridges(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = coloured(studio, rng)
    count, x = rng.randint(5, 9), np.linspace(-4, 4, 120)
    colours = palette(rng, count)
    for place in range(count):
        top = count - place
        y = np.exp(-((x - rng.uniform(-2, 2)) ** 2) / rng.uniform(0.4, 2)) * 1.6
        axes.fill_between(x, top, top + y, color=colours[place], zorder=place, alpha=0.9)
        axes.plot(x, top + y, color="white", linewidth=1, zorder=place)
    axes.set_yticks(range(1, count + 1), names_of(studio, rng, count))
    return drawn(figure, "line")


def lollipops(studio: Studio, rng: Random) -> Drawn:
    figure, (axes,) = coloured(studio, rng)
    count = rng.randint(5, 14)
    values = np.sort(dice(rng).uniform(1, 100, count))
    axes.hlines(range(count), 0, values, linewidth=rng.uniform(1, 3))
    axes.scatter(values, range(count), s=rng.randint(30, 120), zorder=3)
    axes.set_yticks(range(count), names_of(studio, rng, count))
    return drawn(figure, "bar")


def roses(studio: Studio, rng: Random) -> Drawn:
    """Bars round a centre."""
    figure, (axes,) = coloured(studio, rng, polar=True)
    count = rng.choice((8, 12, 16, 24))
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    axes.bar(
        turns,
        dice(rng).uniform(1, 10, count),
        6 / count,
        bottom=rng.choice((0, 3)),
        color=palette(rng, count),
        alpha=0.8,
    )
    return drawn(figure, "bar")


def diverging(studio: Studio, rng: Random) -> Drawn:
    """Gains and losses from a middle line, or one upon the other."""
    figure, (axes,) = coloured(studio, rng)
    count = rng.randint(6, 16)
    changes = dice(rng).normal(0, 10, count)
    base = (
        np.concatenate(([0.0], np.cumsum(changes)[:-1])) if rng.random() < 0.5 else np.zeros(count)
    )
    up, down = rng.choice((("seagreen", "indianred"), ("steelblue", "darkorange")))
    axes.bar(range(count), changes, bottom=base, color=[up if one > 0 else down for one in changes])
    axes.axhline(0, color="black", linewidth=0.8)
    return drawn(figure, "bar")


def calendar(studio: Studio, rng: Random) -> Drawn:
    """Squares of days in weeks, or a triangle of a matrix."""
    figure, (axes,) = coloured(studio, rng)
    rows, columns = rng.choice(((7, 26), (7, 14), (10, 10)))
    table = dice(rng).random((rows, columns))
    if rows == columns:
        table[np.triu(np.ones((rows, columns))) > 0] = np.nan
    table[table < rng.choice((0, 0.3))] = np.nan
    axes.pcolormesh(table, cmap=rng.choice(MAPS), edgecolors="white", linewidth=2)
    axes.set_aspect("equal")
    axes.set_xticks([])
    return drawn(figure, "heat_map")


def bare_curves(studio: Studio, rng: Random) -> Drawn:
    """Curves without an axis or a word."""
    figure, (axes,) = coloured(studio, rng)
    for _ in range(rng.randint(1, 6)):
        x = np.linspace(0, 10, 150)
        axes.plot(
            x,
            rng.uniform(0.4, 3) * np.sin(x * rng.uniform(0.3, 2) + rng.uniform(0, 6)),
            linewidth=rng.uniform(1, 4),
        )
    if rng.random() < 0.6:
        axes.set_xticks([])
        axes.set_yticks([])
    return drawn(figure, "line")


def many_bars(studio: Studio, rng: Random) -> Drawn:
    """A long row of bars with a number on each, or a wide one with none."""
    figure, (axes,) = coloured(studio, rng)
    count = rng.choice((6, 9, 30, 52))
    shown = axes.bar(range(count), np.abs(walk(rng, count)), color=palette(rng, 1)[0])
    if count < 10:
        axes.bar_label(shown, fmt="%.0f")
        axes.set_xticks(
            range(count), names_of(studio, rng, count), rotation=rng.choice((0, 45, 90))
        )
    return drawn(figure, "bar")
