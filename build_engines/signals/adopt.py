"""A classifier as the reference project publishes it, into a folder that `export` reads.

Published are the files of PEFT (`adapter_config.json`, `adapter_model.safetensors`) or, merged,
those of transformers (`config.json`, `model.safetensors`), and beside them which class is which:
`label_mapping.json` or `category_mapping.json`. Their classes come in an order of their own; here
the rows of the classifier are put into the order of the project's labels. No weight is changed.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from build_engines import tasks, weights
from build_engines.errors import WeightsError
from build_engines.signals.job import Labels
from build_engines.train.rows import bio

# File -> the keys that its index -> name table may have.
MAPPINGS = {
    "label_mapping.json": ("id_to_label", "idx_to_label"),
    "category_mapping.json": ("idx_to_category",),
    "pii_type_mapping.json": ("id_to_label", "idx_to_label"),
    "jailbreak_type_mapping.json": ("id_to_label", "idx_to_label"),
    "config.json": ("id2label",),
}
CONFIGS = ("adapter_config.json", "config.json")
WEIGHTS = ("adapter_model.safetensors", "model.safetensors")


def adopt(task: str, kind: str, source: Path, target: Path) -> tuple[str, ...]:
    """Write `target`, an adapter's folder; gives the labels. `kind` is "sequence" or "token".

    Raises WeightsError where `source` does not say its classes, says two things of them, or has
    others than the task's data.
    """
    labels = tasks.labels(task)
    wanted = bio(labels) if kind == "token" else labels
    order = _order(source, classes(source), wanted)
    target.mkdir(parents=True, exist_ok=True)
    config, path = (_first(source, names) for names in (CONFIGS, WEIGHTS))
    tensors = weights.tensors_of(path)
    rows = [name for name in tensors if _is_classes(name)]
    if not rows or any(len(tensors[name]) != len(order) for name in rows):
        raise WeightsError(f"{path}: no classifier of {len(order)} classes")
    for name in rows:
        tensors[name] = tensors[name][order].contiguous()
    save_file(tensors, target / path.name, {"format": "pt"})
    if config.name == "config.json":
        stated = json.loads(config.read_text(encoding="utf-8"))
        stated |= {"id2label": dict(enumerate(wanted))}
        stated |= {"label2id": {name: at for at, name in enumerate(wanted)}}
        (target / config.name).write_text(json.dumps(stated, indent=1), encoding="utf-8")
    else:
        shutil.copyfile(config, target / config.name)
    Labels(labels, 1.0).write(target)
    return labels


def classes(folder: Path) -> tuple[str, ...]:
    """As the folder states them, by index. Raises WeightsError where it does not, or two differ."""
    found = {
        name: _table(folder / name, stated)
        for name in MAPPINGS
        if (stated := _stated(folder / name, MAPPINGS[name]))
    }
    if not found:
        raise WeightsError(f"{folder}: nothing says which class is which: {', '.join(MAPPINGS)}")
    if len(set(found.values())) > 1:
        raise WeightsError(f"{folder}: {' and '.join(found)} state different classes")
    return next(iter(found.values()))


def _stated(path: Path, keys: Sequence[str]) -> Mapping[str, Any] | None:
    if not path.is_file():
        return None
    stated = json.loads(path.read_text(encoding="utf-8"))
    found: Mapping[str, Any] = next((stated[key] for key in keys if stated.get(key)), {})
    # What transformers writes where nobody has named the classes.
    unnamed = all(re.fullmatch(r"LABEL_\d+", str(name)) for name in found.values())
    return None if unnamed else found


def _table(path: Path, stated: Mapping[str, Any]) -> tuple[str, ...]:
    if sorted(stated, key=int) != [str(at) for at in range(len(stated))]:
        raise WeightsError(f"{path}: classes {', '.join(stated)} do not count from 0")
    return tuple(str(stated[str(at)]) for at in range(len(stated)))


def _order(folder: Path, stated: Sequence[str], wanted: Sequence[str]) -> list[int]:
    absent, unknown = sorted({*wanted} - {*stated}), sorted({*stated} - {*wanted})
    if absent or unknown or len(stated) != len(wanted):
        raise WeightsError(
            f"{folder}: lacks the classes {absent}, has {unknown} which the data does not"
        )
    return [stated.index(name) for name in wanted]


def _first(folder: Path, names: Sequence[str]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise WeightsError(f"{folder}: neither {' nor '.join(names)}")


def _is_classes(name: str) -> bool:
    return name.rpartition(".")[0].rpartition(".")[2] == "classifier" or name.endswith(
        ("classifier.out_proj.weight", "classifier.out_proj.bias")
    )
