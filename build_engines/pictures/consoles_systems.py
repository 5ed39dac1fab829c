"""Consoles of several systems: blue ones, grey ones, tubes, boards, machines that boot."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures import screens, shells
from build_engines.pictures.consoles import shown
from build_engines.pictures.devices import window
from build_engines.pictures.fonts import MONO, SANS
from build_engines.pictures.glass import filled, palette, scheme, write
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.screens import Line
from build_engines.pictures.studio import Named, Studio, dice, named


def templates(split: Split) -> Named:
    """What the family adds to its own templates."""
    if split == "train":
        return named(power_shell, command_prompt, starting, cathode, serial)
    return ()


def power_shell(studio: Studio, rng: Random) -> Drawn:
    """White on blue, objects as tables."""
    people = studio.people(rng)
    colours = palette("012456 eeedf0 ff5555 00d000 ffff00 5c9cff ff77ff 55ffff b0b0c0 ffffff")
    lines: list[Line] = [
        [("Windows PowerShell", 0)],
        [("Copyright (C) Microsoft Corporation. All rights reserved.", 0)],
        [("", 0)],
    ]
    for _ in range(rng.randint(1, 3)):
        lines.append(
            [(f"PS C:\\Users\\{people.user_name()}> ", 0), ("Get-Process", 3), (" -Name *", 7)]
        )
        if rng.random() < 0.3:
            lines += [
                [(f"{people.word()} : {people.sentence(7)}", 1)],
                [("    + CategoryInfo : NotFound", 1)],
            ]
            continue
        lines.append([("Handles  NPM(K)    PM(K)      WS(K)     CPU(s)     Id ProcessName", 0)])
        for _ in range(rng.randint(5, 14)):
            row = (
                f"{rng.randint(40, 3000):>7} {rng.randint(4, 90):>7} {rng.randint(999, 90000):>8} "
            )
            row += f"{rng.randint(999, 90000):>10} {rng.uniform(0, 99):>10.2f} "
            row += f"{rng.randint(4, 20000):>6} "
            lines.append([(row + people.word(), 0)])
    image = Image.new("RGB", (rng.randint(560, 740), rng.randint(320, 460)), colours[0])
    font = studio.fonts.any(MONO[studio.split], rng.randint(11, 16), rng)
    write(ImageDraw.Draw(image), lines, colours, font, (6, 6), image.height)
    if rng.random() < 0.6:
        image = window(image, studio, rng, "Windows PowerShell")
    return Drawn(image, "", "screen")


def command_prompt(studio: Studio, rng: Random) -> Drawn:
    """Grey on black: folders of a drive."""
    people = studio.people(rng)
    colours = palette("0c0c0c cccccc e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 767676 f2f2f2")
    home = f"C:\\Users\\{people.user_name()}"
    lines: list[Line] = [[(f"{home}>dir", 0)], [(f" Directory of {home}", 0)], [("", 0)]]
    for _ in range(rng.randint(5, 16)):
        what = rng.choice(("<DIR>         ", f"{rng.randint(10, 9999999):>14,}"))
        day = f"{rng.randint(1, 12):02}/{rng.randint(1, 28):02}/2026  {screens.clock(rng)[:5]}"
        lines.append([(f"{day}    {what} {people.file_name()}", 0)])
    lines += [[(f"{rng.randint(2, 30):>16} File(s)", 0)], [("", 0)], [(f"{home}>ipconfig", 0)]]
    for name in ("IPv4 Address", "Subnet Mask", "Default Gateway"):
        lines.append([(f"   {name + ' ':.<34}: {people.ipv4_private()}", 0)])
    image = Image.new("RGB", (rng.randint(520, 680), rng.randint(280, 430)), colours[0])
    font = studio.fonts.any(MONO[studio.split], rng.randint(11, 16), rng)
    write(ImageDraw.Draw(image), lines, colours, font, (4, 4), image.height)
    if rng.random() < 0.7:
        image = window(image, studio, rng, "Command Prompt")
    return Drawn(image, "", "screen")


def starting(studio: Studio, rng: Random) -> Drawn:
    """A machine that boots or has stopped, on the whole of its screen."""
    colours = palette("000000 b8b8b8 ff5555 00c000 d0d000 6080ff c060c0 40c0c0 707070 ffffff")
    image = filled(studio, rng, (720, rng.choice((400, 480, 540))), colours, (shells.boot,), 13)
    if rng.random() < 0.3:
        people, pen = studio.people(rng), ImageDraw.Draw(image)
        pen.rectangle((0, image.height - 90, 720, image.height), fill=(0, 0, 0))
        font = studio.fonts.any(MONO[studio.split], 13, rng)
        pen.text(
            (6, image.height - 80),
            f"Kernel panic - not syncing: {people.word()}",
            font=font,
            fill=(255, 255, 255),
        )
    return Drawn(image, "log", "screen")


def cathode(studio: Studio, rng: Random) -> Drawn:
    """An old tube: one colour, lines, a glow, dark corners."""
    ink = rng.choice((0x33FF66, 0x66FFCC, 0xE8F0FF, 0x9FFF60))
    one = f"{ink:06x}"
    colours = palette(f"030604 {one} {one} {one} {one} {one} {one} {one} {one} {one}")
    sessions, kind = shown(rng)
    image = filled(studio, rng, (560, 420), colours, sessions, 16)
    glow = image.filter(ImageFilter.GaussianBlur(4))
    image = Image.blend(image, glow, 0.35)
    lines = Image.new("L", (1, 420), 255)
    for y in range(0, 420, 3):
        lines.putpixel((0, y), rng.randint(120, 190))
    mask = Image.new("L", (560, 420), 0)
    ImageDraw.Draw(mask).rounded_rectangle((14, 12, 546, 408), 60, fill=255)
    mask = mask.filter(ImageFilter.GaussianBlur(14))
    dark = Image.new("RGB", image.size, (6, 8, 7))
    return Drawn(
        Image.composite(Image.composite(image, dark, lines.resize(image.size)), dark, mask),
        kind,
        "screen",
    )


def serial(studio: Studio, rng: Random) -> Drawn:
    """What a small board sends, with the time of each line."""
    people, light = studio.people(rng), rng.random() < 0.6
    colours = scheme(studio, rng, light=light)
    lines: list[Line] = []
    names = people.words(3)
    for _ in range(40):
        values = "  ".join(
            f"{name}={value:.2f}"
            for name, value in zip(names, dice(rng).normal(20, 6, 3), strict=True)
        )
        lines.append([(f"{screens.clock(rng)}.{rng.randint(0, 999):03} -> ", 7), (values, 0)])
    image = Image.new("RGB", (rng.randint(460, 620), rng.randint(300, 420)), colours[0])
    pen = ImageDraw.Draw(image)
    font = studio.fonts.any(MONO[studio.split], rng.randint(11, 15), rng)
    write(pen, lines, colours, font, (8, 36), image.height - 30, cursor=False)
    sans = studio.fonts.any(SANS[:5], 12, rng)
    pen.rectangle((0, 0, image.width, 30), fill=(225, 227, 230))
    pen.rectangle((8, 5, image.width - 80, 25), fill=(255, 255, 255), outline=(150, 150, 150))
    pen.text((image.width - 66, 8), "Send", font=sans, fill=(30, 30, 30))
    pen.rectangle((0, image.height - 28, image.width, image.height), fill=(225, 227, 230))
    pen.text(
        (10, image.height - 22),
        f"Autoscroll   Newline   {rng.choice((9600, 115200))} baud",
        font=sans,
        fill=(30, 30, 30),
    )
    return Drawn(window(image, studio, rng, f"COM{rng.randint(1, 9)}"), "log", "screen")
