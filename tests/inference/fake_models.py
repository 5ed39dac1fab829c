"""What the models of a FakeTriton answer: a value of its own for each text and picture."""

import re

import numpy as np

from orchestrator.inference.tasks import Task

DIMENSION = 4
TASKS = {
    "domain": Task(("art", "law", "math")),
    "guard": Task(("fine", "danger")),
    "pii": Task(("AGE", "PHONE"), spans=True),
}


def vector(text: bytes) -> np.ndarray:
    """A unit vector of its own for each text."""
    raw = np.random.default_rng(list(text) + [len(text)]).normal(size=DIMENSION)
    return (raw / np.linalg.norm(raw)).astype(np.float32)


def probabilities(text: bytes, task: str) -> np.ndarray:
    """A distribution of its own for each text and sequence task."""
    raw = np.random.default_rng([*text, *task.encode()]).random(len(TASKS[task].labels))
    return (raw / raw.sum()).astype(np.float32)


def spans(text: bytes) -> list[tuple[int, int, int, float]]:
    """Numbers: start, stop, label (0 where it is short), score."""
    found = re.finditer(r"\d+", text.decode())
    return [(m.start(), m.end(), int(len(m[0]) > 2), 0.75) for m in found]


def pixels(picture: bytes) -> np.ndarray:
    """What the preprocessor makes of a file, of two by two pixels."""
    return np.random.default_rng([1, *picture]).normal(size=(3, 2, 2)).astype(np.float32)


def known(picture: bytes) -> float:
    return len(picture) / (len(picture) + 1)
