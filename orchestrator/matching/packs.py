"""Many short texts in a few: the turns of a long chat, for a model that reads one as well as ten.

Neighbours go together, in order and whole, and no more of them than is needed: what one says shows
less among many. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# So many are asked each by itself. As much as is read of a history in so many parts comes to a
# window of the model for each, within which an attack of a sentence still shows.
MOST_PACKS = 256
BETWEEN = "\n\n"  # no sentence, number or name goes across it


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands: `start` is the index of its first character in `text`. `shared`: there
    are others in it."""

    text: str
    start: int = 0
    shared: bool = False


def packed(texts: Iterable[str], most: int = MOST_PACKS) -> dict[str, Place]:
    """Each distinct text, by itself where there are at most `most` of them.

    Else they go together up to twice the bytes that `most` equal parts would have: about `most` in
    all. One that is longer stays alone.
    """
    distinct = list(dict.fromkeys(texts))
    if len(distinct) <= most:
        return {text: Place(text) for text in distinct}
    sizes = [len(text.encode("utf-8", "replace")) + len(BETWEEN) for text in distinct]
    limit = 2 * sum(sizes) // most
    places: dict[str, Place] = {}
    few: list[str] = []
    size = 0
    for text, length in zip(distinct, sizes, strict=True):
        if few and size + length > limit:
            places |= _placed(few)
            few, size = [], 0
        few.append(text)
        size += length
    return places | _placed(few)


def _placed(texts: Sequence[str]) -> dict[str, Place]:
    whole, start = BETWEEN.join(texts), 0
    places: dict[str, Place] = {}
    for text in texts:
        places[text] = Place(whole, start, shared=len(texts) > 1)
        start += len(text) + len(BETWEEN)
    return places
