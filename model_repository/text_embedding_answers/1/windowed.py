"""What an engine says of windows into what the model says of texts, by the code of the CPU form.

Knows nothing of Triton.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from answers import Places, Read, Said, Task, answers
from averages import mean, unit

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Windowed:
    """The texts of one request: W windows of S places each, of which a text has some or all."""

    texts: Sequence[str]
    asked: Sequence[Sequence[str]]  # tasks of each text
    parts: Ints  # [texts, W, 2], tokens of each window; -1 where there is none
    places: Ints | None  # [texts, W, S, 3], of each token; -1 where it is none of the text
    embeddings: Floats  # [texts, W, d]
    logits: Mapping[str, Floats]  # task -> [texts, W, classes], or [texts, W, S, classes]


def read(tasks: Mapping[str, Task], given: Windowed) -> Read:
    """`truncated` and `unreadable` are known to the step before, and empty here."""
    real = given.parts[..., 1] >= 0
    counts = real.sum(1, dtype=np.int32)
    parts = [own[there] for own, there in zip(given.parts, real, strict=True)]
    # An empty text is one window of no tokens; any weight will do, but not 0.
    weights = [np.maximum(1, own[:, 1] - own[:, 0]).astype(np.float32) for own in parts]

    def said(text: int, name: str) -> Said:
        windows = [(int(start), int(stop)) for start, stop in parts[text]]
        task = tasks[name]
        rows = [task.probabilities(row) for row in given.logits[name][text, : len(windows)]]
        if task.kind == "token":
            assert given.places is not None
            rows = [row[own] for row, own in zip(rows, _own(given.places[text]), strict=False)]
        else:
            rows = [row[np.newaxis] for row in rows]
        return Said(rows, windows, weights[text])

    def places(text: int) -> Places:
        assert given.places is not None
        tokens = np.empty((int(parts[text][-1, 1]), 3), np.int32)
        own = _own(given.places[text])
        for window, (start, stop) in enumerate(parts[text]):
            tokens[start:stop] = given.places[text, window][own[window]]
        words = [None if word < 0 else word for word in tokens[:, 2].tolist()]
        return Places(given.texts[text], list(map(tuple, tokens[:, :2].tolist())), words)

    probabilities, found = answers(tasks, given.asked, said, places)
    rows = mean(given.embeddings[real], counts, np.concatenate(weights))
    return Read(
        embeddings=unit(rows, counts),
        probabilities=probabilities,
        entities=found,
        windows=counts,
        truncated=np.empty(0, np.bool_),
        unreadable=np.empty((0, 2), np.float32),
    )


def _own(places: Ints) -> npt.NDArray[np.bool_]:
    """[W, S]: which places hold tokens of the text."""
    return np.asarray(places[..., 0] >= 0)
