"""Characters that nobody sees, and text that is hidden in them.

Each function gives the text without them, and how many letters were hidden from a reader, or from
a tokenizer of words. That of BERT leaves out format characters (Cf) and marks by itself, so that
letters with one between them count for nothing; what it takes for letters, such as a Hangul filler,
is another matter, and so are words that nothing else divides.
"""

from __future__ import annotations

import re
import unicodedata

Counted = tuple[str, int]

# ASCII in the block of tags. Some six behind a black flag are the flag of a part of a country.
_TAGS = re.compile(
    "\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f|(?P<tags>[\U000e0000-\U000e007f]+)"
)
# Sixteen selectors and 240 more can hold any byte; a character in an ordinary text has one.
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_BACKWARDS = re.compile("\u202e([^\u202c\u202e\n]*)\u202c?")

_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"  # blank, but letters or signs to Unicode
_DIVIDERS = (
    "\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\u034f\ufe00-\ufe0f" + _FILLERS
)
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0"
_INVISIBLE = re.compile(f"[\u00ad{_DIVIDERS}{_MARKS}]+")
_FILLER = re.compile(f"[{_FILLERS}]")
_DIVIDED = re.compile(f"(?<![A-Za-z])[A-Za-z]++(?:[\u00ad{_DIVIDERS}]++[A-Za-z]++){{3,}}+")
_DIVIDER = re.compile(f"[\u00ad{_DIVIDERS}]+")
WORDS = 3.0  # letters of a word on the average, and more; syllables and single letters have fewer


def hidden(text: str) -> Counted:
    """What is written in tags or selectors is read where it stands. Counted are its letters."""
    letters = 0

    def shown(ascii_: str) -> str:
        nonlocal letters
        found = "".join(c for c in ascii_ if c.isprintable())
        letters += sum(map(str.isalpha, found))
        return f" {found} " if found else ""

    def tags(found: re.Match[str]) -> str:
        run = found["tags"]
        return shown("".join(chr(ord(c) & 0x7F) for c in run)) if run else found[0]

    def selectors(found: re.Match[str]) -> str:
        return shown(bytes(map(_byte, found[0])).decode("utf-8", "ignore"))

    text = _TAGS.sub(tags, text)
    return _SELECTORS.sub(selectors, text), letters


def forwards(text: str) -> Counted:
    """What an override shows from right to left, in the order in which it is seen."""
    letters = 0

    def turned(found: re.Match[str]) -> str:
        nonlocal letters
        letters += sum(c.isascii() and c.isalpha() for c in found[1])
        return found[1][::-1]

    return _BACKWARDS.sub(turned, text), letters


def visible(text: str) -> Counted:
    """Without what is invisible, and without marks that no letter has. Where it divides words, a
    space stands in its place."""
    text = unicodedata.normalize("NFC", text)
    letters = 0

    def united(found: re.Match[str]) -> str:
        nonlocal letters
        parts = _DIVIDER.split(found[0])
        size = sum(map(len, parts))
        words = "\u00ad" not in found[0] and size > WORDS * len(parts)
        if words or _FILLER.search(found[0]):
            letters += size
        return (" " if words else "").join(parts)

    return _INVISIBLE.sub("", _DIVIDED.sub(united, text)), letters


def _byte(selector: str) -> int:
    code = ord(selector)
    return code - 0xFE00 if code < 0xE0100 else code - 0xE0100 + 16
