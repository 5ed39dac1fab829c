"""The reference model's answers that travel with a model, and the comparison with live ones.

`<repository>/<model>/goldens.json` is written by `build_engines` from PyTorch and transformers;
model_repository/README.md describes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import orjson
from pydantic import BaseModel, Field, ValidationError

from orchestrator.errors import InferenceError
from orchestrator.inference import Classification, Embeddings, Entity
from orchestrator.inference.differences import Limits, differences
from orchestrator.inference.rows import Row
from orchestrator.inference.tasks import NO_TASKS, Tasks, load_tasks

CANARY = "canary "  # of a golden text's name: `canary <task>: <label>`


@dataclass(frozen=True, slots=True)
class Goldens:
    """`said` and `names` are there for a model with `tasks`: one for each text."""

    texts: tuple[bytes, ...]  # UTF-8
    vectors: Embeddings  # [texts, d]
    windows: tuple[int, ...]
    truncated: tuple[bool, ...]
    tolerance: float  # least cosine
    tasks: Tasks = field(default_factory=lambda: NO_TASKS)
    said: tuple[Classification, ...] = ()
    names: tuple[str, ...] = ()
    limits: Limits = Limits(0.0, 0.0)

    def part(self, turn: int, parts: int) -> Goldens:
        """One of `parts` of about the same size; `parts` turns in a row give all texts."""
        step = min(parts, len(self.texts))
        rows = slice(turn % step, None, step)
        return replace(
            self,
            texts=self.texts[rows],
            vectors=self.vectors[rows],
            windows=self.windows[rows],
            truncated=self.truncated[rows],
            said=self.said[rows],
            names=self.names[rows],
        )

    def rows(self) -> list[Row]:
        """Every text, with all that the model can tell of it."""
        return [Row(text, frozenset(self.tasks)) for text in self.texts]


@dataclass(frozen=True, slots=True)
class Parity:
    """How live answers compare with the reference's, over `count` texts.

    `probability` and `span_score` are the largest differences, None for a model that gives none.
    `reason` says what differs by more than may be, and is empty where nothing does.
    """

    min_cosine: float
    mean_cosine: float
    count: int
    tolerance: float
    probability: float | None = None
    span_score: float | None = None
    reason: str = ""

    @property
    def held(self) -> bool:
        return not self.reason


class _Tolerance(BaseModel):
    cosine: float
    probability: float = Field(default=0.01, ge=0, le=1)
    span_score: float = Field(default=0.05, ge=0, le=1)


class _Document(BaseModel):
    texts: list[str]
    embeddings: list[list[float]]
    windows: list[int]
    truncated: list[bool]
    tolerance: _Tolerance
    names: list[str] = []
    probabilities: dict[str, list[list[float]]] = {}
    # Null where the reference itself nearly read other spans: rounding would decide.
    entities: dict[str, list[list[tuple[int, int, int, float]] | None]] = {}


def load_goldens(repository: Path, model: str) -> Goldens:
    """Raises InferenceError where there are none, or they cannot be read, or they do not fit the
    model's labels.json.
    """
    path = repository / model / "goldens.json"
    try:
        document = _Document.model_validate(orjson.loads(path.read_bytes()))
    except FileNotFoundError:
        raise InferenceError(f"{model}: no golden answers at {path}") from None
    except (OSError, orjson.JSONDecodeError, ValidationError) as error:
        raise InferenceError(f"{model}: {path} cannot be read: {error}") from error
    sizes = {len(document.texts), len(document.embeddings)}
    sizes |= {len(document.windows), len(document.truncated)}
    widths = {len(row) for row in document.embeddings}
    if len(sizes) != 1 or len(widths) != 1:
        raise InferenceError(f"{model}: {path} is empty, or its lists differ in length")
    tasks = load_tasks(repository, model)
    for misfit in _misfits(document, tasks):
        raise InferenceError(f"{model}: {path} does not fit labels.json: {misfit}")
    named = len(document.names) == len(document.texts)
    names = tuple(document.names if named else document.texts)
    said = tuple(_said(document, tasks, row) for row in range(len(document.texts) * bool(tasks)))
    for mistake in _mistaken(names if tasks else (), said):
        raise InferenceError(f"{model}: {path} does not fit labels.json: {mistake}")
    return Goldens(
        texts=tuple(text.encode("utf-8", errors="replace") for text in document.texts),
        vectors=np.array(document.embeddings, np.float32),
        windows=tuple(document.windows),
        truncated=tuple(document.truncated),
        tolerance=document.tolerance.cosine,
        tasks=tasks,
        said=said,
        names=names,
        limits=Limits(document.tolerance.probability, document.tolerance.span_score),
    )


def _misfits(document: _Document, tasks: Tasks) -> Iterator[str]:
    """What the two files say of each other's tasks that cannot be."""
    given: dict[str, Mapping[str, Sequence[object]]] = {
        "probabilities": document.probabilities,
        "entities": document.entities,
    }
    for section, answers in given.items():
        own = {name for name, task in tasks.items() if task.spans is (section == "entities")}
        for name in sorted(own ^ answers.keys()):
            yield f"task {name} has no {section}" if name in own else f"{section} of no task {name}"
        for name, rows in answers.items():
            if len(rows) != len(document.texts):
                yield f"task {name} has {section} of {len(rows)} texts, not {len(document.texts)}"
    for name, numbers in document.probabilities.items():
        count = len(tasks[name].labels)
        if {len(row) for row in numbers} != {count}:
            yield f"task {name} has not {count} probabilities for every text"
    for name, found in document.entities.items():
        count = len(tasks[name].labels)
        if any(not 0 <= label < count for row in found for _, _, label, _ in row or ()):
            yield f"task {name} has a label beyond its {count}"


