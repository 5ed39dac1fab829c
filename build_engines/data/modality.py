"""Which model a prompt asks for: text, image or both (spec/signals.md 2.12)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from build_engines.data import Example
from build_engines.data.written import written
from orchestrator.signals.modality import TASK, Modality

LABELS = Modality.tasks[TASK]


def examples() -> Iterator[Example]:
    """The written texts, label by label, each in the order of its file."""
    folder = Path(__file__).parent / "modality"
    for label in LABELS:
        yield from written(folder, label, label.lower())
