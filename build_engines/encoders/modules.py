"""What stands around the encoder in a checkpoint of sentence-transformers, and whether it is what
the spec says: pooling, dense layers, prompts, the longest text.

Where a checkpoint does not state something, the spec alone says it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from build_engines import weights
from build_engines.errors import WeightsError
from build_engines.spec import Spec

POOLINGS = {"mean": "mean", "cls": "cls", "lasttoken": "last"}
# As sentence-transformers names them, older releases and newer ones.
OLDER = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_lasttoken": "lasttoken",
}
ACTIVATIONS: dict[str, Callable[[], torch.nn.Module]] = {
    "torch.nn.modules.linear.Identity": torch.nn.Identity,
    "torch.nn.modules.activation.Tanh": torch.nn.Tanh,
}
ORDER = ("Transformer", "Pooling", "Dense", "Normalize")


def check(spec: Spec, folder: Path) -> None:
    """Raises WeightsError where the checkpoint states something else than the spec."""
    stated = _modules(folder)
    kinds = [kind for kind, _ in stated]
    once = [kind for kind in kinds if kind != "Dense"]
    if (
        not set(kinds) <= set(ORDER)
        or kinds != sorted(kinds, key=ORDER.index)
        or len(once) > len(set(once))
    ):
        raise WeightsError(f"{folder}: modules {', '.join(kinds)} are not an encoder's")
    dense = tuple(path for kind, path in stated if kind == "Dense")
    if stated and dense != spec.dense:
        raise WeightsError(f"{folder}: has dense layers {dense}, the spec says {spec.dense}")
    pools = [path for kind, path in stated if kind == "Pooling"] or ["1_Pooling"]
    for path in pools:
        _check_pooling(spec, folder / path / "config.json")
    _check_prompts(spec, folder / "config_sentence_transformers.json")
    longest = _read(folder / "sentence_bert_config.json").get("max_seq_length")
    if longest is not None and longest < spec.text.window:
        raise WeightsError(f"{folder}: reads {longest} tokens, the spec says {spec.text.window}")


def dense(spec: Spec, folder: Path) -> list[torch.nn.Module]:
    """The layers after pooling, in their order. Raises WeightsError as `weights.load` does."""
    return [layer for path in spec.dense for layer in _dense(folder / path)]


def _dense(folder: Path) -> Iterator[torch.nn.Module]:
    stated = _read(folder / "config.json")
    if not stated:
        raise WeightsError(f"{folder}: no config.json")
    activation = str(stated.get("activation_function"))
    if activation not in ACTIVATIONS or stated.get("use_residual"):
        raise WeightsError(f"{folder}: a layer with {activation}, or a residual, is not exported")
    linear = torch.nn.Linear(stated["in_features"], stated["out_features"], bool(stated["bias"]))
    path = folder / "model.safetensors"
    if not path.is_file():
        raise WeightsError(f"{folder}: no model.safetensors")
    found = {name.removeprefix("linear."): one for name, one in weights.tensors_of(path).items()}
    weights.fill(linear, found, path)
    yield linear
    yield ACTIVATIONS[activation]()


def _modules(folder: Path) -> list[tuple[str, str]]:
    """Kind and folder of each, in their order; none where the checkpoint lists none."""
    path = folder / "modules.json"
    if not path.is_file():
        return []
    found = json.loads(path.read_text(encoding="utf-8"))
    return [(str(one["type"]).rpartition(".")[2], str(one["path"])) for one in found]


def _check_pooling(spec: Spec, path: Path) -> None:
    if not (stated := _read(path)):
        return
    modes = [key for key, value in stated.items() if key.startswith("pooling_mode_") and value]
    if mode := stated.get("pooling_mode"):
        modes = [mode] if isinstance(mode, str) else list(mode)
    found = [POOLINGS.get(OLDER.get(mode, mode), mode) for mode in modes]
    if found != [spec.pooling]:
        raise WeightsError(f"{path}: pools by {modes}, the spec says {spec.pooling!r}")
    if spec.prefix and not stated.get("include_prompt", True):
        raise WeightsError(f"{path}: leaves the prefix out of its mean, which is not exported")


def _check_prompts(spec: Spec, path: Path) -> None:
    stated = _read(path)
    known = stated.get("prompts") or {}
    if spec.prompt and known.get(spec.prompt) != spec.prefix:
        found = known.get(spec.prompt, f"none; there are {', '.join(known) or 'no prompts'}")
        raise WeightsError(f"{path}: the prompt {spec.prompt!r} is {found!r}, not {spec.prefix!r}")
    if (name := stated.get("default_prompt_name")) and not spec.prefix:
        raise WeightsError(f"{path}: puts the prompt {name!r} before a text, the spec nothing")


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