def _mistaken(names: Sequence[str], said: Sequence[Classification]) -> Iterator[str]:
    """What labels.json makes of the canaries, where their own names say otherwise.

    The files agree in their numbers even where labels are exchanged. That touches two canaries of
    a task: of one alone, the reference may be mistaken.
    """
    wrong: dict[str, list[str]] = {}
    for name, answer in zip(names, said, strict=True):
        task, _, label = name.removeprefix(CANARY).partition(": ")
        shares, found = answer.probabilities.get(task), answer.entities.get(task)
        if not name.startswith(CANARY) or (shares is None and found is None):
            continue
        given = {max(shares, key=shares.__getitem__)} if shares else {e.label for e in found or ()}
        if label not in given:
            wrong.setdefault(task, []).append(f"{label!r} is called {', '.join(sorted(given))!r}")
    yield from (f"task {task}: {some[0]}" for task, some in wrong.items() if len(some) > 1)


def _said(document: _Document, tasks: Tasks, row: int) -> Classification:
    return Classification(
        {
            name: dict(zip(tasks[name].labels, rows[row], strict=True))
            for name, rows in document.probabilities.items()
        },
        {
            name: tuple(
                Entity(start, stop, tasks[name].labels[label], score)
                for start, stop, label, score in spans
            )
            for name, rows in document.entities.items()
            if (spans := rows[row]) is not None
        },
        document.windows[row],
        document.truncated[row],
    )


def compare(goldens: Goldens, live: Embeddings, said: Sequence[Classification] = ()) -> Parity:
    """Row by row. A live vector of the wrong length, or without one, has cosine -1.

    Live vectors must be normalised too, because signals take dot products for cosines: what a
    vector's length lacks of 1 counts against it. `said`: what a model with tasks says, all of them
    for every text.
    """
    found = cosines(goldens.vectors, live)
    lowest, count, tolerance = float(found.min()), len(goldens.texts), goldens.tolerance
    parity = Parity(lowest, float(found.mean()), count, tolerance)
    off = too_low(lowest, count, "texts", tolerance)
    if goldens.tasks:
        tasks = differences(goldens.names, goldens.said, said, goldens.limits)
        parity = replace(parity, probability=tasks.probability, span_score=tasks.span_score)
        off += [tasks.said] * bool(tasks.said)
    reason = f"its answers differ from the reference model's: {'; '.join(off)}" if off else ""
    return replace(parity, reason=reason)


def too_low(lowest: float, count: int, what: str, tolerance: float) -> list[str]:
    """A cosine in words; empty where it is as high as it has to be."""
    if lowest >= tolerance:
        return []
    return [f"lowest cosine {lowest:.4f} over {count} {what}, {tolerance:g} is required"]


def cosines(expected: Embeddings, live: Embeddings) -> npt.NDArray[np.float64]:
    """Row by row, see `compare`."""
    if live.shape != expected.shape:
        return np.full(len(expected), -1.0)
    left, right = live.astype(np.float64), expected.astype(np.float64)
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    lengths = np.linalg.norm(left, axis=1)
    dots = (left * right).sum(1)
    found = np.where(lengths > 0, dots / np.maximum(lengths, 1e-30), -1.0)
    return np.asarray(found - np.abs(lengths - 1.0), np.float64)
