"""Newer test templates of terminals: sessions written apart from the others', seven windows."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw

from build_engines.pictures.fonts import MONO
from build_engines.pictures.picture import Drawn
from build_engines.pictures.studio import Studio, Template, a_day
from build_engines.pictures.unseen_props import Brush, Colour, desk, laptop, phone
from build_engines.pictures.unseen_sessions import SESSIONS, Line


def templates() -> tuple[Template, ...]:
    return (
        new_blue_shell,
        new_command_window,
        new_light_window,
        new_phone_shell,
        new_boot,
        new_laptop_shell,
        new_split_bars,
    )


STEPS = ("Started", "Reached target", "Mounted", "Finished")
BRIGHT: tuple[Colour, ...] = (
    (222, 222, 222),
    (240, 90, 90),
    (110, 220, 110),
    (236, 206, 100),
    (110, 160, 250),
    (140, 146, 156),
)
DEEP: tuple[Colour, ...] = (
    (30, 32, 36),
    (190, 40, 40),
    (30, 130, 60),
    (150, 110, 10),
    (40, 80, 200),
    (120, 124, 130),
)


def _put(
    studio: Studio,
    rng: Random,
    image: Image.Image,
    lines: list[Line],
    inks: tuple[Colour, ...],
    place: tuple[int, int],
    size: int = 13,
) -> int:
    """Writes lines cell by cell; gives the y below the last."""
    font = studio.fonts.any(MONO[studio.split], size, rng)
    pen, wide, y = ImageDraw.Draw(image), font.getlength("m"), place[1]
    for line in lines:
        if y > image.height:
            break
        x = float(place[0])
        for text, ink in line:
            pen.text((x, y), text, font=font, fill=inks[ink])
            x += wide * len(text)
        y += int(size * 1.42)
    return y


def _session(studio: Studio, rng: Random) -> tuple[list[Line], str]:
    session, kind = rng.choice(SESSIONS)
    return session(rng, studio.people(rng)), kind


def new_blue_shell(studio: Studio, rng: Random) -> Drawn:
    """The blue shell of a desktop system."""
    image = Image.new("RGB", (700, rng.randint(320, 460)), (1, 36, 86))
    brush, people = Brush(studio, image), studio.people(rng)
    brush.pen.rectangle((0, 0, 700, 28), fill=(250, 250, 250))
    brush.say((34, 6), "Windows PowerShell", 14, (20, 20, 20), face="noto_sans")
    brush.say((690, 4), "—   □   ×", 15, (60, 60, 60), face="noto_sans", right=True)
    user = people.first_name().lower()
    lines: list[Line] = [
        [("Windows PowerShell", 0)],
        [("Copyright (C) Microsoft Corporation. All rights reserved.", 0)],
        [("", 0)],
    ]
    lines += [
        [
            (f"PS C:\\Users\\{user}> ", 0),
            ("Get-Process", 3),
            (" | sort CPU -desc | select -first 9", 0),
        ],
        [("", 0)],
    ]
    lines += [
        [("Handles  NPM(K)    PM(K)      WS(K)     CPU(s)     Id  ProcessName", 0)],
        [("-------  ------    -----      -----     ------     --  -----------", 0)],
    ]
    for _ in range(9):
        row = f"{rng.randint(90, 2000):>7} {rng.randint(9, 200):>7} {rng.randint(900, 900000):>8} "
        row += f"{rng.randint(900, 900000):>10} {rng.uniform(0, 900):>10.2f} "
        lines.append([(f"{row}{rng.randint(400, 20000):>6}  {people.word()}", 0)])
    lines += [
        [(f"PS C:\\Users\\{user}> ", 0), ("Remove-Item", 3), (f" .\\{people.file_name()}", 0)]
    ]
    lines += [
        [("Remove-Item : Cannot find path because it does not exist.", 1)],
        [("    + CategoryInfo          : ObjectNotFound", 1)],
        [(f"PS C:\\Users\\{user}> _", 0)],
    ]
    _put(
        studio,
        rng,
        image,
        lines,
        ((238, 237, 240), (255, 90, 90), (90, 240, 120), (255, 255, 120), BRIGHT[4], BRIGHT[5]),
        (6, 36),
    )
    return Drawn(image, "", "screen")


def new_command_window(studio: Studio, rng: Random) -> Drawn:
    """The black window with a drive's letter before each command."""
    image = Image.new("RGB", (660, rng.randint(300, 420)), (12, 12, 12))
    brush, people = Brush(studio, image), studio.people(rng)
    brush.pen.rectangle((0, 0, 660, 26), fill=(32, 32, 32))
    brush.say((12, 5), "Command Prompt", 14, (230, 230, 230), face="noto_sans")
    path = f"C:\\{people.word()}\\{people.word()}>"
    lines: list[Line] = [
        [(f"Microsoft Windows [Version 10.0.{rng.randint(10000, 23000)}]", 0)],
        [("", 0)],
        [(path + "dir", 0)],
    ]
    for _ in range(7):
        size = rng.choice(("<DIR>         ", f"{rng.randint(100, 99999):>14}"))
        time = f"{a_day(rng):%d/%m/%Y}  {rng.randint(10, 23)}:{rng.randint(10, 59)}"
        lines.append([(f"{time}    {size} {people.file_name()}", 0)])
    lines += [
        [(path + "ipconfig", 0)],
        [("Ethernet adapter Ethernet:", 0)],
        [(f"   IPv4 Address. . . . . . . . . . . : {people.ipv4_private()}", 0)],
    ]
    lines += [
        [("   Subnet Mask . . . . . . . . . . . : 255.255.255.0", 0)],
        [(path + f"ping {people.ipv4()}", 0)],
    ]
    lines += [
        [("Request timed out.", 0)],
        [(f"Reply from {people.ipv4()}: bytes=32 time={rng.randint(2, 80)}ms TTL=118", 0)],
        [(path + "_", 0)],
    ]
    _put(studio, rng, image, lines, ((204, 204, 204),) * 6, (6, 34), 14)
    return Drawn(image, "", "screen")


