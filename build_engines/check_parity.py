"""The exported network, through the code that serves it, against PyTorch and transformers.

The reference shares nothing with the served code: the checkpoint's own tokenizer cuts windows
(`return_overflowing_tokens`), pooling is in plain PyTorch. Its answers become `goldens.json`.
"""

import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import transformers

from build_engines import receipt, weights
from build_engines.encoders import modules
from build_engines.errors import ParityError
from build_engines.job import Job
from build_engines.receipt import Receipt
from build_engines.spec import Spec

Floats = npt.NDArray[np.float32]
Encode = Callable[[list[str]], Any]  # to an `Encoded` of the served code

# Each text alone, by threes, by eights, all at once: padding and batching must not show.
BATCHES = (1, 3, 8, 1_000_000)


@dataclass(frozen=True, slots=True)
class Reference:
    embeddings: Floats  # [texts, d]
    windows: list[int]
    truncated: list[bool]


def run(job: Job[Spec]) -> str:
    """The step: compare the export with PyTorch, leave goldens and a receipt."""
    receipt.require("export", job)
    checkpoint = weights.find(job.spec, job.root, job.revision)
    figures = check(job.spec, checkpoint.folder, job.code, job.build, job.texts)
    network, tokenizer = job.build / "model.onnx", job.build / "tokenizer.json"
    receipt.write(
        Receipt(
            step="parity",
            command=job.command("parity"),
            spec=job.spec.digest(),
            inputs=job.hashes([network, tokenizer, job.texts, *code_of(job.code)]),
            outputs=job.hashes([job.build / "goldens.json"]),
            figures=figures,
            versions=receipt.versions(),
        ),
        job,
    )
    least = min(figures["least_cosine"].values())
    return f"{job.spec.name}: least cosine {least:.8f} over {figures['texts']} texts"


def code_of(folder: Path) -> list[Path]:
    """What the answers depend on; the rest only speaks to Triton."""
    return [path for path in folder.glob("*.py") if path.name not in {"model.py", "texts.py"}]


def reference(spec: Spec, folder: Path, texts: list[str]) -> Reference:
    """What PyTorch says, one text at a time, window by window."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = weights.load(folder, spec.ignore)
    layers = torch.nn.Sequential(*modules.dense(spec, folder))
    embeddings, windows, truncated = [], [], []
    for text in texts:
        cut = _prefixed(spec, tokenizer, text) if spec.prefix else _plain(spec, tokenizer, text)
        read = cut[: spec.text.max_windows]
        rows = [_embed(model, layers, ids, spec.pooling) for ids, _ in read]
        weight = torch.tensor([max(1, own) for _, own in read], dtype=torch.float32)
        mean = (torch.stack(rows) * weight[:, None]).sum(0) / weight.sum()
        embeddings.append(torch.nn.functional.normalize(mean, dim=-1).numpy())
        windows.append(len(read))
        truncated.append(len(cut) > len(read) or len(text) > spec.text.max_characters)
    return Reference(np.stack(embeddings).astype(np.float32), windows, truncated)


Windows = list[tuple[list[int], int]]  # tokens, and how many of them are the text's own


def _plain(spec: Spec, tokenizer: transformers.PreTrainedTokenizerBase, text: str) -> Windows:
    cut = tokenizer(
        text[: spec.text.max_characters],
        truncation=True,
        max_length=spec.text.window,
        stride=spec.text.overlap,
        return_overflowing_tokens=True,
    )["input_ids"]
    special = tokenizer.num_special_tokens_to_add()
    return [(ids, len(ids) - special) for ids in cut]


def _prefixed(spec: Spec, tokenizer: transformers.PreTrainedTokenizerBase, text: str) -> Windows:
    """Every window begins with the prefix. A token that is partly the text's counts as its own."""
    read = tokenizer(
        spec.prefix + text[: spec.text.max_characters],
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
    )
    ids, marks = read["input_ids"], read["special_tokens_mask"]
    head = marks.index(0)
    tail = marks[::-1].index(0)
    ends = [stop for _, stop in read["offset_mapping"][head : len(ids) - tail]]
    first = head + next((n for n, stop in enumerate(ends) if stop > len(spec.prefix)), len(ends))
    lead, own, close = ids[:first], ids[first : len(ids) - tail], ids[len(ids) - tail :]
    room, found = spec.text.window - len(lead) - len(close), [own]
    if room <= spec.text.overlap:
        raise ParityError(f"{spec.name}: a window of {spec.text.window} has no room for text")
    while len(found[-1]) > room:
        found[-1:] = [found[-1][:room], found[-1][room - spec.text.overlap :]]
    return [([*lead, *part, *close], len(part)) for part in found]


