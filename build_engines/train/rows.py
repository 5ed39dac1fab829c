"""Labelled texts into windows of token ids, and token labels for spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from build_engines import tasks
from build_engines.data import Example, Split, splits
from build_engines.spec import Text

Ints = npt.NDArray[np.int64]
IGNORED = -100  # torch's cross-entropy leaves such a token out

# The most windows of one text in training: more would let few long texts outweigh the rest.
MOST_WINDOWS = 8


@dataclass(frozen=True, slots=True)
class Rows:
    """The texts of one split and their windows, end to end."""

    examples: list[Example]
    ids: Ints  # [tokens], [CLS] and [SEP] of every window included
    lengths: Ints  # [windows]
    owner: Ints  # [windows], index into `examples`
    targets: Ints  # [examples] the class, or [tokens] of a token task, IGNORED at special tokens
    # [windows], of a sequence task: it has nothing of the span for which its text is labelled.
    beside: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.examples)


def bio(labels: Sequence[str]) -> tuple[str, ...]:
    """O, then B- and I- of each label: the classes of a token task."""
    return ("O", *(f"{mark}-{label}" for label in labels for mark in "BI"))


def load(task: str) -> dict[Split, list[Example]]:
    """The task's examples by split; a row that resembles a test row is in no split."""
    examples = list(import_module(f"build_engines.data.{task}").examples())
    divided: dict[Split, list[Example]] = {"train": [], "validation": [], "test": []}
    for example, split in zip(examples, splits.assign(task, examples), strict=True):
        if split is not None:
            divided[split].append(example)
    return divided


def windowed(
    task: str,
    kind: Literal["sequence", "token"],
    examples: list[Example],
    tokenizer: Tokenizer,
    text: Text,
    thin: bool = False,
) -> Rows:
    """Tokenize and cut as the served model does (`text` is its spec).

    `thin` leaves out the later windows of a text that have no span: they teach a token task little
    and are most of its tokens.
    """
    classes = tasks.labels(task)
    token_task = kind == "token"
    numbers = {name: at for at, name in enumerate(bio(classes) if token_task else classes)}
    # An empty text in its frame.
    head, tail = tokenizer.encode("").ids
    room, step = text.window - 2, text.window - 2 - text.overlap
    ids: list[int] = []
    lengths, owner, targets, beside = [], [], [], []
    encodings = tokenizer.encode_batch([one.text for one in examples], add_special_tokens=False)
    for at, (example, encoding) in enumerate(zip(examples, encodings, strict=True)):
        marks = list(_marks(example, encoding.offsets, numbers)) if token_task else []
        starts = range(0, max(1, len(encoding.ids) - text.overlap), step)[:MOST_WINDOWS]
        for start in starts:
            if thin and start and not any(marks[start : start + room]):
                continue
            part = encoding.ids[start : start + room]
            ids += [head, *part, tail]
            lengths.append(len(part) + 2)
            owner.append(at)
            beside.append(not token_task and _beside(example, encoding.offsets[start:][:room]))
            if token_task:
                targets += [IGNORED, *marks[start : start + room], IGNORED]
        if not token_task:
            targets.append(numbers[example.label])
    arrays = (np.array(one) for one in (ids, lengths, owner, targets, beside))
    return Rows(examples, *arrays)


def _beside(example: Example, offsets: Sequence[tuple[int, int]]) -> bool:
    """The text has spans, and this window none of them."""
    if not example.spans or not offsets:
        return False
    start, stop = offsets[0][0], offsets[-1][1]
    return all(span.stop <= start or stop <= span.start for span in example.spans)


def _marks(
    example: Example, offsets: Sequence[tuple[int, int]], numbers: dict[str, int]
) -> Iterator[int]:
    """The class of each token: B- of the span that begins in it, I- inside, O elsewhere."""
    spans = iter(sorted(example.spans, key=lambda span: span.start))
    span, begun = next(spans, None), False
    for start, stop in offsets:
        while span is not None and span.stop <= start:
            span, begun = next(spans, None), False
        if span is None or stop <= span.start:
            yield numbers["O"]
        else:
            yield numbers[f"{'I' if begun else 'B'}-{span.label}"]
            begun = True
