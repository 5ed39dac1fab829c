"""A Matplotlib figure in a style of its split, drawn without global state."""

from __future__ import annotations

from random import Random
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib import style as styles
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Studio, dice

Levels = npt.NDArray[np.float64]
# A style stands in one split.
STYLES: dict[Split, tuple[str, ...]] = {
    "train": (
        "default",
        "ggplot",
        "seaborn-v0_8-whitegrid",
        "dark_background",
        "seaborn-v0_8-deep",
        "seaborn-v0_8-talk",
        "seaborn-v0_8-white",
        "seaborn-v0_8-ticks",
        "tableau-colorblind10",
    ),
    "validation": ("classic", "seaborn-v0_8-pastel"),
    "test": ("fivethirtyeight", "bmh", "Solarize_Light2", "grayscale", "seaborn-v0_8-darkgrid"),
}


MAPS = ("viridis", "magma", "coolwarm", "Blues", "YlGn", "RdBu")


def axes_of(
    studio: Studio, rng: Random, rows: int = 1, columns: int = 1
) -> tuple[Figure, list[Any]]:
    """A figure in a style of the split, its axes titled and labelled."""
    people = studio.people(rng)
    with (
        styles.context(rng.choice(STYLES[studio.split])),
        mpl.rc_context({"font.size": rng.randint(7, 11), "font.family": "DejaVu Sans"}),
    ):
        size = rng.choice(((5.2, 3.6), (4.4, 4.0), (6.0, 3.2)))
        figure = Figure(figsize=size, dpi=90)
        axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
        for one in axes:
            if rng.random() < 0.7:
                one.set_title(people.sentence(3).rstrip("."))
            if rng.random() < 0.5:
                one.set_xlabel(people.word())
                one.set_ylabel(people.word())
    figure.subplots_adjust(left=0.14, bottom=0.16, top=0.88, hspace=0.55, wspace=0.35)
    return figure, axes


def drawn(figure: Figure, kind: str) -> Drawn:
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    levels = np.asarray(canvas.buffer_rgba())
    return Drawn(Image.fromarray(levels, "RGBA").convert("RGB"), kind, "screen")


def names_of(studio: Studio, rng: Random, count: int) -> list[str]:
    people = studio.people(rng)
    return [rng.choice((people.city, people.word, people.first_name))()[:9] for _ in range(count)]


def walk(rng: Random, count: int) -> Levels:
    steps: Levels = dice(rng).normal(rng.uniform(-0.1, 0.2), 1, count)
    steps[0] += rng.uniform(5, 60)
    return np.cumsum(steps)
