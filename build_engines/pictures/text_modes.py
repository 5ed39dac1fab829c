"""Full screens of characters: firmware, installers, file managers, hosts."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures import screens
from build_engines.pictures.fonts import MONO
from build_engines.pictures.glass import Colour
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, Template, named

WIDE, HIGH = 80, 25  # characters
_VGA: dict[str, Colour] = {
    "black": (0, 0, 0),
    "blue": (0, 0, 170),
    "cyan": (0, 170, 170),
    "grey": (170, 170, 170),
    "white": (255, 255, 255),
    "yellow": (255, 255, 85),
    "red": (170, 0, 0),
    "green": (85, 255, 85),
    "brown": (170, 85, 0),
}


def templates(split: Split) -> Named:
    """What terminal.py adds to its own templates."""
    chosen: dict[Split, tuple[Template, ...]] = {
        "train": (firmware, commander, installer),
        "validation": (loader, host_form),
        "test": (),
    }
    return named(*chosen[split])


class _Grid:
    """A screen of 80 by 25 characters, each with its colour and ground."""

    def __init__(self, studio: Studio, rng: Random, ground: str, points: int = 15) -> None:
        self.font = studio.fonts.any(MONO[studio.split], points, rng)
        self.wide = self.font.getlength("m")
        self.high = int(points * 1.25)
        size = int(self.wide * WIDE), self.high * HIGH
        self.image = Image.new("RGB", size, _VGA[ground])
        self.pen = ImageDraw.Draw(self.image)

    def box(self, column: int, row: int, columns: int, rows: int, fill: str) -> None:
        x, y = column * self.wide, row * self.high
        right, bottom = (column + columns) * self.wide - 1, (row + rows) * self.high - 1
        self.pen.rectangle((x, y, right, bottom), fill=_VGA[fill])

    def frame(self, column: int, row: int, columns: int, rows: int, ink: str) -> None:
        x, y = (column + 0.5) * self.wide, (row + 0.5) * self.high
        right = (column + columns - 0.5) * self.wide
        bottom = (row + rows - 0.5) * self.high
        for out in (0, 3):
            box = (x + out, y + out, right - out, bottom - out)
            self.pen.rectangle(box, outline=_VGA[ink])

    def text(self, column: int, row: int, text: str, ink: str, ground: str = "") -> None:
        if ground:
            self.box(column, row, len(text), 1, ground)
        where = column * self.wide, row * self.high
        self.pen.text(where, text, font=self.font, fill=_VGA[ink])


def firmware(studio: Studio, rng: Random) -> Drawn:
    """The settings of a machine before it boots."""
    people = studio.people(rng)
    ground, ink, bar = rng.choice(
        (("grey", "blue", "blue"), ("blue", "white", "cyan"), ("black", "grey", "red"))
    )
    grid = _Grid(studio, rng, ground)
    grid.box(0, 0, WIDE, 2, bar)
    grid.text(26, 0, f"{people.company()[:16]} Setup Utility", "white")
    marked, chosen = rng.randint(4, 18), rng.randint(0, 5)
    for place, word in enumerate("Main Advanced Security Power Boot Exit".split()):
        inks = ("black", "grey") if place == chosen else ("white", "")
        grid.text(2 + place * 11, 1, f" {word} ", *inks)
    grid.frame(0, 2, 54, 21, ink)
    grid.frame(54, 2, 26, 21, ink)
    for row in range(4, rng.randint(12, 21)):
        value = rng.choice(
            ("[Enabled]", "[Disabled]", "[Auto]", f"{rng.randint(0, 4000)} MHz", people.word())
        )
        name = people.bs()[:26].title()
        if row == marked:
            grid.text(3, row, f"{name:<30}{value:<18}", "white", "red" if bar != "red" else "blue")
        else:
            grid.text(3, row, f"{name:<30}{value}", ink)
    for row in range(4, 12):
        grid.text(56, row, people.sentence(3)[:21], ink)
    grid.text(2, 23, "F1 Help   Esc Exit   ↑↓ Select   +/- Values   F10 Save", "white", bar)
    return Drawn(grid.image, "setup", "screen")


def commander(studio: Studio, rng: Random) -> Drawn:
    """Two panes with files, a command line, ten keys."""
    people = studio.people(rng)
    grid = _Grid(studio, rng, rng.choice(("blue", "blue", "black")), rng.choice((12, 15)))
    marked = rng.randint(3, 15)
    for left in (0, 40):
        grid.frame(left, 0, 40, 22, "cyan")
        grid.text(left + 3, 0, f" /home/{people.user_name()} ", "black", "cyan")
        grid.text(left + 2, 1, f"{'Name':^16}{'Size':>9}{'Time':>12}", "yellow")
        for row in range(2, rng.randint(9, 21)):
            folder = rng.random() < 0.3
            name = ("/" + people.word()) if folder else people.file_name()
            size = "DIR" if folder else str(rng.randint(100, 9999999))
            line = f"{name[:16]:<17}{size:>8} {rng.randint(1, 28):>3} Nov {screens.clock(rng)[:5]}"
            if row == marked and left == 0:
                grid.text(left + 1, row, line, "black", "cyan")
            else:
                grid.text(left + 1, row, line, "white" if folder else "cyan")
    grid.box(0, 22, WIDE, 3, "black")
    grid.text(0, 22, f"{people.user_name()}:~$ ", "grey")
    for place, word in enumerate("Help Menu View Edit Copy Move Mkdir Del Pull Quit".split()):
        grid.text(place * 8, 24, str(place + 1), "grey")
        grid.text(place * 8 + 2, 24, f"{word:<6}", "black", "cyan")
    return Drawn(grid.image, "", "screen")


def installer(studio: Studio, rng: Random) -> Drawn:
    """A grey box with its shadow on blue: a question, a list or a bar."""
    people = studio.people(rng)
    grid = _Grid(studio, rng, rng.choice(("blue", "blue", "cyan", "red")))
    rows = rng.randint(9, 17)
    top, left, wide = (HIGH - rows) // 2, rng.randint(8, 14), rng.randint(52, 62)
    grid.text(1, 0, f"{people.company()[:30]} configuration", "white")
    grid.box(left + 2, top + 1, wide, rows, "black")
    grid.box(left, top, wide, rows, "grey")
    grid.frame(left, top, wide, rows, "black")
    grid.text(left + 12, top, f" {people.sentence(3)[:26]} ", "red", "grey")
    for line in range(2):
        grid.text(left + 3, top + 2 + line, people.sentence(8)[: wide - 6], "black")
    if rng.random() < 0.35:
        part = rng.randint(2, wide - 10)
        grid.box(left + 4, top + 5, wide - 8, 1, "black")
        grid.box(left + 4, top + 5, part, 1, "blue")
        grid.text(left + wide // 2 - 2, top + 5, f"{100 * part // (wide - 8)}%", "white")
    else:
        for row in range(rows - 8):
            mark = rng.choice(("[ ]", "[*]", "( )"))
            ink, ground = ("white", "red") if row == 0 else ("black", "")
            grid.text(left + 5, top + 5 + row, f"{mark} {people.bs()[: wide - 16]}", ink, ground)
    grid.text(left + 14, top + rows - 2, "<  OK  >", "white", "blue")
    grid.text(left + 32, top + rows - 2, "<Cancel>", "black")
    return Drawn(grid.image, "setup", "screen")


def loader(studio: Studio, rng: Random) -> Drawn:
    """Which system shall be started?"""
    people = studio.people(rng)
    grid = _Grid(studio, rng, "black")
    grid.text(24, 1, f"Boot menu  version 2.{rng.randint(0, 12)}", "grey")
    grid.frame(2, 3, 76, 14, "white")
    for row in range(rng.randint(2, 7)):
        ink, ground = ("black", "grey") if row == 0 else ("grey", "")
        text = f"{people.domain_word().title()} Linux, with kernel 6.{rng.randint(0, 12)}"
        grid.text(4, 4 + row, f"{text:<72}", ink, ground)
    for row in range(3):
        grid.text(5, 18 + row, people.sentence(9)[:70], "grey")
    return Drawn(grid.image, "setup", "screen")


def host_form(studio: Studio, rng: Random) -> Drawn:
    """A form on a mainframe's screen: fields in several colours, keys below."""
    people = studio.people(rng)
    grid = _Grid(studio, rng, "black")
    grid.text(1, 0, f"{people.lexify('????').upper()}01", "cyan")
    grid.text(26, 0, people.company()[:28].upper(), "white")
    for row in range(3, rng.randint(10, 19)):
        name = people.word().upper()
        grid.text(3, row, f"{name + ' ':.<22} ", "green")
        grid.text(
            27,
            row,
            rng.choice((people.name(), people.city(), str(rng.randint(1, 99999)))),
            rng.choice(("yellow", "red", "white")),
        )
    grid.text(1, 21, "===>", "green")
    grid.text(1, 23, "F1=HELP  F3=EXIT  F7=BACKWARD  F8=FORWARD  F12=CANCEL", "cyan")
    return Drawn(grid.image, "", "screen")
