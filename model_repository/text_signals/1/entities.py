"""Probabilities of tokens into labelled pieces of a text.

Classes are O, then B- and I- of each label. Knows neither the network nor Triton.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import category

import numpy as np
import numpy.typing as npt
from windows import Window

Floats = npt.NDArray[np.float32]
Offsets = Sequence[tuple[int, int]]

# Combining marks (accents, variation selectors), and joiners.
DROPPED = ("Mn", "Cf")
OUTSIDE = 0  # class; the begin of label n is 1 + 2n, its inside 2 + 2n


@dataclass(frozen=True, slots=True)
class Entity:
    """A piece of a text: string indices, `stop` exclusive; `label` counts from 0."""

    start: int
    stop: int
    label: int
    score: float  # mean probability of the label over the words, 0 to 1


def joined(parts: Sequence[Floats], windows: Sequence[Window]) -> Floats:
    """One row per token of the text, from those of overlapping windows without special tokens.

    Where two windows share tokens each decides on its half: it sees more around them.
    """
    if len(parts) == 1:
        return parts[0]
    rows = np.empty((windows[-1][1], parts[0].shape[1]), np.float32)
    for at, ((start, stop), part) in enumerate(zip(windows, parts, strict=True)):
        own = start if at == 0 else start + (windows[at - 1][1] - start) // 2
        rows[own:stop] = part[own - start :]
    return rows


def entities(
    rows: Floats, offsets: Offsets, words: Sequence[int | None], text: str
) -> list[Entity]:
    """The labelled pieces, by position, not overlapping.

    `words`: the word of each token, of which the first token decides. An entity goes on while words
    carry its label and none begins a new one.
    """
    labels = np.concatenate([rows[:, :1], rows[:, 1::2] + rows[:, 2::2]], axis=1)
    chosen = labels.argmax(1)
    begins = rows[:, 1::2] > rows[:, 2::2]
    found: list[Entity] = []
    scores: list[float] = []
    start = stop = label = 0
    previous: int | None = None
    for at, (word, (first, last)) in enumerate(zip(words, offsets, strict=True)):
        if word == previous and word is not None:  # the rest of a word
            stop = last if label else stop
            continue
        previous = word
        now = int(chosen[at])
        goes_on = now == label and not begins[at, now - 1] if now else False
        if label and not goes_on:
            found.append(_entity(start, _closed(text, stop, first), label, scores))
            label = 0
        if now:
            if not label:
                start, label, scores = first, now, []
            stop = last
            scores.append(float(labels[at, now]))
    if label:
        found.append(_entity(start, _closed(text, stop, len(text)), label, scores))
    return found


def _closed(text: str, stop: int, limit: int) -> int:
    """`stop`, past what the tokenizer dropped there: it belongs to the character before it."""
    while stop < limit and category(text[stop]) in DROPPED:
        stop += 1
    return stop


def _entity(start: int, stop: int, label: int, scores: list[float]) -> Entity:
    return Entity(start, stop, label - 1, float(np.mean(scores)))
