"""Texts into probabilities, entities and embeddings: one pass of the network for all tasks.

Knows nothing of Triton, so that the tests and the engine builder run exactly this code.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from answers import Places, Read, Said, Task, answers
from averages import unit
from encoder import open_session, packed
from entities import Surety as Surety  # the engine builder finds them here
from entities import entities as entities
from entities import joined as joined
from sequences import Cut, Cutter, Limits
from tokenizers import Tokenizer
from windows import runs

Floats = npt.NDArray[np.float32]

EMBEDDING = "sentence_embedding"


def trunk(folder: Path, version: str) -> Path:
    """`trunk.onnx`, or where there is none (a wheel holds no links) the network it stands for: that
    of the model which the receipt names, in the folder beside this one."""
    link = folder / version / "trunk.onnx"
    if link.exists():
        return link
    receipt = json.loads((folder / "receipt.json").read_text(encoding="utf-8"))
    return folder.parent / str(receipt["trunk"]["model"]) / "1" / "model.onnx"


class Reader:
    """A tokenizer, and a trunk with the branches of its tasks (model_repository/README.md)."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        session: ort.InferenceSession,
        limits: Limits,
        tasks: Mapping[str, Task],
    ) -> None:
        self._cutter = Cutter(tokenizer, limits)
        self._session = session
        self._limits = limits
        self.tasks = dict(tasks)

    @classmethod
    def load(cls, folder: Path, version: str, limits: Limits, threads: int) -> "Reader":
        """A published model. The bytes of trunk and branches, joined, are one network."""
        branches = folder / version / "branches.onnx"
        network = trunk(folder, version).read_bytes() + branches.read_bytes()
        return cls(
            Tokenizer.from_file(str(folder / "tokenizer.json")),
            open_session(network, threads),
            limits,
            Task.read(folder / "labels.json"),
        )

    def warm(self) -> None:
        """Run every length bucket with all tasks, so that no request pays for it."""
        for batch in self._cutter.warming():
            self._run(batch, self.tasks)

    def read(self, texts: Sequence[str], asked: Sequence[Collection[str]]) -> Read:
        """`asked`: the tasks of each text; none is the embedding alone."""
        token = {name for name, task in self.tasks.items() if task.kind == "token"}
        cut = self._cutter.cut(texts, offsets=any(not token.isdisjoint(each) for each in asked))
        embeddings, rows = self._rows(cut, asked)
        stops = np.cumsum(cut.counts)
        own = [slice(*pair) for pair in zip(stops - cut.counts, stops, strict=True)]

        def said(text: int, name: str) -> Said:
            return Said(rows[name][own[text]], cut.windows[text], cut.weights[own[text]])

        def places(text: int) -> Places:
            encoding = cut.encodings[text]
            return Places(texts[text], encoding.offsets, encoding.word_ids)

        probabilities, found = answers(self.tasks, asked, said, places)
        return Read(
            embeddings=unit(cut.mean(embeddings), cut.counts),
            probabilities=probabilities,
            entities=found,
            windows=cut.counts,
            truncated=cut.truncated,
            unreadable=cut.unreadable,
        )

    def _rows(
        self, cut: Cut, asked: Sequence[Collection[str]]
    ) -> tuple[Floats, dict[str, list[Floats]]]:
        """Embeddings of the sequences, and of each task what it says: [1 or tokens, classes]."""
        owner = np.repeat(np.arange(len(asked)), cut.counts)
        lengths = [len(ids) for ids in cut.sequences]
        empty = np.empty((0, 0), np.float32)
        rows = {name: [empty] * len(lengths) for name in self.tasks}
        embeddings: list[Floats] = [empty] * len(lengths)
        for group in runs(lengths, self._limits.padding, self._limits.max_tokens):
            wanted = frozenset[str]().union(*(asked[owner[row]] for row in group))
            vectors, said = self._run([cut.sequences[row] for row in group], wanted)
            for at, row in enumerate(group):
                embeddings[row] = vectors[at]
            for name, values in said.items():
                token = self.tasks[name].kind == "token"
                sizes = np.array([lengths[row] for row in group] if token else [1] * len(group))
                stops = np.cumsum(sizes)
                frame = (len(self._cutter.head), len(self._cutter.tail)) if token else (0, 0)
                for row, start, stop in zip(group, stops - sizes, stops, strict=True):
                    rows[name][row] = values[start + frame[0] : stop - frame[1]]
        return np.stack(embeddings), rows

    def _run(
        self, sequences: list[list[int]], asked: Collection[str]
    ) -> tuple[Floats, dict[str, Floats]]:
        flags = {f"ask_{name}": np.array(name in asked) for name in self.tasks}
        names = [name for name in self.tasks if name in asked]
        outputs = [EMBEDDING, *(f"probabilities_{name}" for name in names)]
        vectors, *values = self._session.run(outputs, packed(sequences) | flags)
        return vectors, dict(zip(names, values, strict=True))
