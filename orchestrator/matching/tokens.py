"""How many tokens a text has for a WordPiece model of English, about.

Time to read grows with tokens, and dense text (tables, code, hexadecimal numbers, Chinese) has
three or four times as many a byte as prose. Counted by classes of bytes, of a long text in slices:
less than a millisecond, cheap enough to ask before every question. Pure.
"""

from __future__ import annotations

from typing import Final

LETTERS: Final = bytes(range(0x41, 0x5B)) + bytes(range(0x61, 0x7B))
DIGITS: Final = bytes(range(0x30, 0x3A))
BLANKS: Final = bytes(range(0x21)) + b"\x7f"
# First bytes of characters in UTF-8. A syllable of Korean falls into its letters.
LEADS: Final = bytes(range(0xC2, 0xF5))
KOREAN: Final = bytes(range(0xEA, 0xEE))
MARKS: Final = bytes(set(range(0x80)) - {*LETTERS, *DIGITS, *BLANKS})

# Characters a token: of words in prose, of what is no word, of a long number.
PROSE, CODE, NUMBER = 4.0, 1.7, 1.8
# Characters between two blanks, on average, from which on letters are taken for no words.
CHUNK = 12
SYLLABLE = 0.6  # tokens more
# Bytes of which all are counted; of a longer text as many, in slices.
COUNTED, SLICES = 16_384, 16

_LETTERS_ALONE: Final = bytes(b if b in LETTERS else 0x20 for b in range(256))
_DIGITS_ALONE: Final = bytes(b if b in DIGITS else 0x20 for b in range(256))


def tokens(text: str | bytes) -> int:
    """Of UTF-8: at most one a byte. Rarely less than three quarters of what there are; too many of
    a script that the model has no letters of."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if len(data) <= COUNTED:
        return min(len(data), round(_counted(data)))
    size = COUNTED // SLICES
    starts = (number * (len(data) - size) // (SLICES - 1) for number in range(SLICES))
    some = b" ".join(data[start : start + size] for start in starts)
    return min(len(data), round(_counted(some) * len(data) / len(some)))


def _counted(data: bytes) -> float:
    letters, digits = _count(data, LETTERS), _count(data, DIGITS)
    words = len(data.translate(_LETTERS_ALONE).split())
    numbers = len(data.translate(_DIGITS_ALONE).split()) if digits else 0
    solid = len(data) - _count(data, BLANKS)
    dense = solid > CHUNK * len(data.split())
    found = max(words, letters / (CODE if dense else PROSE))
    found += max(numbers, digits / NUMBER) + _count(data, MARKS)
    if not data.isascii():
        found += _count(data, LEADS) + SYLLABLE * _count(data, KOREAN)
    return found


def _count(data: bytes, some: bytes) -> int:
    return len(data) - len(data.translate(None, some))
