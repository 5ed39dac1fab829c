"""What a network says of windows into what a model says of texts, whatever ran the network.

The CPU form imports this beside its network, the GPU form behind an engine. Knows neither the
network, nor the tokenizer, nor Triton.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from entities import Entity, Offsets, Surety, entities, joined
from windows import Window

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Task:
    """One entry of labels.json. The CPU form's network calibrates its probabilities itself."""

    kind: str  # "sequence" or "token"
    labels: tuple[str, ...]
    over_windows: str  # "mean", or "max" of the risk
    positive: tuple[int, ...]  # labels whose sum is the risk
    surety: Surety  # of the spans of a token task
    temperature: float  # by which the logits of an engine are divided

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
                temperature=float(one.get("temperature", 1.0)),
            )
            for name, one in stated.items()
        }

    def probabilities(self, logits: Floats) -> Floats:
        """Of the network's raw output [rows, classes]."""
        cooled = logits / np.float32(self.temperature)
        grown = np.exp(cooled - cooled.max(-1, keepdims=True))
        return np.asarray(grown / grown.sum(-1, keepdims=True), np.float32)


@dataclass(frozen=True, slots=True)
class Read:
    """One row per text, in the order of the texts; of a task that a text did not ask, NaN or []."""

    embeddings: Floats  # [texts, d], each of length 1
    probabilities: dict[str, Floats]  # task -> [texts, classes]
    entities: dict[str, list[list[Entity]]]  # token task -> by text
    windows: npt.NDArray[np.int32]  # [texts], at least 1
    truncated: npt.NDArray[np.bool_]  # [texts], a limit cut the text
    unreadable: Floats  # [texts, 2], shares of a text that the vocabulary cannot spell


@dataclass(frozen=True, slots=True)
class Said:
    """Of one text and one task."""

    rows: Sequence[Floats]  # probabilities by window, [1 or its tokens, classes]
    windows: Sequence[Window]
    weights: Floats  # of the windows


@dataclass(frozen=True, slots=True)
class Places:
    """A text, and where each of its tokens is in it: those of its windows, or more."""

    text: str
    offsets: Offsets
    words: Sequence[int | None]


def answers(
    tasks: Mapping[str, Task],
    asked: Sequence[Collection[str]],
    said: Callable[[int, str], Said],
    places: Callable[[int], Places],
) -> tuple[dict[str, Floats], dict[str, list[list[Entity]]]]:
    """Probabilities and entities of each text, by task. `asked`: the tasks of each text; `said` and
    `places` are asked of a text only where that is needed."""
    found: dict[str, list[list[Entity]]] = {
        name: [[] for _ in asked] for name, task in tasks.items() if task.kind == "token"
    }
    probabilities = {
        name: np.full((len(asked), len(task.labels)), np.nan, np.float32)
        for name, task in tasks.items()
        if task.kind == "sequence"
    }
    for text, names in enumerate(asked):
        for name in names:
            if name in found:
                found[name][text] = _entities(tasks[name], said(text, name), places(text))
            else:
                probabilities[name][text] = _over_windows(tasks[name], said(text, name))
    return probabilities, found


def _entities(task: Task, said: Said, places: Places) -> list[Entity]:
    tokens = joined(said.rows, said.windows)
    offsets, words = places.offsets[: len(tokens)], places.words[: len(tokens)]
    return entities(tokens, offsets, words, places.text, task.surety)


def _over_windows(task: Task, said: Said) -> Floats:
    """Of one text, from the probabilities of its windows."""
    rows = np.concatenate(said.rows)
    if len(rows) == 1:
        return rows[0]
    if task.over_windows == "max":
        return rows[rows[:, task.positive].sum(1).argmax()]
    return np.asarray(np.average(rows, axis=0, weights=said.weights), np.float32)
