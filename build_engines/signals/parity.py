"""The joined network, through the code that serves it, against PEFT's own models task by task.

The reference cuts windows with the checkpoint's own tokenizer and runs each task's model alone, one
window at a time. Its answers become `goldens.json`.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, SupportsFloat

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from build_engines import check_parity, receipt, weights
from build_engines.errors import ParityError
from build_engines.receipt import Receipt
from build_engines.signals import classifiers
from build_engines.signals.comparison import Expected, Floats, Reader, Spans, compare
from build_engines.signals.job import Labels, SignalsJob
from build_engines.signals.served import code
from build_engines.signals.served import entities as served_entities
from build_engines.spec import Text
from build_engines.tasks import Task
from build_engines.train import network


def run(job: SignalsJob) -> str:
    """The step: compare with PEFT, leave goldens and a receipt."""
    receipt.require("export", job)
    names, texts = golden_texts(job)
    with tempfile.TemporaryDirectory() as folder:
        module, reader = served(job, Path(folder))
        expected = reference(job, module, texts)
        refuse_wrong_canaries(job, expected, names)
        figures = compare(job, reader, expected, texts)
    document = goldens(job, names, texts, expected)
    path = job.build / "goldens.json"
    path.write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")
    receipt.write(
        Receipt(
            step="parity",
            command=job.command("parity"),
            spec=job.spec.digest(),
            inputs=job.hashes(
                [job.build / "branches.onnx", job.build / "labels.json", job.network, job.texts]
                + [job.canaries, *check_parity.code_of(job.code)]
            ),
            outputs=job.hashes([path]),
            figures=figures,
            versions=receipt.versions(),
        ),
        job,
    )
    return f"{job.spec.name}: {_said(figures)} over {len(texts)} texts"


def golden_texts(job: SignalsJob) -> tuple[list[str], list[str]]:
    """The encoder's golden texts, and a canary for each class."""
    rows = json.loads(job.texts.read_text(encoding="utf-8"))
    canaries = tomllib.loads(job.canaries.read_text(encoding="utf-8"))
    names, texts = [row["name"] for row in rows], [row["text"] for row in rows]
    for task in job.spec.tasks:
        for label in Labels.read(job.adapters / task).labels:
            if label not in canaries.get(task, {}):
                raise ParityError(f"{job.canaries}: no canary of {task} {label}")
            names.append(f"canary {task}: {label}")
            texts.append(canaries[task][label])
    return names, texts


def served(job: SignalsJob, folder: Path) -> tuple[ModuleType, Reader]:
    """The served module `reader`, and a Reader of the build in `folder`."""
    (folder / "1").mkdir()
    shutil.copy(job.network, folder / "1" / "trunk.onnx")
    shutil.copy(job.build / "branches.onnx", folder / "1")
    shutil.copy(job.build / "labels.json", folder)
    shutil.copy(job.trunk / "tokenizer.json", folder)
    module = code(job.code)
    limits = module.Limits.read(job.spec.settings())
    return module, module.Reader.load(folder, "1", limits, job.spec.serving.threads)


def reference(job: SignalsJob, module: ModuleType, texts: list[str]) -> Expected:
    """What PEFT says of each task."""
    spec = job.spec.encoder()
    checkpoint = weights.find(spec, job.root, job.revision).folder
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint, local_files_only=True)
    probabilities: dict[str, Floats] = {}
    entities: dict[str, list[Spans | None]] = {}
    for name, task in job.spec.tasks.items():
        model = _reference(checkpoint, spec.ignore, task, job.adapters / name)
        stated = Labels.read(job.adapters / name)
        cuts = [_cut(tokenizer, text, spec.text) for text in texts]
        rows = [[_probabilities(model, ids, stated.temperature) for ids in cut] for cut in cuts]
        if task.kind == "token":
            plain = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
            plain.no_truncation()
            plain.no_padding()
            read = [
                served_entities(module, plain, text, found, spec.text, stated.spans)
                for text, found in zip(texts, rows, strict=True)
            ]
            entities[name] = [None if tied else found for found, tied in read]
        else:
            probabilities[name] = np.stack(
                [
                    _over_windows(job, name, task, cut, found)
                    for cut, found in zip(cuts, rows, strict=True)
                ]
            )
    return Expected(check_parity.reference(spec, checkpoint, texts), probabilities, entities)


