"""A text as a reader would read it, where it is written so that a model of words cannot.

𝐛𝐨𝐥𝐝, ｗｉｄｅ and ⓒⓘⓡⓒⓛⓔⓓ letters, Cyrillic ones in Latin words (`letterforms.py`), what is hidden
in tags (`unseen.py`), s p a c e d letters and gluedWords (`spacing.py`). Words in no disguise are
left alone: no misspelling is corrected, and nothing is decoded that a reader would have to decode.
Time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from orchestrator.matching.letterforms import alike, boxed, styled
from orchestrator.matching.pieces import Cut, Piece, pieces
from orchestrator.matching.spacing import joined, parted
from orchestrator.matching.unseen import forwards, hidden, visible

# In a piece. Ordinary texts have fewer; an attack has more.
LETTERS = 8
# What nobody can see is written on purpose.
HIDDEN = 4

_Step = Callable[[str], tuple[str, int]]
_ASCII: tuple[_Step, ...] = (joined, parted)
_ANY: tuple[_Step, ...] = (boxed, forwards, visible, styled, alike, *_ASCII)


def undisguised(text: str) -> str:
    """For a search: whatever is in disguise, however little."""
    return _read(text)[0]


def plain(text: str) -> str | None:
    """For a model: None where it would read hardly anything else than in `text` itself."""
    reading, letters = _read(text)
    return reading if letters >= LETTERS and reading != text else None


def plainly(texts: Sequence[Cut]) -> tuple[Cut, ...]:
    """Of each text the plain readings of its pieces; none where it is written plainly.

    A plain piece starts where its piece does.
    """
    return tuple(Cut(tuple(_plain_pieces(text))) for text in texts)


def _plain_pieces(text: Cut) -> Iterator[Piece]:
    for piece in text.pieces:
        reading = plain(piece.text)
        if reading is not None:
            yield from (Piece(piece.start, part.text) for part in pieces(reading).pieces)


def _read(text: str) -> tuple[str, int]:
    """And how many letters of it were in disguise."""
    letters = 0
    steps = _ASCII
    if not text.isascii():
        text, unseen = hidden(text)
        letters = unseen * LETTERS // HIDDEN
        steps = _ANY
    for step in steps:
        text, more = step(text)
        letters += more
    return text, letters
