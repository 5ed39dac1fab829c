"""A long text in pieces that a model reads one by one, none of it left out where it can be helped.

For what must be found wherever it stands; a topic shows in a sample (`samples.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# In UTF-8. A text of less is one piece: a topic's sample may be as much, so that it is asked once.
MOST_BYTES = 8_192
# A longer one is cut smaller: while the model reads a piece, all other requests wait for it.
PART_BYTES = 5_000
# Shared by neighbours: an address, a card number or a sentence at a border is whole in one of them.
OVERLAP = 512
# Of one text; some 20,000 English words. Reading a piece costs a window of the model for each
# 1,000 bytes, so that the longest prompt has a bounded cost.
MOST_READ = 131_072
# Of several texts together, what one counts as at least: to read it costs that of itself. And what
# of a long one is worth reading where there are too many of them.
LEAST, WORTH = 32, 1_024

_SPACE = re.compile(rb"\s")
_Range = tuple[int, int]  # of bytes


@dataclass(frozen=True, slots=True)
class Piece:
    """`start` is the Python string index of its first character in the whole text."""

    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Cut:
    """One text, in order. `truncated`: there is more between the pieces that was left out."""

    pieces: tuple[Piece, ...]
    truncated: bool = False


def pieces(
    text: str, most_bytes: int = MOST_BYTES, overlap: int = OVERLAP, most_read: int = MOST_READ
) -> Cut:
    """`text` in pieces of at most `most_bytes` of UTF-8; neighbours share about `overlap`. Where
    there are several, each is of PART_BYTES at most.

    A piece ends at white space where there is some near its end, and never inside a character.
    Of a text of more than `most_read` bytes, pieces of so much in all, the first its head and the
    last its tail, evenly spread. A lone surrogate counts as the one byte "?", and is read as that
    in a text that is cut. A blank text has no pieces. Raises ValueError for a piece of less than
    four overlaps, or of less than 16 bytes.
    """
    if most_bytes < max(16, 4 * overlap):
        raise ValueError("a piece is at least 16 bytes, and four times what it shares")
    if not text or text.isspace():
        return Cut(())
    data = text.encode("utf-8", "replace")
    if len(data) <= min(most_bytes, most_read):
        return Cut((Piece(0, text),))
    most_bytes = min(most_bytes, PART_BYTES)
    if len(data) > most_read:
        return Cut(tuple(_decoded(data, _spread(data, most_bytes, most_read))), True)
    return Cut(tuple(_decoded(data, _run(data, most_bytes, overlap))))


def together(texts: Sequence[str], most_read: int = MOST_READ) -> tuple[Cut, ...]:
    """Each of several texts, of which `most_read` bytes are read in all, of each at least LEAST.

    Short ones are read whole; what they leave is shared evenly by the long ones. Where that would
    be less than WORTH for each, as many of these are read, evenly spread, the first and the last
    among them.
    """
    shares = _shares([max(LEAST, _size(text)) for text in texts], most_read)
    unread = Cut((), truncated=True)
    return tuple(
        pieces(text, most_read=share) if share else unread if text.strip() else Cut(())
        for text, share in zip(texts, shares, strict=True)
    )


def _run(data: bytes, most_bytes: int, overlap: int) -> Iterator[_Range]:
    start = 0
    while True:
        stop = _border(data, start + most_bytes, overlap)
        yield start, stop
        if stop == len(data):
            return
        start = _border(data, stop - overlap, overlap)


def _spread(data: bytes, most_bytes: int, most_read: int) -> Iterator[_Range]:
    """At least the head and the tail, however little may be read."""
    count = max(2, most_read // most_bytes)
    size = min(most_bytes, most_read // count)
    for number in range(count):
        start = number * (len(data) - size) // (count - 1)
        stop = start + size
        while start < len(data) and _inside(data[start]):
            start += 1
        yield start, stop if stop == len(data) else _character(data, stop)


def _border(data: bytes, at: int, room: int) -> int:
    """Behind the last white space in the half `room` before `at`, or else a character's edge."""
    if at >= len(data):
        return len(data)
    least = max(0, at - room // 2)
    behind = max((found.end() for found in _SPACE.finditer(data, least, at)), default=0)
    return behind or _character(data, at)


def _character(data: bytes, at: int) -> int:
    while _inside(data[at]):
        at -= 1
    return at


def _inside(byte: int) -> bool:
    """It continues a character."""
    return byte & 0xC0 == 0x80


def _decoded(data: bytes, ranges: Iterator[_Range]) -> Iterator[Piece]:
    characters = last = 0
    for start, stop in ranges:
        characters += len(data[last:start].decode("utf-8"))
        last = start
        yield Piece(characters, data[start:stop].decode("utf-8"))


def _shares(sizes: Sequence[int], total: int) -> list[int]:
    """0 where a text is not read."""
    shares = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda i: sizes[i])
    for done, i in enumerate(order):
        fair = total // (len(sizes) - done)
        if sizes[i] > fair and fair < WORTH:
            rest = sorted(order[done:])
            mean = sum(sizes[i] for i in rest) // len(rest)
            few = [rest[at] for at in _evenly(len(rest), max(2, total // min(mean, WORTH)))]
            for at, one in enumerate(sorted(few, key=lambda i: sizes[i])):
                shares[one] = min(sizes[one], total // (len(few) - at))
                total -= shares[one]
            return shares
        shares[i] = min(sizes[i], fair)
        total -= shares[i]
    return shares


def _evenly(count: int, most: int) -> list[int]:
    if count <= most:
        return list(range(count))
    return [number * (count - 1) // (most - 1) for number in range(most)]


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
