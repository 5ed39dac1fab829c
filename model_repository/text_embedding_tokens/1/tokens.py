"""Texts into the rectangles that an engine reads: windows filled up to the length of a bucket.

Knows nothing of Triton. What is cut where is decided by `sequences`, as in the CPU form.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sequences import Cut, Cutter, Limits
from tokenizers import Tokenizer

Ints = npt.NDArray[np.int32]
NONE = -1  # a window, a token or a word that is not there


@dataclass(frozen=True, slots=True)
class Tokenized:
    """Some texts. `placed`: it is known where their tokens are."""

    cut: Cut
    placed: bool

    def first(self, text: int) -> int:
        """The index of its first window among those of all texts."""
        return int(self.cut.counts[:text].sum())


class Tokens:
    """A tokenizer, how long a sequence may be, and the lengths to which it is filled up."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        limits: Limits,
        lengths: Sequence[int],
        tasks: Mapping[str, bool],
    ) -> None:
        self._cutter = Cutter(tokenizer, limits)
        self._lengths = sorted(lengths)
        self.tasks = dict(tasks)  # name -> whether it needs the places of tokens

    @classmethod
    def load(cls, folder: Path, settings: Mapping[str, str]) -> "Tokens":
        """`tokenizer.json`, and `labels.json` of a model with tasks. `settings`: see `Limits`, and
        `lengths` with commas between."""
        labels = folder / "labels.json"
        stated = json.loads(labels.read_text(encoding="utf-8")) if labels.is_file() else {}
        return cls(
            Tokenizer.from_file(str(folder / "tokenizer.json")),
            Limits.read(settings),
            [int(length) for length in settings["lengths"].split(",")],
            {name: one["kind"] == "token" for name, one in stated.items()},
        )

    def read(self, rows: Sequence[tuple[str, Sequence[str]]]) -> Tokenized:
        """Texts with the tasks that each asks."""
        placed = any(self.tasks[name] for _, asked in rows for name in asked)
        return Tokenized(self._cutter.cut([text for text, _ in rows], offsets=placed), placed)

    def tensors(self, read: Tokenized, rows: slice) -> dict[str, npt.NDArray[np.generic]]:
        """Those of one request, whose rows all get the shape [W, S] of the longest of them:
        INPUT_IDS [W, S]; LENGTHS [W], tokens of a window, 0 where there is none; PARTS [W, 2],
        its first token and one past its last among those of the text, special ones not counted;
        PLACES [W, S, 3], where a token is in its text and which word it belongs to.
        """
        cut = read.cut
        counts = cut.counts[rows]
        first = read.first(rows.start)
        sequences = cut.sequences[first : first + int(counts.sum())]
        size = self._bucket(max(map(len, sequences)))
        shape = (len(counts), int(counts.max()), size)
        ids, lengths = np.zeros(shape, np.int32), np.zeros(shape[:2], np.int32)
        parts = np.full((*shape[:2], 2), NONE, np.int32)
        places = np.full((*shape, 3), NONE, np.int32)
        mine = iter(sequences)
        for row, text in enumerate(range(rows.start, rows.stop)):
            known = self._places(cut, text) if read.placed else None
            for window, part in enumerate(cut.windows[text]):
                sequence = next(mine)
                ids[row, window, : len(sequence)] = sequence
                lengths[row, window], parts[row, window] = len(sequence), part
                if known is not None:
                    start = len(self._cutter.head)
                    places[row, window, start : start + part[1] - part[0]] = known[slice(*part)]
        return {
            "INPUT_IDS": ids,
            "LENGTHS": lengths,
            "PARTS": parts,
            "PLACES": places,
            "WINDOWS": counts[:, np.newaxis],
            "TRUNCATED": cut.truncated[rows, np.newaxis],
            "UNREADABLE": cut.unreadable[rows],
        }

    def _places(self, cut: Cut, text: int) -> Ints:
        """[tokens, 3]: start, stop, word."""
        count = cut.windows[text][-1][1]
        encoding = cut.encodings[text]
        found = np.empty((count, 3), np.int32)
        found[:, :2] = np.reshape(encoding.offsets[:count], (count, 2))
        found[:, 2] = [NONE if word is None else word for word in encoding.word_ids[:count]]
        return found

    def _bucket(self, tokens: int) -> int:
        return next(length for length in self._lengths if tokens <= length)
