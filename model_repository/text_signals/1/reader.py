"""Texts into probabilities, entities and embeddings: one pass of the network for all tasks.

Knows nothing of Triton, so that the tests and the engine builder run exactly this code.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from encoder import open_session, packed, unit
from entities import Entity, Surety, entities, joined
from sequences import Cut, Cutter, Limits
from tokenizers import Tokenizer
from windows import runs

Floats = npt.NDArray[np.float32]

EMBEDDING = "sentence_embedding"


@dataclass(frozen=True, slots=True)
class Task:
    """One entry of labels.json. The probabilities of the network are calibrated."""

    kind: str  # "sequence" or "token"
    labels: tuple[str, ...]
    over_windows: str  # "mean", or "max" of the risk
    positive: tuple[int, ...]  # labels whose sum is the risk
    surety: Surety  # of the spans of a token task

    @classmethod
    def read(cls, path: Path) -> "dict[str, Task]":
        stated = json.loads(path.read_text(encoding="utf-8"))
        return {
            name: cls(
                kind=one["kind"],
                labels=tuple(one["labels"]),
                over_windows=one["over_windows"],
                positive=tuple(one["labels"].index(label) for label in one["positive"]),
                surety=Surety(**one.get("spans", {})),
            )
            for name, one in stated.items()
        }


@dataclass(frozen=True, slots=True)
class Read:
    """One row per text, in the order of the texts; of a task that a text did not ask, NaN or []."""

    embeddings: Floats  # [texts, d], each of length 1
    probabilities: dict[str, Floats]  # task -> [texts, classes]
    entities: dict[str, list[list[Entity]]]  # token task -> by text
    windows: npt.NDArray[np.int32]  # [texts], at least 1
    truncated: npt.NDArray[np.bool_]  # [texts], a limit cut the text
    unreadable: Floats  # [texts, 2], shares of a text that the vocabulary cannot spell


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
        found: dict[str, list[list[Entity]]] = {name: [[] for _ in texts] for name in token}
        probabilities = {
            name: np.full((len(texts), len(task.labels)), np.nan, np.float32)
            for name, task in self.tasks.items()
            if task.kind == "sequence"
        }
        first = np.cumsum(cut.counts) - cut.counts
        for text, names in enumerate(asked):
            windows = slice(first[text], first[text] + cut.counts[text])
            for name in names:
                task = self.tasks[name]
                if task.kind == "token":
                    encoding = cut.encodings[text]
                    tokens = joined(rows[name][windows], cut.windows[text])
                    count = len(tokens)
                    places, words = encoding.offsets[:count], encoding.word_ids[:count]
                    found[name][text] = entities(tokens, places, words, texts[text], task.surety)
                else:
                    probabilities[name][text] = _over_windows(
                        task, np.concatenate(rows[name][windows]), cut.weights[windows]
                    )
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


def _over_windows(task: Task, rows: Floats, weights: Floats) -> Floats:
    """Of one text, from the probabilities of its windows."""
    if len(rows) == 1:
        return rows[0]
    if task.over_windows == "max":
        return rows[rows[:, task.positive].sum(1).argmax()]
    return np.asarray(np.average(rows, axis=0, weights=weights), np.float32)
