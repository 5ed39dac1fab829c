"""Characters read as Latin letters without being them: 𝐛𝐨𝐥𝐝, ｗｉｄｅ, ⓒⓘⓡⓒⓛⓔⓓ, Cyrillic о.

Each function gives the text with the letters that are meant, and how many letters of it no
tokenizer of words would have known. What single characters stand for in ordinary texts is changed
too, but not counted: ½, ﬁ, ℃, a 𝑓(𝑥), a letter in a box.
"""

from __future__ import annotations

import re
import unicodedata
from string import ascii_letters, ascii_lowercase, ascii_uppercase

Counted = tuple[str, int]

# Blocks of letters for which Unicode has another, plain letter (NFKC), and those of _DRAWN.
_STYLED = re.compile(
    "[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d6a5\u249c-\u24e9\U0001f110-\U0001f189"
    "\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d9c-\u1dbf\u2071\u207f\u2090-\u209c\u2100-\u214f\u2c7c\u2c7d]{3,}"
)
# Letters in boxes, circles and brackets: pictures to Unicode, or three characters.
_DRAWN = {
    start + at: letter
    for start, letters in (
        (0x249C, ascii_lowercase),
        (0x1F110, ascii_uppercase),
        (0x1F150, ascii_uppercase),
        (0x1F170, ascii_uppercase),
    )
    for at, letter in enumerate(letters)
}
# Two of these are a flag; one by itself is a letter in a box.
_REGIONAL, _A = re.compile("[\U0001f1e6-\U0001f1ff]+"), 0x1F1E6
_BOLD = 0x1D400

# Which are read as which; those of Cyrillic, Greek and Armenian that look the same in most fonts.
_FOREIGN = dict(
    zip(
        "аеорсухіјѕһԁԛԝѵӏкгпАВЕКМНОРСТУХІЈЅαονρικυτγηωχεΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսհոցɑɡ",
        "aeopcyxijshdqwvlkrnABEKMHOPCTYXIJSaovpikutynwxeABEZHIKMNOPTYXouhngag",
        strict=True,
    )
)
_SMALL = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
_ALIKE = _FOREIGN | _SMALL | {"ǫ": "q"}
_TABLE = str.maketrans(_ALIKE)
_LOOKS = "".join(_ALIKE)
_LOOK = re.compile(f"[{_LOOKS}]")
_WORD = re.compile(rf"(?<![^\W_])[A-Za-z{_LOOKS}]++(?![^\W_])")
_AHEAD = re.compile(f"[{_LOOKS}][A-Za-z]")
SHORTEST = 3  # of a word that says something about its script
LETTERS = 8  # in words of two scripts, after which words of the other one are doubtful too


def boxed(text: str) -> Counted:
    """Letters in a box, each by itself, become others that `styled` counts; flags are left."""

    def bold(found: re.Match[str]) -> str:
        run = found[0]
        return "".join(chr(_BOLD + ord(c) - _A) for c in run) if len(run) % 2 else run

    return _REGIONAL.sub(bold, text), 0


def styled(text: str) -> Counted:
    """Other forms of letters. No character becomes longer in UTF-8."""
    letters = sum(len(run) for run in _STYLED.findall(text))
    forms = {ord(c): form for c in set(text) if not c.isascii() and (form := _plain(c)) != c}
    return text.translate(forms) if forms else text, letters


def alike(text: str) -> Counted:
    """Letters of other scripts inside Latin words, and words in small capitals.

    A word is taken for a Latin one where each of its other letters looks like a Latin one, and they
    are not a single one at its end, as is an inflected "iPhone"; all letters of such a word are
    counted. Where it is clear that scripts are mixed, any word of lookalikes is read as Latin.
    """
    if not _LOOK.search(text):
        return text, 0
    letters = 0

    def latin(found: re.Match[str]) -> str:
        nonlocal letters
        word = found[0]
        if len(word) < SHORTEST or not _disguised(word):
            return word
        letters += len(word)
        return word.translate(_TABLE)

    text = _WORD.sub(latin, text)
    if letters >= LETTERS:
        text = _WORD.sub(lambda found: found[0].translate(_TABLE), text)
    return text, letters


def _plain(character: str) -> str:
    form = _DRAWN.get(ord(character)) or unicodedata.normalize("NFKC", character)
    return form if form and _size(form) <= _size(character) else character


def _disguised(word: str) -> bool:
    small = sum(c in _SMALL for c in word)
    if small:  # phonetic transcriptions have a few of them
        return 2 * small > len(word)
    foreign = sum(c in _FOREIGN for c in word)
    mixed = foreign and any(c in ascii_letters for c in word)
    return bool(mixed and (foreign > 1 or _AHEAD.search(word)))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
