"""Labelled texts for the text classifiers: one module per task. This file is the contract.

A module `<task>.py` has `LABELS`, those of the signal that reads the task where there is one, and
`examples()`, which gives the same rows in the same order each time. Which rows train, tune or test
is decided in one place (`splits.py`), by group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Split = Literal["train", "validation", "test"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text: Python string indices, `stop` exclusive."""

    start: int
    stop: int
    label: str


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled text.

    `group` names what must stay on one side of a split: the template, seed or conversation it was
    made from (a written line is its own group). `kind` names a slice that is reported apart.
    `spans` are what a token task finds; of a sequence task, that upon which the label of a long
    text rests. `split` is given where a source comes divided; otherwise the group decides.
    """

    text: str
    label: str  # of a sequence task; empty where `spans` label the text
    source: str  # "written", "generated", or the name of the data set
    group: str
    language: str = "en"  # ISO 639-1
    kind: str = ""
    spans: tuple[Span, ...] = ()
    split: Split | None = None
