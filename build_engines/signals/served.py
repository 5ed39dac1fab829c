"""The code that serves text_signals, imported as Triton does: its folder on the path."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from build_engines.spec import Text

Floats = npt.NDArray[np.float32]
Spans = list[tuple[int, int, int, float]]  # start, stop, label, score

# Where a token's two best labels, or its begin and inside, are nearer than this, rounding decides.
TIE = 0.01


def code(folder: Path) -> ModuleType:
    """Its module `reader`, and with it what that imports."""
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("reader")
    finally:
        sys.path.remove(str(folder))
        for path in folder.glob("*.py"):  # another model has modules of these names
            sys.modules.pop(path.stem, None)


def entities(
    module: ModuleType,
    tokenizer: Tokenizer,
    text: str,
    windows: Sequence[Floats],
    limits: Text,
    spans: Mapping[str, float] | None = None,
) -> tuple[Spans, bool]:
    """The entities that the served code sees, and whether rounding could give others.

    `windows`: the probabilities of every window's tokens, special ones at its ends included.
    `tokenizer` neither truncates nor pads. `spans`: `labels.json` of a token task.
    """
    whole = tokenizer.encode(text[: limits.max_characters], add_special_tokens=False)
    step, room = limits.window - 2 - limits.overlap, limits.window - 2
    places = [(at * step, min(at * step + room, len(whole.ids))) for at in range(len(windows))]
    tokens = module.joined([row[1:-1] for row in windows], places)
    tied, count = _tied(tokens), len(tokens)
    surety = module.Surety(**(spans or {}))
    offsets, words = whole.offsets[:count], whole.word_ids[:count]
    found = module.entities(tokens, offsets, words, text, surety)
    return [(one.start, one.stop, one.label, one.score) for one in found], tied


def _tied(tokens: Floats) -> bool:
    begin, inside = tokens[:, 1::2], tokens[:, 2::2]
    labels = np.sort(np.concatenate([tokens[:, :1], begin + inside], axis=1), axis=1)
    close = labels[:, -1] - labels[:, -2] < TIE
    sure = (begin + inside).max(1, initial=0) > 0.5
    marks = np.abs(begin - inside)[np.arange(len(tokens)), (begin + inside).argmax(1)] < TIE
    return bool((close | (marks & sure)).any())
