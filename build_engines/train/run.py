"""One task from labelled texts to a saved adapter with its temperature and figures."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsFloat

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from transformers import PreTrainedModel

from build_engines import spec as specs
from build_engines import tasks, weights
from build_engines.data import Example, Span, Split
from build_engines.job import sha256
from build_engines.signals.job import Labels
from build_engines.spec import HubSource, Spec
from build_engines.tasks import Task
from build_engines.train import figures, hidden, network, rows
from build_engines.train.fit import Job, fit, logits, over_windows
from build_engines.train.languages import trusted
from build_engines.train.parts import Part
from orchestrator.quality.calibration import calibration_error
from orchestrator.quality.classes import macro_f1
from orchestrator.quality.ranking import recall_at
from orchestrator.quality.spans import span_f1

Floats = npt.NDArray[np.float32]
SLICE = 20  # fewest texts of a slice that is reported


@dataclass(frozen=True, slots=True)
class Bench:
    """What all tasks share: the trunk's checkpoint, its tokenizer, and where things are kept."""

    spec: Spec
    checkpoint: Path
    tokenizer: Tokenizer
    encoder: PreTrainedModel
    build: Path

    @classmethod
    def of(cls, trunk: str, root: Path) -> Bench:
        spec = specs.read(specs.path_of(trunk))
        checkpoint = weights.find(spec, root).folder
        tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        encoder = weights.load(checkpoint, spec.ignore, attention="sdpa")
        # What is kept of one checkpoint must not be taken for another's.
        kept = root / "build" / "train" / sha256(checkpoint / "model.safetensors")[:12]
        return cls(spec, checkpoint, tokenizer, encoder, kept)

    def part(self, name: str, task: Task, examples: list[Example], thin: bool = False) -> Part:
        found = rows.windowed(name, task.kind, examples, self.tokenizer, self.spec.text, thin)
        layers = task.layers or int(self.encoder.config.num_hidden_layers)
        below = layers - task.training.depth
        return Part(found, hidden.states(self.encoder, found, below, self.build / name, name))

    def job(self, name: str, task: Task) -> Job:
        labels = tasks.labels(name)
        classes = labels if task.kind == "sequence" else rows.bio(labels)
        model = network.bare(self.checkpoint, self.spec.ignore, task, len(classes))
        positive = tuple(labels.index(label) for label in task.positive)
        adapted = network.adapted(model, task)
        # Whoever loads the adapter finds the encoder there; where it was found here is nobody's.
        hub = next((one for one in self.spec.sources if isinstance(one, HubSource)), None)
        adapted.peft_config["default"].base_model_name_or_path = hub and hub.repository
        return Job(adapted, task, positive)


def train(bench: Bench, name: str, task: Task, share: float = 1.0) -> tuple[Job, dict[str, Any]]:
    """Train one task. Gives the network and its figures on the test split.

    `share`: of the training texts, drawn evenly from all of them; the other splits stay whole.
    """
    divided = rows.load(name)
    divided["train"] = _drawn(divided["train"], share)
    parts: dict[Split, Part] = {
        split: bench.part(name, task, examples, task.kind == "token" and split == "train")
        for split, examples in divided.items()
    }
    job = bench.job(name, task)
    keep = bench.build / name / f"state-{_key(task, parts['train'])}.pt"
    best = fit(job, parts["train"], parts["validation"], keep)
    check = logits(job, parts["validation"])
    if task.kind == "token":
        targets = parts["validation"].rows.targets
        real = targets != rows.IGNORED
        heat = figures.temperature(check[real], targets[real])
    else:
        heat = figures.temperature(
            _texts(job, parts["validation"], check, 1.0), parts["validation"].rows.targets
        )
    found = logits(job, parts["test"])
    report = {
        "task": name,
        "depth": task.training.depth,
        "texts": {split: len(part.rows) for split, part in parts.items()},
        "sources": dict(Counter(one.source for one in parts["train"].rows.examples)),
        "validation_loss": round(best, 4),
        "temperature": heat,
        "training": task.training.model_dump(),
    }
    if task.kind == "token":
        return job, report | _tokens(name, parts["test"], found)
    if not job.positive:  # a guard reads every language
        tried = parts["validation"].rows
        right = _texts(job, parts["validation"], check, heat).argmax(1) == tried.targets
        report["languages"] = trusted(tried.examples, right)
    scores = np.exp(_texts(job, parts["test"], found, heat))
    return job, report | _sequence(job, name, parts["test"], scores)


