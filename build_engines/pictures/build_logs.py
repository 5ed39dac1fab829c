"""Terminals that validate: the log of a build on the web, a terminal let down over a desk."""

from __future__ import annotations

from random import Random

from faker import Faker
from PIL import Image, ImageDraw

from build_engines.pictures import screens
from build_engines.pictures.camera import surface
from build_engines.pictures.fonts import MONO, SANS
from build_engines.pictures.glass import filled, scheme, write
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.screens import Line
from build_engines.pictures.studio import Named, Studio, named


def templates(split: Split) -> Named:
    """What terminal.py adds to its own templates."""
    return named(build_page, drop_down) if split == "validation" else ()


def build_page(studio: Studio, rng: Random) -> Drawn:
    """The log of a build on a page, its lines numbered."""
    people, colours = studio.people(rng), scheme(studio, rng)
    image = Image.new("RGB", (700, 440), colours[0])
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(MONO[studio.split], 12, rng)
    sans = studio.fonts.any(SANS[:5], 14, rng)
    pen.rectangle((0, 0, 700, 44), fill=(36, 41, 47))
    pen.text((18, 13), f"{people.word()} / {people.bs()[:40]}", font=sans, fill=(240, 246, 252))
    pen.ellipse((668, 14, 684, 30), fill=rng.choice(((46, 160, 67), (248, 81, 73))))
    lines: list[Line] = []
    for number in range(1, 30):
        mark = rng.choice(("", "", "", "▸ Run ", "✓ ", "Error: "))
        ink = {"▸ Run ": 4, "✓ ": 2, "Error: ": 1}.get(mark, 0)
        lines.append(
            [
                (f"{number:>4}  ", 7),
                (f"{screens.clock(rng)} ", 7),
                (mark + people.sentence(6)[:58], ink),
            ]
        )
    write(pen, lines, colours, font, (8, 54), 440, cursor=False)
    return Drawn(image, "log", "screen")


def drop_down(studio: Studio, rng: Random) -> Drawn:
    """A terminal let down over the upper part of a desk."""
    ends = [tuple(rng.randint(20, 220) for _ in "rgb") for _ in "ab"]
    strip = Image.new("RGB", (1, 2), ends[0])
    strip.putpixel((0, 1), ends[1])
    image = strip.resize((720, 450), Image.Resampling.BILINEAR)
    if rng.random() < 0.5:
        image = surface((720, 450), rng)
    high = rng.randint(190, 330)
    image.paste(filled(studio, rng, (720, high), scheme(studio, rng), _SESSIONS), (0, 0))
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((180, 424, 540, 446), 8, fill=(50, 50, 56))
    for place in range(8):
        box = (192 + place * 42, 428, 208 + place * 42, 442)
        pen.rounded_rectangle(box, 4, fill=tuple(rng.randint(60, 240) for _ in "rgb"))
    return Drawn(image, "", "screen")


def _plan(rng: Random, people: Faker) -> list[Line]:
    lines = [screens.prompt(rng, people, "terraform plan")]
    for _ in range(rng.randint(3, 7)):
        mark, ink = rng.choice((("+", 2), ("-", 1), ("~", 3)))
        lines.append([(f"  {mark} ", ink), (f'resource "{people.word()}" "{people.word()}"', 0)])
        for _ in range(rng.randint(1, 4)):
            lines.append([(f"      {mark} ", ink), (f"{people.word():<14}= {people.word()}", 0)])
    return [
        *lines,
        [("Plan: ", 8), (f"{rng.randint(1, 20)} to add, {rng.randint(0, 9)} to change", 0)],
    ]


def _queue(rng: Random, people: Faker) -> list[Line]:
    lines = [
        screens.prompt(rng, people, "squeue"),
        [(f"{'JOBID':>9} {'NAME':<14}{'USER':<12}ST {'TIME':>10} NODES", 0)],
    ]
    for _ in range(rng.randint(6, 20)):
        row = f"{rng.randint(10**5, 10**6):>9} {people.word():<14}{people.user_name()[:10]:<12}"
        lines.append(
            [
                (row, 0),
                (rng.choice(("R  ", "PD ")), 2),
                (f"{screens.clock(rng):>10} {rng.randint(1, 64):>5}", 0),
            ]
        )
    return lines


def _copies(rng: Random, people: Faker) -> list[Line]:
    lines = [screens.prompt(rng, people, "rsync -av --progress src/ backup:/data")]
    for _ in range(rng.randint(6, 16)):
        lines.append([(people.file_path(depth=2), 0)])
        lines.append(
            [
                (
                    f"{rng.randint(9999, 10**9):>15,} {rng.randint(1, 100):>3}% 9MB",
                    7,
                )
            ]
        )
    return lines


_SESSIONS = (_plan, _queue, _copies, screens.network)
