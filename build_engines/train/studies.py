"""What an adapter's depth, and more texts, are worth: the same training several times over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from build_engines.signals.job import CURVE, DEPTHS, FIGURES
from build_engines.tasks import Task
from build_engines.train import rows, run
from build_engines.train.run import Bench

SHARES = (0.25, 0.5)  # and the whole, which is the adapter itself
# The most texts that depths are compared upon: all layers of all texts would take hours.
COMPARED = {"sequence": 2000, "token": 1000}


def write(bench: Bench, name: str, task: Task, folder: Path) -> None:
    """`depths.json` and `curve.json` into an adapter's folder, for its card."""
    texts = len(rows.load(name)["train"])
    layers = task.layers or int(bench.encoder.config.num_hidden_layers)
    # A sentence encoder's tokens, as they are, tell a head too little.
    depths = (0, 1, 2, layers) if task.kind == "sequence" else (1, 2, layers)
    share = min(1.0, COMPARED[task.kind] / texts)
    found = [_trained(bench, name, _deep(task, depth), share) for depth in depths]
    _put(folder / DEPTHS, [{"depth": d} | one for d, one in zip(depths, found, strict=True)])
    found = [_trained(bench, name, task, share) for share in SHARES]
    found.append(_said(json.loads((folder / FIGURES).read_text(encoding="utf-8"))))
    _put(folder / CURVE, [{"share": s} | one for s, one in zip((*SHARES, 1), found, strict=True)])


def _deep(task: Task, depth: int) -> Task:
    plan = task.training.model_copy(update={"depth": depth})
    return task.model_copy(update={"training": plan})


def _trained(bench: Bench, name: str, task: Task, share: float) -> dict[str, Any]:
    _, told = run.train(bench, name, task, share, tested=False)
    print(name, task.training.depth, share, said := _said(told), flush=True)
    return said


def _said(told: Mapping[str, Any]) -> dict[str, Any]:
    """What the card says of one training, out of its figures."""
    said = {"texts": told["texts"]["train"], "loss": told["validation_loss"]}
    for figure, value in told["validation"].items():
        said[figure] = value["recall"] if isinstance(value, dict) else value
    return said


def _put(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")
