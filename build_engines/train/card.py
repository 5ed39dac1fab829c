"""The model card beside an adapter, written from its figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from build_engines.signals.job import CURVE, DEPTHS, FIGURES
from build_engines.tasks import Task


def write(folder: Path, name: str, task: Task, trunk: str) -> None:
    """`README.md` in an adapter's folder, in the place of PEFT's template."""
    lines = [*_head(name, task, trunk), *_data(folder), *_quality(folder)]
    lines += [*_table_of(folder / DEPTHS, "Depth", DEPTH_WORDS)]
    lines += [*_table_of(folder / CURVE, "Learning curve", CURVE_WORDS)]
    lines += ["## Limits", "", *(f"- {one}" for one in task.limits), ""]
    (folder / "README.md").write_text("\n".join(lines), encoding="utf-8")


DEPTH_WORDS = (
    "How many of the last layers that are read the adapter changes (0: a head alone), same texts, "
    "seed and learning rate; by the validation split."
)
CURVE_WORDS = "The same training on a share of the texts; by the whole validation split."


def _head(name: str, task: Task, trunk: str) -> Iterator[str]:
    plan = task.training
    yield f"# {name}"
    yield ""
    yield (
        f"A {task.kind} classifier: a LoRA adapter on the last {plan.depth} of the layers of the "
        f"encoder in `build_engines/models/{trunk}.toml`, and a head. PEFT loads it as it is. "
        f"Rank {plan.rank}, alpha {plan.alpha}, {plan.epochs} epochs at {plan.rate:g}, seed "
        f"{plan.seed}: `make train TASK={name}`. Written by `build_engines/train/card.py`."
    )
    yield ""


def _data(folder: Path) -> Iterator[str]:
    report = _read(folder / FIGURES)
    yield "## Data"
    yield ""
    yield "Sources and licences: `build_engines/data/README.md`. No near-duplicate crosses a split."
    yield ""
    yield from table(["split", "texts"], [[split, n] for split, n in report["texts"].items()])
    yield ""
    yield from table(["source", "texts in training"], list(report["sources"].items()))
    yield ""


def _quality(folder: Path) -> Iterator[str]:
    report = _read(folder / FIGURES)
    yield "## Quality on the test split"
    yield ""
    names = ("accuracy", "macro_f1", "calibration_error", "temperature")
    yield from table(["figure", "value"], [[n, report[n]] for n in names if n in report])
    yield ""
    if "languages" in report:
        known = ", ".join(report["languages"] or ()) or "none"
        yield f"Read well enough by the validation split (`train/languages.py`): {known}."
        yield ""
    if "surety" in report:
        slope, bias = report["surety"].values()
        yield f"A span's score: {slope} times the logit of its words' mean probability, {bias:+}"
        yield "(fitted on the validation split: how often it touches a true span of its label)."
        yield ""
    for rate in ("0.01", "0.05"):
        if found := report.get(f"recall_at_{rate}"):
            yield f"Recall where {float(rate):.0%} of the harmless are flagged: {found['recall']}."
            yield ""
    if "per_label" in report:
        rows = [[label, *found.values()] for label, found in report["per_label"].items()]
        yield from table(["label", "texts", "recall", "precision"], rows)
        yield ""
    if "spans" in report:
        rows = [[label, *found.values()] for label, found in report["spans"].items()]
        yield from table(["label", "spans", "precision", "recall", "F1"], rows)
        yield ""
    if "slices" in report:
        rows = [[key, *found.values()] for key, found in report["slices"].items()]
        yield from table(["slice", "texts", "accuracy"], rows)
        yield ""


def _table_of(path: Path, title: str, words: str) -> Iterator[str]:
    if not path.is_file():
        return
    rows: list[Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    yield from (f"## {title}", "", words, "")
    yield from table(list(rows[0]), [list(row.values()) for row in rows])
    yield ""


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Markdown."""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(map(str, row))} |"


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
