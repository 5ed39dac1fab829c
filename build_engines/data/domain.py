"""domain: the subject of a text, out of the 14 of MMLU-Pro (labels: Wang et al. 2024)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from build_engines.data import Example
from build_engines.data.written import written
from orchestrator.signals.domain import TASK, Domain

LABELS = Domain.tasks[TASK]

TEXTS = Path(__file__).parent / "domain"


def examples() -> Iterator[Example]:
    """Written questions and requests, short and long, in seven languages."""
    for label in LABELS:
        yield from written(TEXTS, label, label.replace(" ", "_"))