def _embed(
    model: transformers.PreTrainedModel, layers: torch.nn.Module, ids: list[int], pooling: str
) -> torch.Tensor:
    with torch.no_grad():
        hidden = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
        pooled = {"mean": hidden.mean(0), "cls": hidden[0], "last": hidden[-1]}[pooling]
        return torch.nn.functional.normalize(layers(pooled), dim=-1)


def served_code(folder: Path) -> ModuleType:
    """The module `encoder` of a model's folder, as Triton imports it: its folder on the path."""
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("encoder")
    finally:
        sys.path.remove(str(folder))
        for module in folder.glob("*.py"):  # another model has an `encoder` of its own
            sys.modules.pop(module.stem, None)


def encode_with(spec: Spec, code: Path, build: Path) -> Encode:
    """The served `Encoder.encode` over the files of a build."""
    module = served_code(code)
    encoder = module.Encoder.load(
        build / "model.onnx",
        build / "tokenizer.json",
        module.Limits.read(spec.settings()),
        spec.serving.threads,
    )
    encode: Encode = encoder.encode
    return encode


def compare(encode: Encode, expected: Reference, texts: list[str]) -> dict[str, float]:
    """Least cosine for each batch size. Raises ParityError where windows or cuts differ."""
    least = {}
    for size in BATCHES:
        parts = [encode(texts[at : at + size]) for at in range(0, len(texts), size)]
        embeddings = np.concatenate([part.embeddings for part in parts])
        windows = np.concatenate([part.windows for part in parts]).tolist()
        truncated = np.concatenate([part.truncated for part in parts]).tolist()
        if (windows, truncated) != (expected.windows, expected.truncated):
            raise ParityError(f"windows {windows}, reference {expected.windows}")
        least[str(min(size, len(texts)))] = float(cosines(embeddings, expected.embeddings).min())
    return least


def cosines(left: Floats, right: Floats) -> npt.NDArray[np.float64]:
    """Row by row, in float64."""
    a, b = left.astype(np.float64), right.astype(np.float64)
    return np.asarray(
        (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1), np.float64
    )


def goldens(spec: Spec, names: list[str], texts: list[str], expected: Reference) -> dict[str, Any]:
    """What `model_repository/README.md` describes. Floats in the shortest form that reads back."""
    return {
        "model": spec.name,
        "tolerance": {"cosine": spec.tolerance.cosine},
        "reference": {"torch": torch.__version__, "transformers": transformers.__version__},
        "names": names,
        "texts": texts,
        "windows": expected.windows,
        "truncated": expected.truncated,
        "embeddings": [[float(str(value)) for value in row] for row in expected.embeddings],
    }


def check(spec: Spec, folder: Path, code: Path, build: Path, texts: Path) -> dict[str, Any]:
    """Write `goldens.json`; return the figures. Raises ParityError below the spec's tolerance."""
    rows = json.loads(texts.read_text(encoding="utf-8"))
    names, plain = [row["name"] for row in rows], [row["text"] for row in rows]
    expected = reference(spec, folder, plain)
    least = compare(encode_with(spec, code, build), expected, plain)
    _demand(spec, least)
    content = json.dumps(goldens(spec, names, plain, expected), ensure_ascii=False)
    (build / "goldens.json").write_text(content + "\n", encoding="utf-8")
    return {"least_cosine": least, "tolerance": spec.tolerance.export, "texts": len(plain)}


def meets(job: Job[Spec], path: Path) -> str:
    """How near a build comes to goldens made earlier. Raises ParityError below tolerance."""
    made = json.loads(path.read_text(encoding="utf-8"))
    embeddings = np.asarray(made["embeddings"], np.float32)
    expected = Reference(embeddings, made["windows"], made["truncated"])
    least = compare(encode_with(job.spec, job.code, job.build), expected, made["texts"])
    _demand(job.spec, least)
    return f"least cosine {min(least.values()):.8f}"


def _demand(spec: Spec, least: dict[str, float]) -> None:
    if min(least.values()) < spec.tolerance.export:
        raise ParityError(
            f"{spec.name}: least cosine {least} (by batch size), less than {spec.tolerance.export}"
        )