def new_light_window(studio: Studio, rng: Random) -> Drawn:
    """A light window with three round buttons, over a picture of a desktop or alone."""
    lines, kind = _session(studio, rng)
    image = Image.new("RGB", (680, 440), (255, 255, 255))
    brush = Brush(studio, image)
    brush.pen.rectangle((0, 0, 680, 28), fill=(222, 222, 224))
    for place, ink in enumerate(((255, 95, 87), (254, 188, 46), (40, 200, 64))):
        brush.pen.ellipse((12 + place * 20, 8, 24 + place * 20, 20), fill=ink)
    brush.say(
        (260, 6), f"{studio.people(rng).user_name()} — zsh — 80×24", 13, (70, 70, 74), face="roboto"
    )
    _put(studio, rng, image, lines, DEEP, (8, 36), rng.randint(12, 14))
    if rng.random() < 0.4:
        back = desk(rng, (800, 540))
        back.paste(image, (60, 50))
        image = back
    return Drawn(image, kind, "screen")


def new_phone_shell(studio: Studio, rng: Random) -> Drawn:
    """A shell on a phone above its keyboard."""
    lines, kind = _session(studio, rng)
    content = Image.new("RGB", (380, 620), (0, 0, 0))
    _put(studio, rng, content, lines, BRIGHT, (6, 6), 11)
    brush = Brush(studio, content)
    brush.pen.rectangle((0, 400, 380, 620), fill=(34, 36, 42))
    for place, key in enumerate(("ESC", "/", "—", "HOME", "↑", "END", "PGUP")):
        brush.say((10 + place * 54, 408), key, 12, (220, 220, 220), face="roboto")
    for row, keys in enumerate(("qwertyuiop", "asdfghjkl", "zxcvbnm")):
        for place, key in enumerate(keys):
            x, y = 6 + row * 18 + place * 37, 436 + row * 46
            brush.pen.rounded_rectangle((x, y, x + 32, y + 38), 5, fill=(70, 74, 84))
            brush.say((x + 12, y + 9), key, 16, (240, 240, 240), face="roboto")
    brush.pen.rounded_rectangle((90, 576, 290, 612), 5, fill=(70, 74, 84))
    return Drawn(phone(content, studio, rng, dark=True), kind, "screen")


def new_boot(studio: Studio, rng: Random) -> Drawn:
    """A whole black screen while a system starts, up to the login."""
    image, people = Image.new("RGB", (720, 440), (0, 0, 0)), studio.people(rng)
    lines: list[Line] = []
    for _ in range(rng.randint(14, 20)):
        mark, ink = rng.choice((("  OK  ", 2), ("  OK  ", 2), ("  OK  ", 2), ("FAILED", 1)))
        lines.append(
            [
                ("[", 0),
                (mark, ink),
                (f"] {rng.choice(STEPS)} {people.sentence(4)}", 0),
            ]
        )
    lines += [
        [("", 0)],
        [(f"Debian GNU/Linux 12 {people.word()} tty1", 0)],
        [("", 0)],
        [(f"{people.word()} login: _", 0)],
    ]
    _put(studio, rng, image, lines, BRIGHT, (4, 4), 14)
    return Drawn(image, "", "screen")


def new_laptop_shell(studio: Studio, rng: Random) -> Drawn:
    lines, kind = _session(studio, rng)
    screen = Image.new("RGB", (620, 400), rng.choice(((0, 0, 0), (30, 30, 36), (44, 0, 30))))
    _put(studio, rng, screen, lines, BRIGHT, (8, 8), rng.randint(13, 16))
    return Drawn(laptop(screen, rng), kind, "scene")


def new_split_bars(studio: Studio, rng: Random) -> Drawn:
    """Two or three sessions beside each other, a green bar below them."""
    image = Image.new("RGB", (860, 480), (16, 18, 22))
    for place in range(2):
        left, kind = Image.new("RGB", (428, 460), (16, 18, 22)), _session(studio, rng)
        _put(studio, rng, left, kind[0], BRIGHT, (4, 4), 12)
        image.paste(left, (place * 432, 0))
    brush = Brush(studio, image)
    brush.pen.line((430, 0, 430, 460), fill=(90, 200, 90), width=2)
    brush.pen.rectangle((0, 460, 860, 480), fill=(0, 175, 0))
    brush.say(
        (4, 462),
        f"[{rng.randint(0, 9)}] 0:bash- 1:vim* 2:logs",
        13,
        (0, 0, 0),
        face="ibm_plex_mono",
    )
    brush.say((854, 462), f"{a_day(rng):%d-%b-%y}", 13, (0, 0, 0), face="ibm_plex_mono", right=True)
    return Drawn(image, "", "screen")
