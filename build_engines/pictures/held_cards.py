"""Identity documents as people photograph them: in a hand, among things, copied, in an upload."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from PIL import Image, ImageDraw, ImageFilter

from build_engines.pictures.camera import BILINEAR, surface
from build_engines.pictures.devices import telephone
from build_engines.pictures.fonts import SANS
from build_engines.pictures.layouts import Layout, layouts
from build_engines.pictures.picture import Drawn, Split
from build_engines.pictures.studio import Named, Studio, Template

Draw = Callable[[Layout, Studio, Random], Drawn]
SKINS = ((241, 205, 176), (224, 172, 135), (198, 134, 96), (141, 85, 54), (92, 56, 38))


def templates(split: Split, draw: Draw) -> Named:
    """What identity_document.py adds to its own templates; `draw` draws a card."""

    def with_card(
        name: str, place: Callable[[Drawn, Studio, Random], Drawn]
    ) -> tuple[str, Template]:
        def whole(studio: Studio, rng: Random) -> Drawn:
            return place(draw(rng.choice(layouts(studio.split)), studio, rng), studio, rng)

        return name, whole

    if split == "train":
        return (
            with_card("in_hand", in_hand),
            with_card("among_things", among_things),
            with_card("photocopy", photocopy),
            with_card("upload", upload),
            with_card("corner_of_table", corner_of_table),
        )
    return (with_card("on_keyboard", on_keyboard),) if split == "validation" else ()


def _again(card: Drawn, image: Image.Image, shot: str = "scene") -> Drawn:
    return Drawn(
        image, card.kind, "paper" if shot == "paper" else "scene", card.source, card.licence
    )


def _turned(card: Drawn, rng: Random, side: int, spread: float) -> Image.Image:
    image = card.image.convert("RGBA")
    image.thumbnail((side, side), BILINEAR)
    return image.rotate(rng.gauss(0, spread), BILINEAR, expand=True)


def _laid(back: Image.Image, card: Image.Image, place: tuple[int, int]) -> None:
    """Pastes it with a shadow."""
    alpha = card.getchannel("A")
    shade = alpha.filter(ImageFilter.GaussianBlur(5)).point(lambda level: level // 2)
    back.paste((14, 12, 10), (place[0] + 4, place[1] + 6), shade)
    back.paste(card, place, card)


def _room(size: tuple[int, int], rng: Random) -> Image.Image:
    """A background out of focus."""
    back = surface(size, rng)
    pen = ImageDraw.Draw(back)
    for _ in range(rng.randint(2, 9)):
        x, y = rng.randint(-40, size[0]), rng.randint(-40, size[1])
        fill = tuple(rng.randint(30, 230) for _ in "rgb")
        pen.rectangle((x, y, x + rng.randint(30, 200), y + rng.randint(30, 200)), fill=fill)
    return back.filter(ImageFilter.GaussianBlur(rng.uniform(5, 14)))


def in_hand(card: Drawn, studio: Studio, rng: Random) -> Drawn:
    """Fingers hold it from a side or from below."""
    image = _turned(card, rng, 350, 7)
    back = _room((image.width + 130, image.height + 150), rng)
    skin = rng.choice(SKINS)
    shade = tuple(int(one * 0.8) for one in skin)
    left, top = 65, 45
    hand = Image.new("RGBA", back.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(hand)
    x = rng.choice((left + 10, left + image.width - 60))
    for finger in range(4):
        y = top + image.height * 0.35 + finger * 38
        pen.rounded_rectangle((x - 40, y, x + 90, y + 34), 17, fill=(*shade, 255))
    back.paste(hand, (0, 0), hand)
    _laid(back, image, (left, top))
    thumb = Image.new("RGBA", (70, 150), (0, 0, 0, 0))
    pen = ImageDraw.Draw(thumb)
    pen.rounded_rectangle((10, 4, 58, 149), 24, fill=(*skin, 255))
    pen.rounded_rectangle((20, 10, 48, 44), 12, fill=(*(min(255, one + 18) for one in skin), 255))
    thumb = thumb.rotate(rng.choice((-30, 20, 35)), BILINEAR, expand=True)
    back.paste(thumb, (min(max(0, x - 20), back.width - 80), top + image.height - 60), thumb)
    return _again(card, back.filter(ImageFilter.GaussianBlur(0.6)))


def among_things(card: Drawn, studio: Studio, rng: Random) -> Drawn:
    """On a table with keys, coins, a pen, another card, a cup."""
    back = surface((540, 440), rng)
    pen = ImageDraw.Draw(back)
    for _ in range(rng.randint(2, 5)):
        x, y, what = rng.randint(0, 480), rng.randint(0, 380), rng.randint(0, 3)
        fill = tuple(rng.randint(30, 235) for _ in "rgb")
        if what == 0:
            pen.ellipse(
                (x, y, x + 44, y + 44), fill=(190, 170, 110), outline=(120, 100, 60), width=2
            )
        elif what == 1:
            pen.line((x, y, x + 150, y + rng.randint(-60, 60)), fill=fill, width=9)
        elif what == 2:
            pen.rounded_rectangle((x, y, x + 170, y + 108), 10, fill=fill)
            pen.rectangle((x, y + 20, x + 170, y + 40), fill=(30, 30, 30))
        else:
            pen.ellipse((x, y, x + 120, y + 120), fill=(240, 238, 232))
            pen.ellipse((x + 12, y + 12, x + 108, y + 108), fill=(70, 42, 24))
    image = _turned(card, rng, rng.randint(230, 340), 20)
    _laid(
        back,
        image,
        (rng.randint(20, max(21, 530 - image.width)), rng.randint(10, max(11, 430 - image.height))),
    )
    return _again(card, back)


def photocopy(card: Drawn, studio: Studio, rng: Random) -> Drawn:
    """A grey copy on a white sheet, its back below, perhaps a stamp."""
    page = Image.new("RGB", (430, 600), (252, 252, 250))
    image = _turned(card, rng, 300, 1.5)
    grey = Image.merge("RGBA", (*(image.convert("L"),) * 3, image.getchannel("A")))
    shown = grey if rng.random() < 0.7 else image
    page.paste(shown, (rng.randint(30, 100), rng.randint(40, 80)), shown)
    pen = ImageDraw.Draw(page)
    if image.height < 260 and rng.random() < 0.7:
        pen.rounded_rectangle(
            (60, 340, 350, 520), 10, fill=(225, 225, 222), outline=(150, 150, 150)
        )
        for line in range(6):
            pen.rectangle(
                (80, 362 + line * 24, rng.randint(200, 330), 370 + line * 24), fill=(120, 120, 120)
            )
    if rng.random() < 0.5:
        font = studio.fonts.any(SANS[:5], 26, rng, bold=True)
        pen.text(
            (90, 540),
            rng.choice(("COPY", "CERTIFIED COPY", "FOR RENTAL ONLY")),
            font=font,
            fill=(60, 60, 140),
        )
    return _again(card, page, "paper")


def upload(card: Drawn, studio: Studio, rng: Random) -> Drawn:
    """A program that asks for it: a frame round the card, a button below."""
    dark = rng.random() < 0.6
    screen = Image.new("RGB", (330, 560), (22, 22, 26) if dark else (250, 250, 252))
    pen = ImageDraw.Draw(screen)
    ink = (240, 240, 240) if dark else (30, 30, 40)
    font = studio.fonts.any(SANS[:5], 16, rng)
    text = rng.choice(("Scan your document", "Front side", "Verify your identity", "Hold still"))
    pen.text((165, 40), text, font=font, fill=ink, anchor="ma")
    image = _turned(card, rng, 280, 3)
    top = 110 + max(0, (220 - image.height) // 2)
    _laid(screen, image, ((330 - image.width) // 2, top))
    edge = rng.choice(((60, 200, 120), (255, 255, 255), (60, 120, 240)))
    pen.rounded_rectangle((18, top - 14, 312, top + image.height + 14), 14, outline=edge, width=3)
    pen.rounded_rectangle((40, 490, 290, 532), 20, fill=(60, 110, 230))
    pen.text(
        (165, 500),
        rng.choice(("Continue", "Take photo", "Use this")),
        font=font,
        fill=(255, 255, 255),
        anchor="ma",
    )
    return _again(card, telephone(screen, studio, rng))


def corner_of_table(card: Drawn, studio: Studio, rng: Random) -> Drawn:
    """Small in a large picture, or so near that a part is cut off."""
    back = surface((500, 400), rng)
    if rng.random() < 0.5:
        image = _turned(card, rng, rng.randint(140, 210), 40)
        place = rng.randint(10, 480 - image.width), rng.randint(10, max(11, 390 - image.height))
    else:
        image = _turned(card, rng, 620, 8)
        place = (
            (500 - image.width) // 2 + rng.randint(-70, 70),
            (400 - image.height) // 2 + rng.randint(-60, 60),
        )
    _laid(back, image, place)
    return _again(card, back)


def on_keyboard(card: Drawn, studio: Studio, rng: Random) -> Drawn:
    """Lying on the keys of a computer."""
    back = Image.new("RGB", (520, 380), (150, 152, 156))
    pen = ImageDraw.Draw(back)
    key = rng.choice(((30, 30, 34), (235, 235, 238)))
    for place in range(14 * 9):
        x, y = place % 14 * 38 + place // 14 % 3 * 9 - 12, place // 14 * 42
        pen.rounded_rectangle((x, y, x + 33, y + 37), 5, fill=key)
    image = _turned(card, rng, 330, 14)
    _laid(back, image, ((520 - image.width) // 2, (380 - image.height) // 2))
    return _again(card, back)
