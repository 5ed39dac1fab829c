"""One task from labelled texts to a saved adapter with its temperature and figures."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from transformers import PreTrainedModel

from build_engines import spec as specs
from build_engines import tasks, weights
from build_engines.data import Example, Split
from build_engines.job import sha256
from build_engines.signals import served
from build_engines.signals.job import FIGURES, Labels
from build_engines.spec import HubSource, Spec
from build_engines.tasks import Signals, Task
from build_engines.train import figures, hidden, network, report, rows, surety
from build_engines.train.fit import Job, fit, logits, over_windows
from build_engines.train.languages import trusted
from build_engines.train.parts import Part

Floats = npt.NDArray[np.float32]
# Of the validation split: by these, and by no test, depths and settings are chosen.
STUDIED = ("accuracy", "macro_f1", "recall_at_0.01")


@dataclass(frozen=True, slots=True)
class Bench:
    """What all tasks share: the trunk's checkpoint, its tokenizer, and where things are kept."""

    spec: Spec
    checkpoint: Path
    tokenizer: Tokenizer
    encoder: PreTrainedModel
    build: Path
    served: Path  # the code that will serve the tasks

    @classmethod
    def of(cls, signals: Signals, root: Path) -> Bench:
        spec = specs.read(specs.path_of(signals.trunk))
        checkpoint = weights.find(spec, root).folder
        tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        encoder = weights.load(checkpoint, spec.ignore, attention="sdpa")
        # What is kept of one checkpoint must not be taken for another's.
        kept = root / "build" / "train" / sha256(checkpoint / "model.safetensors")[:12]
        served = root / "model_repository" / signals.name / "1"
        return cls(spec, checkpoint, tokenizer, encoder, kept, served)

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


def train(
    bench: Bench, name: str, task: Task, share: float = 1.0, *, tested: bool = True
) -> tuple[Job, dict[str, Any]]:
    """Train one task. Gives the network and its figures, on the test split where it is `tested`.

    `share`: of the training texts, drawn evenly from all of them; the other splits stay whole.
    """
    divided = rows.load(name)
    if not tested:
        del divided["test"]
    divided["train"] = _drawn(divided["train"], share)
    parts: dict[Split, Part] = {
        split: bench.part(name, task, examples, task.kind == "token" and split == "train")
        for split, examples in divided.items()
    }
    job = bench.job(name, task)
    keep = bench.build / name / f"state-{_key(task, parts['train'], parts['validation'])}.pt"
    best = fit(job, parts["train"], parts["validation"], keep)
    check = parts["validation"]
    heat = _heat(job, check)
    told = {
        "task": name,
        "depth": task.training.depth,
        "texts": {split: len(part.rows) for split, part in parts.items()},
        "sources": dict(Counter(one.source for one in parts["train"].rows.examples)),
        "validation_loss": round(best, 4),
        "temperature": heat,
        "training": task.training.model_dump(),
    }
    if task.kind == "token":
        values = logits(job, check)
        spans = report.tokens(name, check, values)["spans"]
        told["validation"] = {"span_f1": spans["all"]["f1"]}
        shares = torch.softmax(torch.from_numpy(values) / heat, -1).numpy()
        module = served.code(bench.served)
        told["surety"] = surety.fitted(
            module, bench.tokenizer, bench.spec.text, name, check.rows, shares
        )
        if not tested:
            return job, told
        return job, told | report.tokens(name, parts["test"], logits(job, parts["test"]))
    scores = _scores(job, check, heat)
    if not job.positive:  # a guard reads every language
        right = scores.argmax(1) == check.rows.targets
        told["languages"] = trusted(check.rows.examples, right)
    checked = report.sequences(job, name, check, scores)
    told["validation"] = {key: checked[key] for key in STUDIED if key in checked}
    if not tested:
        return job, told
    scores = _scores(job, parts["test"], heat)
    return job, told | report.sequences(job, name, parts["test"], scores)


def _heat(job: Job, part: Part) -> float:
    """The temperature of the task, by the validation split."""
    if job.task.kind == "token":
        real = part.rows.targets != rows.IGNORED
        return figures.temperature(logits(job, part)[real], part.rows.targets[real])
    return figures.temperature(_logs(job, part, 1.0), part.rows.targets)


def _scores(job: Job, part: Part, heat: float) -> Floats:
    """Probabilities of texts, [texts, classes]."""
    scores: Floats = np.exp(_logs(job, part, heat))
    return scores


def _logs(job: Job, part: Part, heat: float) -> Floats:
    values, owner, lengths = logits(job, part), part.rows.owner, part.rows.lengths
    logs: Floats = over_windows(
        job, torch.from_numpy(values) / heat, torch.from_numpy(owner), torch.from_numpy(lengths)
    ).numpy()
    return logs


def _drawn(examples: list[Example], share: float) -> list[Example]:
    count = round(share * len(examples))
    return [examples[at * len(examples) // count] for at in range(count)]


def _key(task: Task, train: Part, check: Part) -> str:
    """Of all that a half-done training goes on with: how, on what, and by what it is judged."""
    digest = hashlib.sha256(task.model_dump_json(exclude={"limits"}).encode())
    for part in (train.rows, check.rows):
        for one in (part.ids, part.lengths, part.owner, part.targets, part.beside):
            digest.update(one.tobytes())
    return digest.hexdigest()[:16]


def save(job: Job, told: dict[str, Any], folder: Path) -> None:
    """The adapter in PEFT's format, and the figures beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    job.network.save_pretrained(str(folder))
    (folder / "adapter_model.safetensors").chmod(0o644)
    languages = told.get("languages")
    known = tasks.labels(told["task"])
    Labels(known, told["temperature"], languages, told.get("surety")).write(folder)
    (folder / FIGURES).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
