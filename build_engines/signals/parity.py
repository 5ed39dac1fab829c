"""The joined network, through the code that serves it, against PEFT's own models task by task.

The reference cuts windows with the checkpoint's own tokenizer and runs each task's model alone, one
window at a time. Its answers become `goldens.json`.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, SupportsFloat

import numpy as np
import torch
import transformers
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from build_engines import check_parity, receipt, weights
from build_engines.errors import ParityError
from build_engines.receipt import Receipt
from build_engines.signals.comparison import Expected, Floats, Reader, Spans, compare
from build_engines.signals.job import Labels, SignalsJob
from build_engines.spec import Text
from build_engines.tasks import Task
from build_engines.train import network

# Where a token's two best labels, or its begin and inside, are nearer than this, rounding decides.
TIE = 0.01


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
    sys.path.insert(0, str(job.code))
    try:
        module = importlib.import_module("reader")
    finally:
        sys.path.remove(str(job.code))
        for path in job.code.glob("*.py"):  # another model has modules of these names
            sys.modules.pop(path.stem, None)
    limits = module.Limits.read(job.spec.settings())
    return module, module.Reader.load(folder, "1", limits, job.spec.serving.threads)


def reference(job: SignalsJob, module: ModuleType, texts: list[str]) -> Expected:
    """What PEFT says of each task."""
    spec = job.spec.encoder()
    checkpoint = weights.find(spec, job.root).folder
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint, local_files_only=True)
    probabilities: dict[str, Floats] = {}
    entities: dict[str, list[Spans | None]] = {}
    for name, task in job.spec.tasks.items():
        model = network.reference(checkpoint, spec.ignore, task, job.adapters / name)
        heat = Labels.read(job.adapters / name).temperature
        cuts = [_cut(tokenizer, text, spec.text) for text in texts]
        rows = [[_probabilities(model, ids, heat) for ids in cut] for cut in cuts]
        if task.kind == "token":
            entities[name] = [
                _entities(module, tokenizer, text, found, spec.text)
                for text, found in zip(texts, rows, strict=True)
            ]
        else:
            probabilities[name] = np.stack(
                [
                    _over_windows(job, name, task, cut, found)
                    for cut, found in zip(cuts, rows, strict=True)
                ]
            )
    return Expected(check_parity.reference(spec, checkpoint, texts), probabilities, entities)


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


def _entities(
    module: ModuleType,
    tokenizer: PreTrainedTokenizerBase,
    text: str,
    rows: list[Floats],
    limits: Text,
) -> Spans | None:
    """The served code joins windows and reads spans; what it reads is PEFT's."""
    encoding = tokenizer.backend_tokenizer
    encoding.no_truncation()
    encoding.no_padding()
    whole = encoding.encode(text[: limits.max_characters], add_special_tokens=False)
    step, room = limits.window - 2 - limits.overlap, limits.window - 2
    windows = [(at * step, min(at * step + room, len(whole.ids))) for at in range(len(rows))]
    tokens = module.joined([row[1:-1] for row in rows], windows)
    if _tied(tokens):
        return None
    count = len(tokens)
    found = module.entities(tokens, whole.offsets[:count], whole.word_ids[:count], text)
    return [(one.start, one.stop, one.label, one.score) for one in found]


def _tied(tokens: Floats) -> bool:
    """Whether rounding could give other spans."""
    begin, inside = tokens[:, 1::2], tokens[:, 2::2]
    labels = np.sort(np.concatenate([tokens[:, :1], begin + inside], axis=1), axis=1)
    close = labels[:, -1] - labels[:, -2] < TIE
    sure = (begin + inside).max(1, initial=0) > 0.5
    marks = np.abs(begin - inside)[np.arange(len(tokens)), (begin + inside).argmax(1)] < TIE
    return bool((close | (marks & sure)).any())


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
