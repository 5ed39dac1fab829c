"""How far two forms of an encoder agree: labels, cosines and probabilities over some batches.

What is expected: 99.9 % of all labels equal (those of sequence tasks together, and those of the
tokens of token tasks), and of every embedding the cosine 0.999. A label that changes is told with
the margin by which the reference chose it: rounding decides ties, and nothing else may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from build_engines.errors import ParityError
from build_engines.gpu.samples import Arrays, Batch
from build_engines.gpu.tensors import EMBEDDING, logits

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Run = Callable[[Arrays], Mapping[str, Floats]]

LABELS = 0.999
COSINE = 0.999
KNOWN = 0.01  # of pictures: how far KNOWN may be off
TIE = 0.02  # between the probabilities of the two best labels


@dataclass(frozen=True, slots=True)
class Task:
    token: bool
    temperature: float


@dataclass(slots=True)
class Agreement:
    """Counts and worst cases so far."""

    rows: int = 0
    least_cosine: float = 1.0
    known: float | None = None  # the greatest difference, of pictures
    asked: dict[str, int] = field(default_factory=dict)  # labels that were compared
    equal: dict[str, int] = field(default_factory=dict)
    probability: dict[str, float] = field(default_factory=dict)  # the greatest difference
    margin: dict[str, float] = field(default_factory=dict)  # the widest of a label that changed
    tokens: set[str] = field(default_factory=set)  # the token tasks

    def share(self, tokens: bool) -> float:
        """Of labels that are equal, over all sequence tasks or all token tasks."""
        names = [name for name in self.asked if (name in self.tokens) is tokens]
        asked = sum(self.asked[name] for name in names)
        return sum(self.equal[name] for name in names) / asked if asked else 1.0

    def figures(self) -> dict[str, Any]:
        """For a receipt."""
        found: dict[str, Any] = {"rows": self.rows, "least_cosine": round(self.least_cosine, 7)}
        if self.known is not None:
            found["known"] = round(self.known, 6)
        if self.asked:
            found["labels_equal"] = {
                task: f"{self.equal[task]} of {asked}" for task, asked in self.asked.items()
            }
            found["widest_margin_changed"] = {
                task: round(margin, 6) for task, margin in self.margin.items()
            }
            found["probability"] = {task: round(gap, 6) for task, gap in self.probability.items()}
        return found

    def count(self, name: str, task: Task, reference: Doubles, other: Doubles) -> None:
        """Labels of some rows [rows, labels]."""
        best = reference.argmax(-1)
        changed = other.argmax(-1) != best
        self.asked[name] = self.asked.get(name, 0) + len(best)
        self.equal[name] = self.equal.get(name, 0) + int((~changed).sum())
        if task.token:
            self.tokens.add(name)
        if changed.any():
            two = np.sort(reference[changed], -1)[:, -2:]
            widest = float((two[:, 1] - two[:, 0]).max())
            self.margin[name] = max(self.margin.get(name, 0.0), widest)

    def demand(self, what: str) -> None:
        """Raises ParityError that says which expectation `what` misses."""
        missed = []
        if not self.least_cosine >= COSINE:
            missed.append(f"least cosine {self.least_cosine:.6f}, wanted {COSINE}")
        if self.known is not None and not self.known <= KNOWN:
            missed.append(f"KNOWN off by {self.known:.4f}, at most {KNOWN}")
        for tokens in (False, True):
            share, kind = self.share(tokens), "tokens" if tokens else "texts"
            if not share >= LABELS:
                missed.append(f"{share:.3%} of the labels of {kind} equal, wanted {LABELS:.1%}")
        wide = {task: margin for task, margin in self.margin.items() if not margin <= TIE}
        missed += [f"{task}: a label changed that led by {by:.4f}" for task, by in wide.items()]
        if missed:
            raise ParityError(f"{what}: {'; '.join(missed)}; keep more nodes in gpu.fp32")


def compare(one: Run, other: Run, batches: Iterable[Batch], tasks: Mapping[str, Task]) -> Agreement:
    """Over all batches. `one` is the reference. Raises ParityError where a number is none."""
    found = Agreement()
    for batch in batches:
        wanted, said = one(batch.inputs), other(batch.inputs)
        strange = [name for name, values in said.items() if not np.isfinite(values).all()]
        if strange:
            raise ParityError(f"{', '.join(strange)}: not a number in a batch of {batch.lengths}")
        if EMBEDDING in wanted:
            _texts(found, wanted, said, batch, tasks)
        else:
            _pictures(found, wanted, said)
    return found


def _texts(
    found: Agreement,
    wanted: Mapping[str, Floats],
    said: Mapping[str, Floats],
    batch: Batch,
    tasks: Mapping[str, Task],
) -> None:
    found.rows += len(batch.lengths)
    _vectors(found, wanted[EMBEDDING][:, 0], said[EMBEDDING][:, 0])
    real = np.arange(batch.inputs["INPUT_IDS"].shape[-1]) < np.array(batch.lengths)[:, None]
    for name, task in tasks.items():
        rows = (each[logits(name)][:, 0] for each in (wanted, said))
        reference, other = (probabilities(row[real] if task.token else row, task) for row in rows)
        labels = [folded(row) if task.token else row for row in (reference, other)]
        found.count(name, task, *labels)
        gap = float(np.abs(reference - other).max(initial=0))
        found.probability[name] = max(found.probability.get(name, 0.0), gap)


def _pictures(found: Agreement, wanted: Mapping[str, Floats], said: Mapping[str, Floats]) -> None:
    found.rows += len(wanted["EMBEDDING"])
    _vectors(found, wanted["EMBEDDING"], said["EMBEDDING"])
    gap = float(np.abs(wanted["KNOWN"] - said["KNOWN"]).max(initial=0))
    found.known = max(found.known or 0.0, gap)


def _vectors(found: Agreement, wanted: Floats, said: Floats) -> None:
    left, right = wanted.astype(np.float64), said.astype(np.float64)
    lengths = np.linalg.norm(left, axis=-1) * np.linalg.norm(right, axis=-1)
    cosine = float(((left * right).sum(-1) / lengths).min(initial=1))
    found.least_cosine = min(found.least_cosine, cosine)


def probabilities(values: Floats, task: Task) -> Doubles:
    """Logits through the temperature and a softmax, in float64."""
    cooled = values.astype(np.float64) / task.temperature
    raised = np.exp(cooled - cooled.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def folded(rows: Doubles) -> Doubles:
    """Begin and inside of a label together: what a token is, and not where its entity begins."""
    return np.concatenate([rows[..., :1], rows[..., 1::2] + rows[..., 2::2]], axis=-1)
