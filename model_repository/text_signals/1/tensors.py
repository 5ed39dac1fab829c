"""What was read as the tensors of an answer. Knows nothing of Triton."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from answers import Read
from entities import Entity


def tensors(read: Read, rows: slice) -> dict[str, Callable[[], npt.NDArray[np.generic]]]:
    """Name -> what makes the tensor of these rows: nobody asks for all of them."""
    made: dict[str, Callable[[], npt.NDArray[np.generic]]] = {
        "EMBEDDING": lambda: read.embeddings[rows],
        "WINDOWS": lambda: read.windows[rows, np.newaxis],
        "TRUNCATED": lambda: read.truncated[rows, np.newaxis],
        "UNREADABLE": lambda: read.unreadable[rows],
    }
    for task, values in read.probabilities.items():
        made[f"PROBS_{task}"] = lambda values=values: values[rows]
    for task, found in read.entities.items():
        made[f"SPANS_{task}"] = lambda found=found: _spans(found[rows])
        made[f"SPAN_SCORES_{task}"] = lambda found=found: _scores(found[rows])
    return made


def _spans(rows: Sequence[Sequence[Entity]]) -> npt.NDArray[np.int32]:
    """[texts, most, 3]: start, stop, label; -1 where a text has fewer."""
    spans = np.full((len(rows), max(1, *map(len, rows)), 3), -1, np.int32)
    for at, found in enumerate(rows):
        for n, one in enumerate(found):
            spans[at, n] = (one.start, one.stop, one.label)
    return spans


def _scores(rows: Sequence[Sequence[Entity]]) -> npt.NDArray[np.float32]:
    scores = np.zeros((len(rows), max(1, *map(len, rows))), np.float32)
    for at, found in enumerate(rows):
        scores[at, : len(found)] = [one.score for one in found]
    return scores
