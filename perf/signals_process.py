"""CPU time of a text in this process: one pass for all tasks, against the embedding alone and
against six models that each read the text.

The served code runs, tokenizing included, on one thread. The six models are six networks of the
encoder with weights of their own and without any head: less than six classifiers would cost.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import time
from collections.abc import Callable
from statistics import median
from types import ModuleType
from typing import Any

from perf.embedding_load import MODEL, REPOSITORY, Question, prose_of_length
from perf.record import ratio

SIGNALS = "text_signals"
LENGTHS = (16, 32, 64, 256)  # tokens; the limits below hold at 64 and 256
TEXTS = 6  # of each length, each round; the first of each arm is not counted

SINGLE, ALL, SEPARATE = "embedding alone", "six tasks and embedding", "six models"
POOLED, NONE = "five sequence tasks and embedding", "embedding by text_signals"

Call = Callable[[str], object]


def everything() -> Question:
    """All tasks and all outputs of text_signals."""
    kinds = tasks()
    names = [name for task, kind in kinds.items() for name in _outputs(task, kind)]
    return Question(SIGNALS, ("EMBEDDING", "WINDOWS", "TRUNCATED", *names), ",".join(kinds))


def tasks() -> dict[str, str]:
    """Task -> its kind, "sequence" or "token"."""
    stated = json.loads((REPOSITORY / SIGNALS / "labels.json").read_text(encoding="utf-8"))
    return {name: one["kind"] for name, one in stated.items()}


def _outputs(task: str, kind: str) -> tuple[str, ...]:
    if kind == "token":
        return f"SPANS_{task}", f"SPAN_SCORES_{task}"
    return (f"PROBS_{task}",)


def served(name: str) -> ModuleType:
    """A module of the code that Triton serves."""
    folder = str(REPOSITORY / SIGNALS / "1")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def limits() -> object:
    """As the config for CPUs states them."""
    config = (REPOSITORY / SIGNALS / "configs" / "cpu.pbtxt").read_text(encoding="utf-8")
    settings = dict(re.findall(r'key: "(\w+)".*string_value: "([^"]*)"', config))
    return served("sequences").Limits.read(settings)


def arms() -> dict[str, Call]:
    files = REPOSITORY / MODEL / "1/model.onnx", REPOSITORY / MODEL / "tokenizer.json"
    load = served("encoder").Encoder.load
    single, *six = [load(*files, limits(), threads=1) for _ in range(7)]
    reader = served("reader").Reader.load(REPOSITORY / SIGNALS, "1", limits(), threads=1)
    for each in (single, *six, reader):
        each.warm()
    kinds = tasks()
    pooled = [name for name, kind in kinds.items() if kind == "sequence"]
    return {
        SINGLE: lambda text: single.encode([text]),
        ALL: lambda text: reader.read([text], [list(kinds)]),
        POOLED: lambda text: reader.read([text], [pooled]),
        NONE: lambda text: reader.read([text], [[]]),
        SEPARATE: lambda text: [each.encode([text]) for each in six],
    }


def measure(rounds: int) -> dict[str, Any]:
    calls = arms()
    seen: dict[int, dict[str, list[float]]] = {
        tokens: {name: [] for name in calls} for tokens in LENGTHS
    }
    for turn in range(rounds):
        for tokens, found in seen.items():
            _round(calls, prose_of_length(tokens, TEXTS, seed=turn), turn, found)
        print(f"process, round {turn + 1} of {rounds}", file=sys.stderr)
    return {f"{tokens} tokens": _summary(found) for tokens, found in seen.items()}


def _round(
    calls: dict[str, Call], texts: list[str], turn: int, found: dict[str, list[float]]
) -> None:
    """Arm after arm; who begins changes from round to round.

    The first text is not counted: it would measure how the arm before has emptied the caches.
    """
    names = list(calls)
    for name in names[turn % len(names) :] + names[: turn % len(names)]:
        call = calls[name]
        call(texts[0])
        before = time.process_time()
        for text in texts[1:]:
            call(text)
        found[name].append(1e3 * (time.process_time() - before) / (len(texts) - 1))


def _summary(found: dict[str, list[float]]) -> dict[str, Any]:
    return {
        "six tasks / single forward": ratio(found[ALL], found[SINGLE]),
        "six tasks / six models": ratio(found[ALL], found[SEPARATE]),
        "without the token task / single forward": ratio(found[POOLED], found[SINGLE]),
        "no task / single forward": ratio(found[NONE], found[SINGLE]),
        "CPU ms a text": {name: round(median(values), 2) for name, values in found.items()},
    }
