"""Does answering a prompt need verifiable facts about the world? (spec/signals.md 2.4)"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from build_engines.data import Example
from build_engines.data.written import written
from orchestrator.signals.fact_check import TASK, FactCheck

LABELS = FactCheck.tasks[TASK]


def examples() -> Iterator[Example]:
    """The written texts, label by label, each in the order of its file."""
    folder = Path(__file__).parent / "fact_check"
    for label in LABELS:
        yield from written(folder, label, label.lower())
