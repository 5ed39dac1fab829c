"""Classifiers over any encoder: what transformers and PEFT make of their files, nothing left over.

A LoRA adapter needs its base: the encoder of the trunk's checkpoint and, where the base has one,
the dense head before the classes (that of ModernBERT is the one that predicted masked words).
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model, set_peft_model_state_dict
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PreTrainedModel,
)
from transformers.initialization import no_init_weights

from build_engines import weights
from build_engines.errors import WeightsError

KINDS = {
    "sequence": AutoModelForSequenceClassification,
    "token": AutoModelForTokenClassification,
}
HEAD, CLASSES = "head.", "classifier."


def load(
    checkpoint: Path,
    ignore: tuple[str, ...],
    kind: str,
    folder: Path,
    attention: str = "eager",
) -> PreTrainedModel | PeftModel:
    """The classifier in `folder`, float32. `kind` is "sequence" or "token".

    Raises WeightsError that names each missing, unexpected or misshapen tensor.
    """
    if (folder / "adapter_config.json").is_file():
        model = _adapted(checkpoint, ignore, kind, folder, attention)
    else:
        model = _shape(folder, kind, None, attention)
        path = folder / "model.safetensors"
        weights.fill(model, weights.tensors_of(path), path)
    model.train(False)
    return model


def inner(model: PreTrainedModel | PeftModel) -> PreTrainedModel:
    """The classifier of transformers, its matrices with their adapters where it has some."""
    return model.base_model.model if isinstance(model, PeftModel) else model


def _shape(folder: Path, kind: str, classes: int | None, attention: str) -> PreTrainedModel:
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    if classes is not None:
        config.num_labels = classes
    with no_init_weights():
        return KINDS[kind].from_config(config, dtype=torch.float32, attn_implementation=attention)


def _adapted(
    checkpoint: Path, ignore: tuple[str, ...], kind: str, folder: Path, attention: str
) -> PeftModel:
    path = folder / "adapter_model.safetensors"
    own = weights.tensors_of(path)
    biases = [one for name, one in own.items() if name.endswith(f"{CLASSES}bias")]
    if len(biases) != 1:
        raise WeightsError(f"{path}: no classifier")
    model = _shape(checkpoint, kind, len(biases[0]), attention)
    prefix = f"{model.base_model_prefix}."
    found = {
        f"{prefix}{name}": one
        for name, one in weights.load(checkpoint, ignore).state_dict().items()
        if f"{prefix}{name}" in model.state_dict()
    }
    base = checkpoint / "model.safetensors"
    found |= {name: one for name, one in weights.tensors_of(base).items() if name.startswith(HEAD)}
    saved = {name for name in model.state_dict() if f"base_model.model.{name}" in own}
    blank = {name: torch.zeros_like(model.state_dict()[name]) for name in saved}
    weights.fill(model, found | blank, base)
    network = get_peft_model(model, LoraConfig.from_pretrained(str(folder)))
    _fill(network, own, path)
    return network


def _fill(network: PeftModel, tensors: dict[str, torch.Tensor], path: Path) -> None:
    shapes = {
        name.replace(".default.", ".").replace(".modules_to_save.", "."): one
        for name, one in network.state_dict().items()
        if "lora_" in name or "modules_to_save" in name
    }
    wrong = [
        *(f"missing {name}" for name in sorted(shapes.keys() - tensors.keys())),
        *(f"unexpected {name}" for name in sorted(tensors.keys() - shapes.keys())),
        *(
            f"{name} is {list(tensors[name].shape)}, not {list(shapes[name].shape)}"
            for name in sorted(shapes.keys() & tensors.keys())
            if shapes[name].shape != tensors[name].shape
        ),
    ]
    if wrong:
        raise WeightsError(f"{path}: {'; '.join(wrong)}")
    set_peft_model_state_dict(network, {name: one.float() for name, one in tensors.items()})


def architecture(checkpoint: Path) -> str:
    """`model_type` of a checkpoint."""
    stated = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    return str(stated["model_type"])