def _reference(
    checkpoint: Path, ignore: tuple[str, ...], task: Task, folder: Path
) -> PreTrainedModel:
    if classifiers.architecture(checkpoint) == "bert":
        return network.reference(checkpoint, ignore, task, folder)
    return classifiers.load(checkpoint, ignore, task.kind, folder)


def _cut(tokenizer: PreTrainedTokenizerBase, text: str, limits: Text) -> list[list[int]]:
    cut = tokenizer(
        text[: limits.max_characters],
        truncation=True,
        max_length=limits.window,
        stride=limits.overlap,
        return_overflowing_tokens=True,
    )
    windows: list[list[int]] = cut["input_ids"][: limits.max_windows]
    return windows


def _probabilities(model: PreTrainedModel, ids: list[int], heat: float) -> Floats:
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([ids])).logits[0] / heat
    found: Floats = torch.softmax(logits, -1).numpy()
    return found


def _over_windows(
    job: SignalsJob, name: str, task: Task, cut: list[list[int]], rows: list[Floats]
) -> Floats:
    if task.over_windows == "max":
        known = Labels.read(job.adapters / name).labels
        positive = [known.index(label) for label in task.positive]
        return max(rows, key=lambda row: float(row[positive].sum()))
    weights = [max(1, len(ids) - 2) for ids in cut]
    return np.asarray(np.average(rows, axis=0, weights=weights), np.float32)


def refuse_wrong_canaries(job: SignalsJob, expected: Expected, names: Sequence[str]) -> None:
    """Raises ParityError that names every canary to which PEFT gives another class."""
    wrong = []
    for at, name in enumerate(names):
        if not name.startswith("canary "):
            continue
        task, _, label = name.removeprefix("canary ").partition(": ")
        known = Labels.read(job.adapters / task).labels
        if job.spec.tasks[task].kind == "token":
            found = [known[one[2]] for one in expected.entities[task][at] or ()]
            right = label in found
        else:
            found = [known[int(expected.probabilities[task][at].argmax())]]
            right = found == [label]
        if not right:
            wrong.append(f"{task}: {label} is read as {', '.join(found) or 'nothing'}")
    if wrong:
        raise ParityError(f"{job.spec.name}: canaries fail: {'; '.join(wrong)}")


def goldens(
    job: SignalsJob, names: list[str], texts: list[str], expected: Expected
) -> dict[str, Any]:
    """What model_repository/README.md describes."""
    tolerance = job.spec.tolerance.model_dump(include={"cosine", "probability", "span_score"})
    return {
        "model": job.spec.name,
        "tolerance": tolerance,
        "reference": {"torch": torch.__version__, "transformers": transformers.__version__},
        "names": names,
        "texts": texts,
        "windows": expected.embeddings.windows,
        "truncated": expected.embeddings.truncated,
        "embeddings": [[_short(v) for v in row] for row in expected.embeddings.embeddings],
        "probabilities": {
            name: [[_short(v) for v in row] for row in rows]
            for name, rows in expected.probabilities.items()
        },
        "entities": {
            name: [row and [[*one[:3], round(one[3], 5)] for one in row] for row in rows]
            for name, rows in expected.entities.items()
        },
    }


def meets(job: SignalsJob, path: Path) -> str:
    """How near a build comes to goldens made earlier. Raises ParityError above the tolerance."""
    made = json.loads(path.read_text(encoding="utf-8"))
    embeddings = check_parity.Reference(
        np.asarray(made["embeddings"], np.float32), made["windows"], made["truncated"]
    )
    expected = Expected(
        embeddings,
        {name: np.asarray(rows, np.float32) for name, rows in made["probabilities"].items()},
        {
            name: [row if row is None else [(*one,) for one in row] for row in rows]
            for name, rows in made["entities"].items()
        },
    )
    with tempfile.TemporaryDirectory() as folder:
        _, reader = served(job, Path(folder))
        return _said(compare(job, reader, expected, made["texts"]))


def _short(value: SupportsFloat) -> float:
    return float(str(np.float32(value)))


def _said(figures: dict[str, Any]) -> str:
    off = max(figures["probability"].values(), default=0.0)
    return f"probabilities off by at most {off:.6f}, least cosine {figures['least_cosine']:.8f}"
