"""How a user takes the last answer, read from the turn after it (spec/signals.md 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from build_engines.data import Example
from build_engines.data.written import written
from orchestrator.signals.user_feedback import TASK, UserFeedback

LABELS = UserFeedback.tasks[TASK]


def examples() -> Iterator[Example]:
    """The written texts, label by label, each in the order of its file."""
    folder = Path(__file__).parent / "user_feedback"
    for label in LABELS:
        yield from written(folder, label, label.lower())
