"""A part of a text that is too long to be read whole."""

from __future__ import annotations

SEPARATOR = "\n"


def sample(text: str, most: int) -> tuple[str, bool]:
    """`text`, or its head, middle and tail where its UTF-8 is more than `most` bytes; and whether
    anything was left out.

    A lone surrogate counts as the one byte "?" that models read of it. A word may be cut in two
    at an edge.
    """
    if 4 * len(text) <= most or (len(text) <= most and _fits(text, most)):
        return text, False
    third = (most - 2 * len(SEPARATOR)) // 3
    middle = (len(text) - third) // 2
    head, centre, tail = (
        _encoded(part) for part in (text[:third], text[middle : middle + third], text[-third:])
    )
    parts = (head[:third], centre[:third], tail[-third:])
    return SEPARATOR.join(part.decode("utf-8", "ignore") for part in parts), True


def _fits(text: str, most: int) -> bool:
    return text.isascii() or len(_encoded(text)) <= most


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
