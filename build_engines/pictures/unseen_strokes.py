"""A hand of single strokes: letters as lines that a pen of one width follows, each time anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from PIL import Image, ImageDraw

Colour = tuple[int, ...]
Point = tuple[float, float]

# Strokes of a letter: points as pairs of digits in a box of 6 by 9 (0 is the ascender's top,
# 2 the top of a small letter, 6 the baseline, 8 the descender's end); a comma lifts the pen.
_GLYPHS = {
    "a": "42120304162636424346",
    "b": "0006,0332424446260605",
    "c": "4322120405162645",
    "d": "4342120304162644,4046",
    "e": "04443312020405163645",
    "f": "4110010206,0232",
    "g": "4222120304162644,4247381807",
    "h": "0006,0423324446",
    "i": "0206,0001",
    "j": "22281807,2021",
    "k": "0006,420446",
    "l": "000516",
    "m": "0206,031223242624,24334456",
    "n": "0206,0412324346",
    "o": "2212030416364543322212",
    "p": "0208,0322424446260604",
    "q": "4322120304162644,4248",
    "r": "0206,04123242",
    "s": "43322203142545361605",
    "t": "10152636,0232",
    "u": "0205163645,4246",
    "v": "022642",
    "w": "0216344652",
    "x": "0246,4206",
    "y": "022542,4227180807",
    "z": "02420646",
    "A": "062046,1434",
    "B": "0006,00304132030332444536060",
    "C": "4130100105163645",
    "D": "0006,0030424436060",
    "E": "40000646,0333",
    "F": "400006,0333",
    "G": "413010010516364434",
    "H": "0006,4046,0343",
    "I": "1016",
    "J": "3035261605",
    "K": "0006,400346",
    "L": "000646",
    "M": "0600234046",
    "N": "06004640",
    "O": "30100105163645413020",
    "P": "0006,00304142330333",
    "Q": "30100105163645413020,3557",
    "R": "0006,003041423303,2346",
    "S": "41301001123345361605",
    "T": "0040,2026",
    "U": "0005163645,4540",
    "V": "002640",
    "W": "0016234650",
    "X": "0046,4006",
    "Y": "002340,2326",
    "Z": "00400646",
    "0": "2001051626454120",
    "1": "012026,1636",
    "2": "01104041420646",
    "3": "011030414233,3344351605",
    "4": "300444,3036",
    "5": "400003234435160",
    "6": "3001051636443414",
    "7": "004016",
    "8": "201002143516051432402",
    "9": "4433130110304116",
    ".": "1616",
    ",": "161708",
    "-": "0434",
    "+": "0434,2226",
    "=": "0333,0535",
    "/": "4006",
    ":": "1313,1616",
    "?": "011031422324,2626",
    "!": "2024,2626",
    "(": "20110526",
    ")": "00112506",
    "'": "1011",
    "€": "41302012152636,0333,0434",
    "%": "0010,4006,3646",
    "*": "1234,3214",
}
_JOINING = frozenset("eijmnpruvwy")  # letters that begin at their left


class Writer:
    """One person: slant, width, size, ink and how much the pen shakes."""

    def __init__(self, image: Image.Image, rng: Random, size: float, ink: Colour) -> None:
        self.pen, self.rng, self.size, self.ink = ImageDraw.Draw(image), rng, size, ink
        self.slant = rng.uniform(-0.1, 0.35)
        self.narrow = rng.uniform(0.62, 0.9)
        self.shake = rng.uniform(0.02, 0.05)
        self.rise = rng.uniform(-0.03, 0.02)
        self.width = max(1, round(size * rng.uniform(0.06, 0.12)))
        self.joined = rng.random() < 0.45

    def write(self, place: Point, text: str) -> float:
        """One line, its small letters' top at y + size / 3; gives the x behind it."""
        x, y = place
        last: Point | None = None
        for letter in text:
            if letter not in _GLYPHS:
                x += self.size * self.narrow * self.rng.uniform(0.4, 0.65)
                last = None
                continue
            low = y + (x - place[0]) * self.rise + self.rng.gauss(0, self.size * 0.03)
            grown = self.size * self.rng.uniform(0.93, 1.08)
            strokes = [self._points(one, (x, low), grown) for one in _GLYPHS[letter].split(",")]
            if last and self.joined and letter in _JOINING:
                self._line([last, strokes[0][0]])
            for stroke in strokes:
                self._line(_smooth(stroke) if len(stroke) > 2 else stroke)
            last = strokes[0][-1] if letter.islower() else None
            widest = max(int(one) for one in _GLYPHS[letter].replace(",", "")[::2])
            x += grown * self.narrow * (widest / 6 + self.rng.uniform(0.2, 0.34))
        return x

    def lines(self, place: Point, texts: Sequence[str], step: float) -> float:
        """Lines one below the other, each a little out of place; gives the y below."""
        x, y = place
        for text in texts:
            self.write((x + self.rng.gauss(0, self.size * 0.12), y), text)
            y += step
        return y

    def length(self, text: str) -> float:
        return len(text) * self.size * self.narrow * 0.82

    def ring(self, box: tuple[float, float, float, float], turns: float = 1.1) -> None:
        """An oval round something, not quite closed."""
        left, top, right, bottom = box
        points = [
            (
                (left + right) / 2 + (right - left) / 2 * math.cos(turn) + self.rng.gauss(0, 1),
                (top + bottom) / 2 + (bottom - top) / 2 * math.sin(turn) + self.rng.gauss(0, 1),
            )
            for turn in (step * 2 * math.pi * turns / 30 - 2 for step in range(31))
        ]
        self._line(points)

    def stroke(self, *points: Point) -> None:
        """A line through the points, by hand."""
        bent = [
            (x + self.rng.gauss(0, 1.2), y + self.rng.gauss(0, 1.2))
            for a, b in zip(points, points[1:], strict=False)
            for x, y in (a, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), b)
        ]
        self._line(bent)

    def arrow(self, start: Point, end: Point) -> None:
        self.stroke(start, end)
        turn = math.atan2(end[1] - start[1], end[0] - start[0])
        for side in (2.6, -2.6):
            tip = end[0] + 12 * math.cos(turn + side), end[1] + 12 * math.sin(turn + side)
            self._line([end, tip])

    def _points(self, stroke: str, place: Point, grown: float) -> list[Point]:
        unit, shake = grown / 6, self.shake * grown
        points = []
        for one in range(0, len(stroke) - 1, 2):
            across, down = int(stroke[one]), int(stroke[one + 1])
            x = place[0] + across * unit * self.narrow + (6 - down) * unit * self.slant
            points.append(
                (x + self.rng.gauss(0, shake), place[1] + down * unit + self.rng.gauss(0, shake))
            )
        return points

    def _line(self, points: Sequence[Point]) -> None:
        shade = self.rng.randint(-12, 16)
        ink = tuple(max(0, min(255, one + shade)) for one in self.ink)
        if len(points) == 2 and math.dist(*points) < 1.5 + self.width:
            x, y = points[0]
            half = self.width * 0.8
            self.pen.ellipse((x - half, y - half, x + half, y + half), fill=ink)
        self.pen.line(list(points), fill=ink, width=self.width, joint="curve")


def _smooth(points: Sequence[Point]) -> list[Point]:
    """Corners cut twice (Chaikin 1974), the ends kept."""
    for _ in range(2):
        cut = [points[0]]
        for (ax, ay), (bx, by) in zip(points, points[1:], strict=False):
            cut.append((0.75 * ax + 0.25 * bx, 0.75 * ay + 0.25 * by))
            cut.append((0.25 * ax + 0.75 * bx, 0.25 * ay + 0.75 * by))
        points = [*cut, points[-1]]
    return list(points)
