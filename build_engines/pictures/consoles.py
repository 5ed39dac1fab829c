"""More screens of terminals to learn from: windows of several systems, pagers, panes, devices."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures import monitors, screens, shells
from build_engines.pictures.camera import BILINEAR
from build_engines.pictures.devices import browser, laptop, telephone, window
from build_engines.pictures.fonts import MONO, SANS
from build_engines.pictures.glass import Colour, filled, scheme, write
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.screens import Line, Session
from build_engines.pictures.studio import Named, Studio, named

SESSIONS: tuple[Session, ...] = (
    shells.progress,
    shells.graph,
    shells.pods,
    shells.manual,
    shells.banner,
    shells.service,
    shells.disks,
    shells.found,
    shells.folders,
    shells.processes,
    shells.usage,
    shells.cards,
    shells.epochs,
    shells.building,
    screens.listing,
    screens.tests,
)
KINDS: dict[Session, str] = {
    shells.java_trace: "error",
    screens.traceback: "error",
    shells.boot: "log",
    screens.log: "log",
    shells.processes: "monitor",
    shells.cards: "monitor",
}
_MENU = "File   Edit   View   Search   Terminal   Help"


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(
            everyday,
            everyday,
            light_window,
            sparse,
            pager,
            process_table,
            quarters,
            pocket,
            cloud_shell,
            laptop_shell,
        )
    return ()


def shown(rng: Random) -> tuple[tuple[Session, ...], str]:
    """Sessions for a screen: of one kind, or of all."""
    if rng.random() < 0.4:
        one = rng.choice(tuple(KINDS))
        return (one,), KINDS[one]
    return SESSIONS, ""


def everyday(studio: Studio, rng: Random) -> Drawn:
    """Nothing but a session, narrow or wide, in large or small letters."""
    sessions, kind = shown(rng)
    size = rng.randint(360, 860), rng.randint(220, 560)
    image = filled(studio, rng, size, scheme(studio, rng), sessions, rng.choice((10, 13, 16, 20)))
    return Drawn(image, kind, "screen")


def light_window(studio: Studio, rng: Random) -> Drawn:
    """Dark letters on a light ground, below a menu."""
    sessions, kind = shown(rng)
    size = rng.randint(520, 700), rng.randint(300, 460)
    inner = filled(studio, rng, size, scheme(studio, rng, light=True), sessions)
    name = studio.people(rng).user_name()
    menu = _MENU if rng.random() < 0.6 else ""
    return Drawn(window(inner, studio, rng, f"{name}@host: ~", menu=menu), kind, "screen")


def sparse(studio: Studio, rng: Random) -> Drawn:
    """A prompt, a command, a line or two, and an empty screen."""
    colours, people = scheme(studio, rng), studio.people(rng)
    image = Image.new("RGB", (rng.randint(420, 700), rng.randint(180, 420)), colours[0])
    lines: list[Line] = []
    for _ in range(rng.randint(1, 3)):
        lines.append(
            screens.prompt(rng, people, f"{people.word()} --{people.word()} {people.word()}")
        )
        for _ in range(rng.randint(0, 2)):
            lines.append([(people.sentence(rng.randint(2, 8)), rng.choice((0, 0, 1, 2, 3)))])
    lines.append(screens.prompt(rng, people, ""))
    font = studio.fonts.any(MONO[studio.split], rng.randint(12, 22), rng)
    write(ImageDraw.Draw(image), lines, colours, font, (8, 8), image.height)
    return Drawn(image, "", "screen")


def pager(studio: Studio, rng: Random) -> Drawn:
    """A manual or a log with an inverse line below."""
    colours, people = scheme(studio, rng), studio.people(rng)
    session = rng.choice((shells.manual, shells.manual, screens.log, shells.usage))
    image = Image.new("RGB", (rng.randint(560, 720), rng.randint(360, 540)), colours[0])
    font = studio.fonts.any(MONO[studio.split], rng.randint(11, 16), rng)
    pen = ImageDraw.Draw(image)
    lines = session(rng, people) + session(rng, people)
    y = write(pen, lines, colours, font, (6, 4), image.height - 22, cursor=False)
    text = rng.choice((f" Manual page {people.word()}(1) line 1 (press h for help) ", "(END)", ":"))
    pen.rectangle((6, y, 6 + font.getlength(text), y + int(font.size * 1.25)), fill=colours[1])
    pen.text((6, y), text, font=font, fill=colours[0])
    return Drawn(image, "log" if session is screens.log else "", "screen")


def process_table(studio: Studio, rng: Random) -> Drawn:
    """Load, a table under an inverse head, one row marked, keys below."""
    colours, people = scheme(studio, rng), studio.people(rng)
    image = Image.new("RGB", (rng.randint(580, 780), rng.randint(340, 520)), colours[0])
    font = studio.fonts.any(MONO[studio.split], rng.randint(10, 15), rng)
    pen, step = ImageDraw.Draw(image), int(font.size * 1.3)
    top: list[Line] = [
        [
            (
                f"top - {screens.clock(rng)} up {rng.randint(1, 300)} days, 2 users",
                0,
            )
        ],
        [(f"Tasks: {rng.randint(90, 600)} total, {rng.randint(1, 9)} running, 0 stopped", 0)],
        [(f"%Cpu(s): {rng.uniform(0, 90):.1f} us, {rng.uniform(0, 20):.1f} sy, 0.0 ni", 0)],
        [(f"MiB Mem : {rng.randint(4000, 128000)} total, {rng.randint(100, 4000)} free", 0)],
        [("", 0)],
    ]
    y = write(pen, top, colours, font, (4, 4), image.height, cursor=False)
    pen.rectangle(
        (0, y, image.width, y + step), fill=rng.choice((colours[1], colours[3], colours[5]))
    )
    pen.text(
        (4, y),
        "    PID USER      PR  NI    VIRT    RES S  %CPU  %MEM   COMMAND",
        font=font,
        fill=colours[0],
    )
    marked, row, y = rng.randint(0, 14), 0, y + step
    while y < image.height - 2 * step:
        ink = colours[1]
        if row == marked:
            pen.rectangle((0, y, image.width, y + step), fill=colours[7])
            ink = colours[0]
        text = f"{rng.randint(1, 99999):>7} {people.user_name()[:8]:<9}20   0 "
        text += f"{rng.randint(1000, 9999999):>7} {rng.randint(1000, 999999):>6} S "
        text += f"{rng.uniform(0, 100):5.1f} {rng.uniform(0, 40):5.1f}   {people.word()}"
        pen.text((4, y), text, font=font, fill=ink)
        row, y = row + 1, y + step
    if rng.random() < 0.5:
        for place, word in enumerate("Help Setup Search Filter Tree SortBy Kill Quit".split()):
            x = place * image.width // 8
            pen.text((x, image.height - step), f"F{place + 1}", font=font, fill=colours[1])
            pen.rectangle(
                (x + 20, image.height - step, x + image.width // 8 - 2, image.height),
                fill=colours[7],
            )
            pen.text((x + 22, image.height - step), word, font=font, fill=colours[0])
    return Drawn(image, "monitor", "screen")


def quarters(studio: Studio, rng: Random) -> Drawn:
    """Four or six panes of a multiplexer."""
    colours = scheme(studio, rng)
    columns, rows = rng.choice(((2, 2), (3, 2), (1, 2), (1, 3)))
    wide, high = 760 // columns, 440 // rows
    image = Image.new("RGB", (wide * columns, high * rows + 18), colours[8])
    for place in range(columns * rows):
        sessions = (*SESSIONS, monitors.monitor, screens.log)
        part = filled(studio, rng, (wide - 2, high - 2), colours, sessions, 11)
        image.paste(part, (place % columns * wide, place // columns * high))
    pen = ImageDraw.Draw(image)
    bar: Colour = rng.choice((colours[3], colours[5], colours[4], colours[1]))
    pen.rectangle((0, high * rows, image.width, image.height), fill=bar)
    font = studio.fonts.any(MONO[studio.split], 12, rng)
    text = f"[{studio.people(rng).word()}] 0:bash  1:ssh* 2:top-"
    pen.text((6, high * rows + 2), text, font=font, fill=colours[0])
    return Drawn(image, "", "screen")


def pocket(studio: Studio, rng: Random) -> Drawn:
    """A shell on a telephone, with a row of keys."""
    sessions, kind = shown(rng)
    colours = scheme(studio, rng)
    inner = filled(studio, rng, (330, rng.randint(420, 560)), colours, sessions, 12)
    pen = ImageDraw.Draw(inner)
    top = inner.height - rng.choice((34, 180))
    pen.rectangle((0, top, 330, inner.height), fill=(60, 62, 66))
    font = studio.fonts.any(SANS[:5], 14, rng)
    for row, keys in enumerate(("ECAT/-|~", "qwertyuiop", "asdfghjkl", "zxcvbnm")):
        step, y = 330 / len(keys), top + 4 + row * 36
        for place, key in enumerate(keys):
            box = (place * step + 3, y, (place + 1) * step - 3, y + 28)
            pen.rounded_rectangle(box, 4, fill=(96, 98, 104))
            pen.text((place * step + step / 2 - 4, y + 5), key, font=font, fill=(240, 240, 240))
    return Drawn(telephone(inner, studio, rng), kind, "screen")


def cloud_shell(studio: Studio, rng: Random) -> Drawn:
    """A shell in the lower part of a page on the web."""
    people = studio.people(rng)
    page = Image.new("RGB", (740, 460), (246, 247, 249))
    pen = ImageDraw.Draw(page)
    pen.rectangle((0, 0, 740, 40), fill=rng.choice(((26, 115, 232), (0, 90, 158), (35, 47, 62))))
    font = studio.fonts.any(SANS[:5], 13, rng)
    pen.text(
        (16, 12),
        f"{people.company()[:18]}  ·  {people.word()}  ·  {people.word()}",
        font=font,
        fill=(255, 255, 255),
    )
    top = rng.randint(44, 170)
    for line in range((top - 60) // 24):
        pen.text((20, 52 + line * 24), people.sentence(8)[:60], font=font, fill=(70, 74, 80))
    sessions, kind = shown(rng)
    colours = scheme(studio, rng, light=False)
    page.paste(filled(studio, rng, (740, 460 - top), colours, sessions, 12), (0, top))
    return Drawn(browser(page, studio, rng), kind, "screen")


def laptop_shell(studio: Studio, rng: Random) -> Drawn:
    """A laptop whose screen shows one large terminal."""
    sessions, kind = shown(rng)
    inner = filled(studio, rng, (560, 340), scheme(studio, rng), sessions, 15)
    image = laptop(inner, rng)
    if rng.random() < 0.5:
        image = image.rotate(rng.gauss(0, 4), BILINEAR, fillcolor=(90, 84, 78))
    return Drawn(image, kind, "scene")
