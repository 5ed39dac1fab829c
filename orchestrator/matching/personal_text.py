"""A text as bytes of the same length, so that a position in one is a position in the other.

Structured personal data is ASCII, save for letters of an address, whatever stands around it. Digits
of any script, full-width forms, dashes, spaces and line ends become their ASCII form; each other
character becomes one byte that says only what a neighbour needs to know: a Latin letter continues a
word, anything else ends it (an address may touch Chinese or Hangul without a space).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

import re2

LETTER: Final = 0x80  # a Latin letter with a mark, or a combining mark: part of a word
OTHER: Final = 0x81  # anything else that is not ASCII
SPACED: Final = 0x82  # a letter of another script, or its mark, where spaces stand between words
UNSPACED: Final = 0x83  # where they do not, or where a particle is written on to a word
UNSEEN: Final = 0x84  # nothing: a zero-width space or joiner, a direction, a selector
WIDE: Final = range(0xFF01, 0xFF5F)  # full-width forms of "!" to "~"
DASHES: Final = frozenset("\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
LINES: Final = frozenset("\u0085\u2028\u2029")
BLANKS: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u20e3\u3164\uffa0"
)  # unseen, but no Cf; a key cap
WITHOUT_SPACES: Final = (
    "CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "HALFWIDTH", "THAI", "LAO", "KHMER",
    "MYANMAR", "TIBETAN",
)  # fmt: skip
NO_DIGITS: Final = bytes(byte for byte in range(256) if not 48 <= byte <= 57)
UNDERSCORES: Final = 3  # at most, of markdown's emphasis
WORD: Final = frozenset(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_\x80")


class _Table(dict[int, int]):
    """Code point to byte, filled as characters are met."""

    def __missing__(self, point: int) -> int:
        self[point] = value = point if point < 0x80 else _byte(chr(point))
        return value


def project(text: str) -> bytes:
    """One byte for each character of the string, lone surrogates included."""
    if text.isascii():
        return text.encode("ascii")
    return text.translate(_Table()).encode("latin-1")


def compiled(pattern: bytes) -> re2._Regexp:
    """An RE2 expression over projected bytes; case does not matter."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = False
    options.log_errors = False  # texts are users' data
    return re2.compile(pattern, options)


def spaced(data: bytes) -> bytes:
    """What is not seen divides words."""
    return data.replace(bytes([UNSEEN]), b" ")


@dataclass(frozen=True, slots=True)
class Thin:
    """A text without what is not seen, its projection, and where its characters stood."""

    text: str
    data: bytes
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str, data: bytes) -> Thin:
        places = tuple(at for at, byte in enumerate(data) if byte != UNSEEN)
        seen = "".join(map(text.__getitem__, places))
        return cls(seen, data.translate(None, bytes([UNSEEN])), places)

    def whole(self, start: int, stop: int) -> tuple[int, int] | None:
        """The place in the text, where something unseen is within."""
        first, last = self.places[start], self.places[stop - 1] + 1
        return (first, last) if last - first > stop - start else None


def continues(data: bytes, start: int) -> bool:
    """What begins here continues a word. Underscores that begin one are an emphasis."""
    at = _beyond(data, start - 1, -1)
    return at >= 0 and data[at] in WORD


def is_continued(data: bytes, stop: int) -> bool:
    """A word goes on here."""
    at = _beyond(data, stop, 1)
    return at < len(data) and data[at] in WORD


def touches(data: bytes, start: int, stop: int) -> bool:
    """The piece continues a word on one side, or a number that goes on behind "." or "-"."""
    return touches_before(data, start) or touches_behind(data, stop)


def touches_before(data: bytes, start: int) -> bool:
    return continues(data, start) or _goes_on(data[max(0, start - 2) : start][::-1])


def touches_behind(data: bytes, stop: int) -> bool:
    return is_continued(data, stop) or _goes_on(data[stop : stop + 2])


def digits_of(data: bytes) -> str:
    return str(data.translate(None, NO_DIGITS), "ascii")


def _goes_on(two: bytes) -> bool:
    """Read away from the piece: ".5" or "-7"."""
    return len(two) == 2 and two[0] in b".-" and 48 <= two[1] <= 57


def _beyond(data: bytes, at: int, step: int) -> int:
    for _ in range(UNDERSCORES):
        if not 0 <= at < len(data) or data[at] != 95:
            break
        at += step
    return at


def _byte(character: str) -> int:
    category = unicodedata.category(character)
    point = ord(character)
    if category == "Cf" or character in BLANKS or _is_selector(point):
        return UNSEEN
    if category == "Nd":
        return 48 + unicodedata.decimal(character)
    if point in WIDE:
        return point - 0xFEE0
    if character in DASHES:
        return 45
    if category == "Zs":
        return 32
    if character in LINES:
        return 10
    if category == "Sc":  # a price follows
        return 36
    return _letter(unicodedata.name(character, ""), category)


def _is_selector(point: int) -> bool:
    return 0xFE00 <= point <= 0xFE0F or 0x180B <= point <= 0x180F or 0xE0000 <= point <= 0xE0FFF


def _letter(name: str, category: str) -> int:
    if name.startswith("LATIN") or (category in ("Mn", "Mc") and name.startswith("COMBINING")):
        return LETTER
    if category[0] not in "LM":
        return OTHER
    return UNSPACED if name.startswith(WITHOUT_SPACES) else SPACED
