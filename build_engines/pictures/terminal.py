"""Terminals: sessions, logs, errors and monitors, bare, in windows, in panes, on a desktop."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures import (
    build_logs,
    consoles,
    consoles_systems,
    monitors,
    screens,
    text_modes,
    unseen_shells,
)
from build_engines.pictures.camera import surface
from build_engines.pictures.fonts import MONO, SANS
from build_engines.pictures.glass import write
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.screens import Line, Session
from build_engines.pictures.studio import Named, Studio, Template, named

Colour = tuple[int, int, int]
# The ground, the plain ink, then red, green, yellow, blue, magenta, cyan, dim, bright.
SCHEMES: dict[Split, tuple[str, ...]] = {
    "train": (
        "000000 d0d0d0 ff5555 50fa50 f1fa60 6a8cff ff79c6 60e0e0 808080 ffffff",
        "1e1e1e cccccc f14c4c 23d18b f5f543 3b8eea d670d6 29b8db 7f7f7f ffffff",
        "300a24 eeeeec ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 888a85 ffffff",
        "ffffff 222222 c01c28 26a269 a2734c 12488b a347ba 2aa1b3 888888 000000",
        "012456 eeedf0 ff6060 60ff60 ffff60 7090ff ff60ff 60ffff 9090a0 ffffff",
        "002b36 93a1a1 dc322f 859900 b58900 268bd2 d33682 2aa198 586e75 fdf6e3",
        "000000 33ff33 33ff33 33ff33 88ff88 33ff33 33ff33 66ff66 1f9f1f aaffaa",
    ),
    "validation": ("fdf6e3 586e75 dc322f 859900 b58900 268bd2 d33682 2aa198 93a1a1 073642",),
    "test": (
        "282a36 f8f8f2 ff5555 50fa7b f1fa8c bd93f9 ff79c6 8be9fd 6272a4 ffffff",
        "0d1117 c9d1d9 ff7b72 7ee787 d29922 79c0ff d2a8ff a5d6ff 8b949e f0f6fc",
        "000000 ffb000 ffb000 ffc840 ffd060 ffb000 ffb000 ffc040 aa7500 ffe0a0",
        "f5f5f5 383a42 e45649 50a14f c18401 4078f2 a626a4 0184bc a0a1a7 000000",
    ),
}
SESSIONS: dict[Split, tuple[Session, ...]] = {
    "train": (
        screens.listing,
        screens.log,
        screens.traceback,
        screens.commits,
        monitors.monitor,
        screens.install,
        monitors.table,
        screens.tests,
    ),
    "validation": (screens.access_log, screens.traceback, screens.network, monitors.monitor),
    "test": (
        screens.containers,
        screens.compiler,
        screens.traceback,
        monitors.chat,
        screens.log,
        monitors.monitor,
    ),
}
KINDS: dict[Session, str] = {
    screens.traceback: "error",
    screens.compiler: "error",
    screens.log: "log",
    screens.access_log: "log",
    monitors.monitor: "monitor",
}


def templates(split: Split) -> Named:
    chosen: dict[Split, tuple[Template, ...]] = {
        "train": (bare, titled, titled, panes, zoomed),
        "validation": (bare, window_left),
        "test": (tabbed, tiled, over_wallpaper, *unseen_shells.templates()),
    }
    more = (consoles, consoles_systems, text_modes, build_logs)
    return named(*chosen[split]) + sum((one.templates(split) for one in more), ())


def _scheme(studio: Studio, rng: Random) -> list[Colour]:
    colours = []
    for text in rng.choice(SCHEMES[studio.split]).split():
        red, green, blue = bytes.fromhex(text)
        colours.append((red, green, blue))
    return colours


def _session(studio: Studio, rng: Random) -> tuple[list[Line], str]:
    session = rng.choice(SESSIONS[studio.split])
    return session(rng, studio.people(rng)), KINDS.get(session, "")


def _screen(
    studio: Studio, rng: Random, size: tuple[int, int], colours: list[Colour], points: int = 13
) -> tuple[Image.Image, str]:
    image = Image.new("RGB", size, colours[0])
    font = studio.fonts.any(MONO[studio.split], points + rng.randint(-2, 3), rng)
    pen, y, kind = ImageDraw.Draw(image), 6, ""
    while y < size[1] - 60:
        lines, kind = _session(studio, rng)
        y = write(pen, lines, colours, font, (8, y), size[1])
        if rng.random() < 0.35:
            break
    return image, kind


def bare(studio: Studio, rng: Random) -> Drawn:
    size = rng.randint(480, 720), rng.randint(300, 480)
    image, kind = _screen(studio, rng, size, _scheme(studio, rng))
    return Drawn(image, kind, "screen")


def zoomed(studio: Studio, rng: Random) -> Drawn:
    image, kind = _screen(studio, rng, (560, 330), _scheme(studio, rng), 22)
    return Drawn(image, kind, "screen")


def titled(studio: Studio, rng: Random) -> Drawn:
    """A window with its bar and buttons on the right or in the middle of a desk."""
    colours = _scheme(studio, rng)
    inner, kind = _screen(studio, rng, (rng.randint(520, 660), rng.randint(320, 430)), colours)
    edge = rng.choice((0, 0, 24))
    image = surface((inner.width + 2 * edge, inner.height + 28 + 2 * edge), rng)
    pen = ImageDraw.Draw(image)
    bar = rng.choice(((60, 60, 60), (222, 222, 222), (40, 44, 52), (245, 245, 245)))
    ink = (20, 20, 20) if sum(bar) > 400 else (230, 230, 230)
    pen.rectangle((edge, edge, edge + inner.width, edge + 28), fill=bar)
    title = (
        f"{studio.people(rng).user_name()} — {rng.choice(('bash', 'zsh', 'ssh', 'pwsh'))} — 80×24"
    )
    pen.text((edge + 150, edge + 7), title, font=studio.fonts.any(SANS[:5], 12, rng), fill=ink)
    for place in range(3):
        x = edge + inner.width - 70 + place * 22
        pen.rectangle((x, edge + 9, x + 10, edge + 19), outline=ink)
    image.paste(inner, (edge, edge + 28))
    return Drawn(image, kind, "screen")


def window_left(studio: Studio, rng: Random) -> Drawn:
    """A window with three round buttons on the left."""
    inner, kind = _screen(studio, rng, (600, 360), _scheme(studio, rng))
    return Drawn(_buttons(inner, (210, 210, 214)), kind, "screen")


def _buttons(inner: Image.Image, bar: Colour) -> Image.Image:
    image = Image.new("RGB", (inner.width, inner.height + 30), bar)
    pen = ImageDraw.Draw(image)
    for place, colour in enumerate(((255, 95, 86), (255, 189, 46), (39, 201, 63))):
        pen.ellipse((12 + place * 20, 9, 24 + place * 20, 21), fill=colour)
    image.paste(inner, (0, 30))
    return image


def panes(studio: Studio, rng: Random) -> Drawn:
    """Two panes of a multiplexer and its green line."""
    colours = _scheme(studio, rng)
    image = Image.new("RGB", (720, 440), colours[0])
    for place in ((0, 0), (362, 0)):
        part, kind = _screen(studio, rng, (358, 416), colours, 11)
        image.paste(part, place)
    pen = ImageDraw.Draw(image)
    pen.line((360, 0, 360, 416), fill=colours[3], width=2)
    pen.rectangle((0, 420, 720, 440), fill=(30, 160, 60))
    pen.text(
        (6, 423),
        f"[{rng.randint(0, 9)}] 0:bash* 1:vim- 2:logs",
        font=studio.fonts.get("fira_code", 12),
        fill=(0, 0, 0),
    )
    return Drawn(image, kind, "screen")


def tiled(studio: Studio, rng: Random) -> Drawn:
    """Three panes: one above two."""
    colours = _scheme(studio, rng)
    image = Image.new("RGB", (740, 480), colours[8])
    kinds = []
    for place, size in (((0, 0), (740, 238)), ((0, 241), (368, 239)), ((371, 241), (369, 239))):
        part, kind = _screen(studio, rng, size, colours, 11)
        image.paste(part, place)
        kinds.append(kind)
    return Drawn(image, kinds[0], "screen")


def tabbed(studio: Studio, rng: Random) -> Drawn:
    """A window with tabs above."""
    colours = _scheme(studio, rng)
    inner, kind = _screen(studio, rng, (rng.randint(560, 680), rng.randint(330, 420)), colours)
    image = Image.new("RGB", (inner.width, inner.height + 30), (34, 36, 42))
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(SANS[:5], 12, rng)
    for place in range(rng.randint(2, 4)):
        fill = colours[0] if place == 0 else (52, 55, 64)
        pen.rounded_rectangle((6 + place * 140, 5, 140 + place * 140, 36), 6, fill=fill)
        pen.text(
            (16 + place * 140, 10),
            studio.people(rng).domain_word()[:14],
            font=font,
            fill=colours[1],
        )
    image.paste(inner, (0, 30))
    return Drawn(image, kind, "screen")


def over_wallpaper(studio: Studio, rng: Random) -> Drawn:
    """A window that lets the desk through."""
    inner, kind = _screen(studio, rng, (560, 340), _scheme(studio, rng))
    window = _buttons(inner, (48, 48, 54))
    image = surface((660, 460), rng)
    box = (50, 45, 50 + window.width, 45 + window.height)
    image.paste(Image.blend(window, image.crop(box), rng.uniform(0, 0.18)), box[:2])
    return Drawn(image, kind, "screen")