def _drawn(examples: list[Example], share: float) -> list[Example]:
    count = round(share * len(examples))
    return [examples[at * len(examples) // count] for at in range(count)]


def _key(task: Task, part: Part) -> str:
    """Of everything that a half-done training goes on with."""
    plan = task.training.model_dump_json() + task.over_windows
    data = part.rows.ids.tobytes() + part.rows.targets.tobytes()
    return hashlib.sha256(plan.encode() + data).hexdigest()[:16]


def _texts(job: Job, part: Part, values: Floats, heat: float) -> Floats:
    """Log-probabilities of texts, from the logits of their windows."""
    owner = torch.from_numpy(part.rows.owner)
    lengths = torch.from_numpy(part.rows.lengths)
    logs: Floats = over_windows(job, torch.from_numpy(values) / heat, owner, lengths).numpy()
    return logs


def _sequence(job: Job, name: str, part: Part, scores: Floats) -> dict[str, Any]:
    labels = tasks.labels(name)
    wanted, found = part.rows.targets, scores.argmax(1)
    report: dict[str, Any] = {
        "accuracy": _rounded((found == wanted).mean()),
        "macro_f1": _rounded(macro_f1(found, wanted, len(labels))),
        "calibration_error": _rounded(calibration_error(scores, wanted)),
        "per_label": {
            label: {
                "texts": int((wanted == at).sum()),
                "recall": _rounded((found[wanted == at] == at).mean()),
                "precision": _rounded((wanted[found == at] == at).mean() if at in found else 0.0),
            }
            for at, label in enumerate(labels)
            if (wanted == at).any()
        },
        "slices": {
            key: {"texts": len(at), "accuracy": _rounded((found[at] == wanted[at]).mean())}
            for key, at in slices(part.rows.examples)
        },
    }
    if job.positive:
        risk, positive = scores[:, list(job.positive)].sum(1), np.isin(wanted, job.positive)
        for rate in (0.01, 0.05):
            recall, threshold = recall_at(risk, positive, rate)
            report[f"recall_at_{rate:g}"] = {
                "recall": _rounded(recall),
                "threshold": _rounded(threshold),
            }
    return report


def slices(examples: Sequence[Example]) -> Iterator[tuple[str, list[int]]]:
    """Texts by language, kind and source, where there are enough."""
    found: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(examples):
        for key in (one.language, one.kind and f"kind {one.kind}", f"source {one.source}"):
            if key:
                found[key].append(at)
    return ((key, at) for key, at in sorted(found.items()) if len(at) >= SLICE)


def _tokens(name: str, part: Part, values: Floats) -> dict[str, Any]:
    classes = rows.bio(tasks.labels(name))
    chosen = values.argmax(1)
    real = part.rows.targets != rows.IGNORED
    # Special tokens stay, as O: no span goes on from one window or text into the next.
    found = [classes[at] if is_real else "O" for at, is_real in zip(chosen, real, strict=True)]
    wanted = [classes[max(0, at)] for at in part.rows.targets]
    spans = [set(token_spans(side)) for side in (found, wanted)]
    report: dict[str, Any] = {"accuracy": _rounded((chosen == part.rows.targets)[real].mean())}
    for label in (*tasks.labels(name), ""):
        mine = [{one for one in side if label in ("", one.label)} for side in spans]
        if mine[1]:
            scores = span_f1([list(mine[0])], [list(mine[1])])
            key = label or "all"
            report.setdefault("spans", {})[key] = {
                "count": len(mine[1]),
                "precision": _rounded(scores[0]),
                "recall": _rounded(scores[1]),
                "f1": _rounded(scores[2]),
            }
    return report


def token_spans(marks: Sequence[str]) -> Iterator[Span]:
    """Spans over token positions, from BIO marks."""
    start, label = 0, ""
    for at, mark in enumerate((*marks, "O")):
        kind, _, name = mark.partition("-")
        if label and (kind != "I" or name != label):
            yield Span(start, at, label)
            label = ""
        if kind != "O" and not label:
            start, label = at, name


def save(job: Job, report: dict[str, Any], folder: Path) -> None:
    """The adapter in PEFT's format, and the figures beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    job.network.save_pretrained(str(folder))
    (folder / "adapter_model.safetensors").chmod(0o644)
    languages = tuple(report.get("languages", ()))
    Labels(tasks.labels(report["task"]), report["temperature"], languages).write(folder)
    (folder / "figures.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _rounded(value: SupportsFloat) -> float:
    return round(float(value), 4)
