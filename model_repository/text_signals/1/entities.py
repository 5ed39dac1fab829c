"""Probabilities of tokens into labelled pieces of a text.

Classes are O, then B- and I- of each label: 1 + 2n and 2 + 2n of label n. Knows neither the network
nor Triton.
"""

import math
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
EDGE = 1e-6  # a logit knows neither 0 nor 1
SURE = 0.9  # probability from which a token begins an entity of the label that goes on


@dataclass(frozen=True, slots=True)
class Entity:
    """A piece of a text: string indices, `stop` exclusive; `label` counts from 0."""

    start: int
    stop: int
    label: int
    score: float  # 0 to 1: how likely something of the label is there, if not to the letter


@dataclass(frozen=True, slots=True)
class Surety:
    """How often a piece is right whose words are so sure of it: a logistic curve over the logit of
    their mean probability, fitted on texts that trained nothing (Platt 1999)."""

    slope: float = 1.0
    bias: float = 0.0

    def __call__(self, mean: float) -> float:
        """0 to 1, of a mean from 0 to 1."""
        mean = min(max(mean, EDGE), 1 - EDGE)
        return 1 / (1 + math.exp(-self.slope * math.log(mean / (1 - mean)) - self.bias))


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
    rows: Floats,
    offsets: Offsets,
    words: Sequence[int | None],
    text: str,
    surety: Surety = Surety(),
) -> list[Entity]:
    """The labelled pieces, by position, not overlapping.

    Tokens of one run of characters without a space (an address, a number) decide together; else a
    word's first token decides for it. An entity goes on while its label does, unless a token is
    sure to begin a new one.
    """
    labels = np.concatenate([rows[:, :1], rows[:, 1::2] + rows[:, 2::2]], axis=1)
    whole = _vote(labels, offsets, text)
    chosen = labels.argmax(1)
    found: list[Entity] = []
    scores: list[float] = []
    start = stop = label = 0
    previous: int | None = None
    for at, (word, (first, last)) in enumerate(zip(words, offsets, strict=True)):
        if whole[at] or (word == previous and word is not None):  # the rest of a run, or of a word
            stop = last if label else stop
            continue
        previous = word
        now = int(chosen[at])
        begins = now > 0 and rows[at, 2 * now - 1] > SURE
        if label and (now != label or begins):
            found.append(
                Entity(start, _closed(text, stop, first), label - 1, surety(_mean(scores)))
            )
            label = 0
        if now:
            if not label:
                start, label, scores = first, now, []
            stop = last
            scores.append(float(labels[at, now]))
    if label:
        found.append(
            Entity(start, _closed(text, stop, len(text)), label - 1, surety(_mean(scores)))
        )
    return found


def _vote(labels: Floats, offsets: Offsets, text: str) -> npt.NDArray[np.bool_]:
    """Give the tokens of each run their mean; says which tokens belong to the one before them.

    Only runs of ASCII vote: other scripts do without spaces. Punctuation at the ends of a run is no
    part of it, and one with an apostrophe ("Anna's") is two words.
    """
    whole = np.zeros(len(labels), np.bool_)
    start = 0
    while start < len(labels):
        stop = start + 1
        while stop < len(labels) and offsets[stop][0] == offsets[stop - 1][1]:
            stop += 1
        first, last = start, stop - 1
        while first < last and not _opens(text[offsets[first][0]]):
            first += 1
        while first < last and not text[offsets[last][1] - 1].isalnum():
            last -= 1
        run = text[offsets[first][0] : offsets[last][1]]
        if first < last and run.isascii() and "'" not in run:
            labels[first : last + 1] = labels[first : last + 1].mean(0)
            whole[first + 1 : last + 1] = True
        start = stop
    return whole


def _opens(character: str) -> bool:
    return character.isalnum() or character == "+"  # of a telephone number


def _closed(text: str, stop: int, limit: int) -> int:
    """`stop`, past what the tokenizer dropped there: it belongs to the character before it."""
    while stop < limit and category(text[stop]) in DROPPED:
        stop += 1
    return stop


def _mean(scores: Sequence[float]) -> float:
    return float(np.mean(scores))
