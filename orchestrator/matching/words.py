"""What a letter, a word and a case are, for every script a prompt may be written in.

`\\b` is not enough: in RE2 it knows ASCII only, in Python it sees no boundary inside
"用python写". Here a *segmented* character is a letter, mark, digit or underscore of a script that
puts spaces between words; a keyword must not touch one on either side. Chinese, Japanese, Korean
(whose particles cling to the noun), Thai, Lao, Khmer and Burmese have no such edges.
"""

from __future__ import annotations

import re
import unicodedata

# Ranges rather than Unicode script names: neither `re` nor `unicodedata` knows scripts, and the
# marks and length signs that these scripts share are "Common" there anyway.
CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"
    "\u3041-\u309f\u30a1-\u30ff\u3105-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
UNSPACED = CJK + "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3\ua9e0-\ua9ff\uaa60-\uaa7f"
# Combining marks are no `\w` in Python, so "हिन्दी" would be three words. The Indic blocks are
# taken whole: but for the danda they hold letters, marks and digits only.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u08ca-\u0963\u0966-\u0df3\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece\u0f71-\u0f84\u102b-\u103e\u1056-\u1059\u17b4-\u17d3"
    "\u1ab0-\u1aff\u1dc0-\u1dff"
)
VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")

_CJK = re.compile(f"[{CJK}]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_WORD = re.compile(rf"[\w{MARKS}]+")
_UNIT = re.compile(rf"[{CJK}]|(?:[^\W_{CJK}]|[{MARKS}])+")


def normal(text: str) -> str:
    """Composed form (NFC): "e" and an accent are the one character that users type."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """`normal`, without case: "STRASSE" and "straße" are equal, so are "İstanbul" and "istanbul".

    Full Unicode case folding, except that a dotted capital I becomes a plain "i": Turkish users
    mean that letter, and the folded dot would otherwise stay behind as a mark of its own.
    """
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFC", text).replace("İ", "i")
    return unicodedata.normalize("NFC", composed.casefold())


def is_mark(character: str) -> bool:
    """A combining mark, which belongs to the character before it. Variation selectors do not
    count: they change the picture (❤️), not the letter."""
    return unicodedata.category(character)[0] == "M" and not VARIATION_SELECTORS.match(character)


def is_segmented(character: str) -> bool:
    """Letter, mark, digit or underscore of a script that writes spaces between words."""
    if character.isascii():
        return character.isalnum() or character == "_"
    return (
        unicodedata.category(character)[0] in "LMN"
        and not _UNSPACED.match(character)
        and not VARIATION_SELECTORS.match(character)
    )


def is_unspaced(text: str) -> bool:
    """`text` holds a character of a script without spaces."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def words(text: str) -> list[str]:
    """Runs of letters, marks and digits, in order."""
    return _WORD.findall(text.replace("_", " "))


def units(text: str) -> int:
    """Length of a text in words, comparable between English and Chinese: a unit is one CJK
    character, or one run of other letters, marks and digits (spec/signals.md 2.10)."""
    if text.isascii() or not _CJK.search(text):
        return len(words(text))
    return len(_UNIT.findall(text))
