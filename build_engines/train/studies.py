"""What an adapter's depth, and more texts, are worth: the same training several times over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from build_engines.tasks import Task
from build_engines.train import run
from build_engines.train.card import CURVE, DEPTHS
from build_engines.train.run import Bench

SHARES = (0.25, 0.5, 1.0)


def write(bench: Bench, name: str, task: Task, folder: Path) -> None:
    """`depths.json` and `curve.json` into an adapter's folder, for its card."""
    layers = int(bench.encoder.config.num_hidden_layers)
    # A head over single tokens alone, and all layers of a token task, are out of the question.
    depths = (0, 1, 2, layers) if task.kind == "sequence" else (1, 2, 3)
    found = [_trained(bench, name, _deep(task, depth), 1.0) for depth in depths]
    _put(folder / DEPTHS, [{"depth": d} | one for d, one in zip(depths, found, strict=True)])
    found = [_trained(bench, name, task, share) for share in SHARES]
    _put(folder / CURVE, [{"share": s} | one for s, one in zip(SHARES, found, strict=True)])


def _deep(task: Task, depth: int) -> Task:
    plan = task.training.model_copy(update={"depth": depth})
    return task.model_copy(update={"training": plan})


def _trained(bench: Bench, name: str, task: Task, share: float) -> dict[str, Any]:
    _, report = run.train(bench, name, task, share)
    quality: dict[str, Any] = {
        key: report[key] for key in ("accuracy", "macro_f1") if key in report
    }
    if "spans" in report:
        quality["span_f1"] = report["spans"]["all"]["f1"]
    if "recall_at_0.01" in report:
        quality["recall_at_0.01"] = report["recall_at_0.01"]["recall"]
    said = {"texts": report["texts"]["train"], "validation_loss": report["validation_loss"]}
    print(name, task.training.depth, share, said | quality, flush=True)
    return said | quality


def _put(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
