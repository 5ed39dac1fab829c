"""Which model a prompt asks for: text, image or both (spec/signals.md 2.12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from build_engines.data import Example, domain
from build_engines.data.written import written
from orchestrator.signals.modality import TASK, Modality

LABELS = Modality.tasks[TASK]


# An order about a text in another language wants a text.
QUOTED_IN = 12
QUOTERS = (
    "Translate this to English: {}",
    "Summarise: {}",
    "What does this mean? {}",
    "Correct the mistakes in this sentence: {}",
    'Please translate "{}" for me',
    "Read this and list the names: {}",
    "Rewrite politely: {}",
    "Which language is this: {}",
)
# Of the questions on a subject: so that a plain one is not taken for half of "with a diagram".
ONE_IN = 30


def examples() -> Iterator[Example]:
    """The written texts, label by label, each in the order of its file; then plain questions."""
    folder = Path(__file__).parent / "modality"
    for label in LABELS:
        yield from written(folder, label, label.lower())
    subjects = (row for row in domain.examples() if row.label != "other")
    for row in islice(subjects, 0, None, ONE_IN):
        yield replace(row, label="AR", source="other tasks", kind="subject")
    foreign = (row for row in domain.examples() if row.language != "en")
    for at, row in enumerate(islice(foreign, 0, None, QUOTED_IN)):
        text = QUOTERS[at % len(QUOTERS)].format(row.text)
        yield replace(
            row, text=text, label="AR", source="other tasks", kind="quoted", language="en"
        )
