"""Words that are s p a c e d  o u t, and words thatAreGluedTogether.

Each function gives the text with its words apart, and how many letters of it were in such words as
a tokenizer of words takes for something else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from orchestrator.matching.unspaced import apart

Counted = tuple[str, int]

_LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ԯ"
_SPACED = re.compile(rf"(?<![^\W_])[{_LETTER}](?:[\W_]{{1,5}}+[{_LETTER}](?![^\W_])){{3,}}+")
_GAP = re.compile(r"[\W_]+")
SPACERS = frozenset(" .-_*|/·•~")
SHARE = 0.6  # of the gaps, and more: words have three letters on the average, or more
# Letters that are evenly spaced are a sentence without spaces, or one word of no more letters.
WORD = 12
LONGEST = 60  # of what is no word; BERT's tokenizer reads none of more than 100 letters

# Base64, hashes and parts of an address are no words; nor are they long ones of few letters each.
_WORD = re.compile(r"(?<![\w+/=])[A-Za-z]{25,}+(?![\w+/=])")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LINKED = re.compile(
    r"(?<![\w/.:@#=\\-])[A-Za-z]++([_.-])[A-Za-z]++(?:\1[A-Za-z]++){2,}+(?![\w/:@=\\-])"
)
# Words of a sentence hold in all so many letters, and so many each on the average.
GLUED, MEAN = 25, 3.0
PARTS = 4
# Names in programs are glued too, but they are shorter or have none of these words: of 1,457
# pieces of Python packages 2 % have a name of seven parts and 40 letters (16 % one of five parts),
# and none has one with such a word.
MANY_PARTS, MANY_LETTERS = 7, 40
COVERED = 0.75  # of a word without parts, by words that are known
LONGEST_CAPITALS = 5  # an acronym; longer ones are of base64
TELLING = frozenset("all any are every me my that the this which you your".split())


def joined(text: str) -> Counted:
    """Four letters and more, each by itself, become words: "s p a c e d   o u t" is "spaced out".

    Between most of them stands one and the same character of SPACERS; where it is anything else,
    such as two spaces, a word ends.
    """
    letters = 0

    def words(found: re.Match[str]) -> str:
        nonlocal letters
        gaps = _GAP.findall(found[0])
        ((usual, times),) = Counter(gaps).most_common(1)
        if usual not in SPACERS or times <= SHARE * len(gaps):
            return found[0]
        letters += len(gaps) + 1
        singles = _GAP.split(found[0])
        ends = ["" if gap == usual else f"{gap.replace(usual, '').strip()} " for gap in gaps]
        return _bounded("".join(map("".join, zip(singles, [*ends, ""], strict=True))))

    return _SPACED.sub(words, text), letters


def parted(text: str) -> Counted:
    """Words of PARTS and more that are sentences by their looks, and those made up of known words.

    Counted are those that only capitals divide. BERT's tokenizer itself divides at "_", "-" and
    ".": a reading of its own would tell a model nothing new.
    """
    letters = 0

    def humps(found: re.Match[str]) -> str:
        nonlocal letters
        parts = _HUMP.split(found[0])
        if not _sentence(parts):
            known = apart(found[0]) if len(parts) < PARTS else []
            if _words(known) < COVERED * len(found[0]):
                return found[0]
            parts = [part for part, _ in known]
        letters += len(found[0])
        return " ".join(parts)

    def links(found: re.Match[str]) -> str:
        parts = found[0].split(found[1])
        return " ".join(parts) if _worded(parts) else found[0]

    return _LINKED.sub(links, _WORD.sub(humps, text)), letters


def _sentence(parts: Sequence[str]) -> bool:
    if any(part.isupper() and len(part) > LONGEST_CAPITALS for part in parts):
        return False
    many = len(parts) >= MANY_PARTS and sum(map(len, parts)) >= MANY_LETTERS
    return _worded(parts) and (many or any(part.lower() in TELLING for part in parts))


def _worded(parts: Sequence[str]) -> bool:
    letters = sum(map(len, parts))
    return len(parts) >= PARTS and letters >= max(GLUED, MEAN * len(parts))


def _words(parts: Sequence[tuple[str, bool]]) -> int:
    """Letters of known words that are not there by chance."""
    return sum(len(part) for part, known in parts if known and len(part) >= MEAN)


def _bounded(words: str) -> str:
    """Each in its parts, none longer than LONGEST."""
    parts = [
        part
        for word in words.split(" ")
        for part, _ in (apart(word) if len(word) > WORD else [(word, True)])
    ]
    return " ".join(
        part[start:stop]
        for part in parts
        for start, stop in pairwise([*range(0, len(part), LONGEST), len(part)])
    )
