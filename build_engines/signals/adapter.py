"""A task's own weights: what PEFT saved, a separately fine-tuned model, or a head alone."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from build_engines import weights
from build_engines.errors import WeightsError

Floats = npt.NDArray[np.float32]

_LOW = re.compile(r"(?:.*\.)?encoder\.layer\.(\d+)\.(.+)\.lora_([AB])\.weight")
_OWN = re.compile(r"(?:.*\.)?encoder\.layer\.(\d+)\.(.+)\.(weight|bias)")
# Variants of LoRA whose arithmetic is another.
_UNLIKE = (
    "use_dora",
    "use_rslora",
    "fan_in_fan_out",
    "lora_bias",
    "rank_pattern",
    "alpha_pattern",
    "layer_replication",
)


@dataclass(frozen=True, slots=True)
class Low:
    """The low-rank change of one matrix: x @ down @ up is added. The scaling is in `up`."""

    down: Floats  # [in, rank]
    up: Floats  # [rank, out]


@dataclass(frozen=True, slots=True)
class Weights:
    """What a task brings. `own` holds a separate model's layers, and `embeddings` its tables."""

    classifier: tuple[Floats, Floats]  # [d, classes], [classes]
    pooler: tuple[Floats, Floats] | None = None  # [d, d], [d]
    low: dict[tuple[int, str], Low] = field(default_factory=dict)  # (layer, matrix)
    own: dict[tuple[int, str], Floats] = field(default_factory=dict)  # (layer, "output.dense.bias")
    embeddings: dict[str, Floats] = field(default_factory=dict)

    @property
    def first(self) -> int | None:
        """The first layer that is the task's own; None where all are the trunk's."""
        if self.embeddings:
            return 0
        layers = [layer for layer, _ in self.low]
        return min(layers) if layers else None


def read(folder: Path) -> Weights:
    """An adapter's or a model's folder. Raises WeightsError that names what is not understood."""
    config = folder / "adapter_config.json"
    if not config.is_file():
        return _weights(folder, weights.tensors_of(folder / "model.safetensors"), scaling=1.0)
    stated = json.loads(config.read_text(encoding="utf-8"))
    plain = {"peft_type": "LORA", "bias": "none"}
    unlike = [name for name in _UNLIKE if stated.get(name)]
    unlike += [f"{name} {stated.get(name)}" for name in plain if stated.get(name) != plain[name]]
    if unlike:
        raise WeightsError(f"{config}: only plain LoRA is understood, not {', '.join(unlike)}")
    scaling = stated["lora_alpha"] / stated["r"]
    return _weights(folder, weights.tensors_of(folder / "adapter_model.safetensors"), scaling)


def _weights(folder: Path, tensors: dict[str, object], scaling: float) -> Weights:
    arrays = {name: np.asarray(one, np.float32) for name, one in tensors.items()}
    halves: dict[tuple[int, str], dict[str, Floats]] = {}
    own: dict[tuple[int, str], Floats] = {}
    heads: dict[str, Floats] = {}
    embeddings: dict[str, Floats] = {}
    unknown = []
    for name, array in arrays.items():
        if found := _LOW.fullmatch(name):
            halves.setdefault((int(found[1]), found[2]), {})[found[3]] = array
        elif found := _OWN.fullmatch(name):
            matrix = found[3] == "weight" and array.ndim == 2
            own[int(found[1]), f"{found[2]}.{found[3]}"] = array.T if matrix else array
        elif found := re.fullmatch(r"(?:.*\.)?(classifier|pooler\.dense)\.(weight|bias)", name):
            heads[f"{found[1]}.{found[2]}"] = array.T if found[2] == "weight" else array
        elif found := re.fullmatch(r"(?:.*\.)?embeddings\.(.+)", name):
            if found[1] != "position_ids":
                embeddings[found[1]] = array
        else:
            unknown.append(name)
    if unknown:
        raise WeightsError(f"{folder}: tensors of no known place: {', '.join(unknown)}")
    if bool(own) != bool(embeddings):
        raise WeightsError(f"{folder}: a model of its own needs layers and embeddings")
    classifier, pooler = (_head(folder, heads, name) for name in ("classifier", "pooler.dense"))
    if classifier is None:
        raise WeightsError(f"{folder}: no classifier")
    low = {at: _low(folder, at, pair, scaling) for at, pair in halves.items()}
    return Weights(
        classifier=classifier,
        pooler=pooler,
        low={at: one for at, one in low.items() if one.up.any()},  # else it changes nothing
        own=own,
        embeddings=embeddings,
    )


def _head(folder: Path, heads: dict[str, Floats], name: str) -> tuple[Floats, Floats] | None:
    parts = [heads.get(f"{name}.{part}") for part in ("weight", "bias")]
    if all(part is None for part in parts):
        return None
    weight, bias = parts
    if weight is None or bias is None:
        raise WeightsError(f"{folder}: no {name}.{'weight' if weight is None else 'bias'}")
    return weight, bias


def _low(folder: Path, at: tuple[int, str], pair: dict[str, Floats], scaling: float) -> Low:
    for half in "AB":
        if half not in pair:
            raise WeightsError(f"{folder}: no lora_{half} of layer {at[0]} {at[1]}")
    return Low(np.ascontiguousarray(pair["A"].T), np.ascontiguousarray(pair["B"].T * scaling))
