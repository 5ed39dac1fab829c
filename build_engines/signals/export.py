"""Adapters and heads into `branches.onnx` and `labels.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import onnx

from build_engines import receipt, tasks, weights
from build_engines.errors import WeightsError
from build_engines.receipt import Receipt
from build_engines.signals import adapter, classifiers, trunk, whole
from build_engines.signals.branches import Branch, added
from build_engines.signals.job import Labels, SignalsJob
from build_engines.train.rows import bio


def run(job: SignalsJob) -> str:
    """The step: branches for every task of the spec, and a receipt. Returns a line for people."""
    job.build.mkdir(parents=True, exist_ok=True)
    files = [job.network, *job.weights()]
    if job.spec.encoder().prefix:
        raise WeightsError(f"{job.spec.trunk}: no classifier knows the prefix before its texts")
    checkpoint = weights.find(job.spec.encoder(), job.root, job.revision).folder
    if classifiers.architecture(checkpoint) == "bert":
        read = branches(job)
        part = added(trunk.read(job.network, heads(checkpoint)), read)
        first = {name: one.weights.first for name, one in read.items()}
    else:
        check_labels(job)
        part = whole.added(job)
        first = dict.fromkeys(job.spec.tasks, 0)
    data = part.SerializeToString(deterministic=True)
    onnx.checker.check_model(onnx.load_from_string(job.network.read_bytes() + data))
    outputs = [job.build / "branches.onnx", job.build / "labels.json"]
    outputs[0].write_bytes(data)
    outputs[1].write_text(json.dumps(labels(job), indent=1) + "\n", encoding="utf-8")
    receipt.write(
        Receipt(
            step="export",
            command=job.command("export"),
            spec=job.spec.digest(),
            inputs=job.hashes(files),
            outputs=job.hashes(outputs),
            figures={"first_own_layer": first},
            versions=receipt.versions(),
        ),
        job,
    )
    return f"{job.spec.name}: {len(first)} tasks exported, {len(data) / 1e6:.1f} MB"


def heads(checkpoint: Path) -> int:
    """Attention heads, which the graph does not say."""
    config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    return int(config["num_attention_heads"])


def branches(job: SignalsJob) -> Mapping[str, Branch]:
    """Every task's own weights. Raises WeightsError where its labels are not those of its data."""
    read = {}
    for name, stated in check_labels(job).items():
        task = job.spec.tasks[name]
        own = adapter.read(job.adapters / name)
        classes = bio(stated.labels) if task.kind == "token" else stated.labels
        if len(own.classifier[1]) != len(classes):
            raise WeightsError(
                f"{name}: {len(own.classifier[1])} classes for {len(classes)} labels"
            )
        read[name] = Branch(task.kind == "token", own, stated.temperature, task.layers)
    return read


def check_labels(job: SignalsJob) -> dict[str, Labels]:
    """Of every task, as its folder states them. Raises WeightsError where its data has others."""
    found = {name: Labels.read(job.adapters / name) for name in job.spec.tasks}
    for name, stated in found.items():
        if stated.labels != tasks.labels(name):
            raise WeightsError(
                f"{name}: trained for {stated.labels}, the data has {tasks.labels(name)}"
            )
    return found


def labels(job: SignalsJob) -> dict[str, dict[str, object]]:
    """What travels with the model (model_repository/README.md)."""
    found: dict[str, dict[str, object]] = {}
    for name, task in job.spec.tasks.items():
        stated = Labels.read(job.adapters / name)
        found[name] = {
            "kind": task.kind,
            "labels": list(tasks.labels(name)),
            "over_windows": task.over_windows,
            "positive": list(task.positive),
            "temperature": stated.temperature,
        }
        if stated.languages is not None:
            found[name]["languages"] = list(stated.languages)
        if stated.spans is not None:
            found[name]["spans"] = dict(stated.spans)
    return found
