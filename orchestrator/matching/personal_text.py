"""A text as bytes of the same length, so that a position in one is a position in the other.

Structured personal data is ASCII, whatever stands around it. Digits of any script, full-width
forms, dashes and spaces become their ASCII form; each other character becomes one byte that says
only what a neighbour needs to know: a Latin letter continues a word, anything else ends it (an
address may touch Chinese or Hangul without a space).
"""

from __future__ import annotations

import unicodedata
from typing import Final

import re2

LETTER: Final = 0x80  # a Latin letter with a mark, or a combining mark: part of a word
OTHER: Final = 0x81  # anything else that is not ASCII
WIDE: Final = range(0xFF01, 0xFF5F)  # full-width forms of "!" to "~"
DASHES: Final = frozenset("\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
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


def touches(data: bytes, start: int, stop: int) -> bool:
    """The piece continues a word on one side, or a number that goes on behind "." or "-"."""
    before = data[start - 1] if start else 32
    after = data[stop] if stop < len(data) else 32
    if before in WORD or after in WORD:
        return True
    return _goes_on(data[start - 2 : start][::-1]) or _goes_on(data[stop : stop + 2])


def _goes_on(two: bytes) -> bool:
    """Read away from the piece: ".5" or "-7"."""
    return len(two) == 2 and two[0] in b".-" and 48 <= two[1] <= 57


def _byte(character: str) -> int:
    category = unicodedata.category(character)
    if category == "Nd":
        return 48 + unicodedata.decimal(character)
    if ord(character) in WIDE:
        return ord(character) - 0xFEE0
    if character in DASHES:
        return 45
    if category in ("Zs", "Cf"):  # format characters: directions, zero-width spaces
        return 32
    if category == "Sc":  # a price follows
        return 36
    latin = unicodedata.name(character, "").startswith("LATIN")
    return LETTER if latin or category in ("Mn", "Mc") else OTHER
