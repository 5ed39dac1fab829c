"""A task's network: the encoder with a LoRA adapter on its last layers, and a head.

The parts are those of transformers and PEFT, so that PEFT can load what is saved. Only the order
of work differs: training starts from the hidden states of the layers below the adapter, and of the
last layer a sequence task computes the [CLS] row alone (no other row reaches its head).
"""

from __future__ import annotations

from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, TaskType, get_peft_model
from transformers import (
    BertForSequenceClassification,
    BertForTokenClassification,
    PreTrainedModel,
)

from build_engines import weights
from build_engines.tasks import Task

# Every matrix of a layer.
TARGETS = [
    "query",
    "key",
    "value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
]
KINDS = {
    "sequence": (BertForSequenceClassification, TaskType.SEQ_CLS),
    "token": (BertForTokenClassification, TaskType.TOKEN_CLS),
}


def bare(checkpoint: Path, ignore: tuple[str, ...], task: Task, classes: int) -> PreTrainedModel:
    """The layers that `task` reads, under a new head; weights by the strict loader."""
    kind, _ = KINDS[task.kind]
    encoder = weights.load(checkpoint, ignore, attention="sdpa")
    encoder.config.num_labels = classes
    layers = encoder.config.num_hidden_layers
    encoder.config.num_hidden_layers = task.layers or layers
    torch.manual_seed(task.training.seed)
    model = kind(encoder.config)
    unread = [f"encoder.layer.{index}." for index in range(task.layers or layers, layers)]
    if task.kind == "token":
        unread.append("pooler.")  # it has none
    tensors = {
        name: one
        for name, one in encoder.state_dict().items()
        if not name.startswith(tuple(unread))
    }
    model.bert.load_state_dict(tensors)
    return model


def adapted(model: PreTrainedModel, task: Task) -> PeftModel:
    """`model` with a fresh adapter on its last `depth` layers; the head is trained too."""
    layers, plan = model.config.num_hidden_layers, task.training
    heads = ["classifier", "pooler"] if task.kind == "sequence" else ["classifier"]
    config = LoraConfig(
        task_type=KINDS[task.kind][1],
        r=plan.rank,
        lora_alpha=plan.alpha,
        lora_dropout=plan.dropout,
        target_modules=TARGETS,
        layers_to_transform=list(range(layers - max(1, plan.depth), layers)),
        layers_pattern="layer",
        modules_to_save=heads,
    )
    network = get_peft_model(model, config)
    if plan.depth == 0:  # a head alone: the adapter stays what it is at first, nothing
        for name, parameter in network.named_parameters():
            parameter.requires_grad &= "lora_" not in name
    return network


def reference(
    checkpoint: Path, ignore: tuple[str, ...], task: Task, adapter: Path
) -> PeftModel | PreTrainedModel:
    """What PEFT makes of a saved adapter, or transformers of a model: an export's reference."""
    if (adapter / "adapter_config.json").is_file():
        model = bare(checkpoint, ignore, task, _classes(adapter))
        model = PeftModel.from_pretrained(model, str(adapter))
    else:
        model = KINDS[task.kind][0].from_pretrained(adapter, local_files_only=True)
    model.train(False)
    return model


def _classes(adapter: Path) -> int:
    tensors = weights.tensors_of(adapter / "adapter_model.safetensors")
    return int(tensors["base_model.model.classifier.bias"].shape[0])


def top(network: PeftModel, hidden: torch.Tensor, mask: torch.Tensor, task: Task) -> torch.Tensor:
    """Logits from the states below the adapter, float32 [windows, longest, d], `mask` its places.

    [windows, classes] of a sequence task, [windows, longest, classes] of a token task.
    """
    model = network.base_model.model
    layers = model.bert.encoder.layer
    depth = task.training.depth
    places = mask[:, None, None, :]
    last = depth if task.kind == "token" else depth - 1
    for layer in layers[len(layers) - depth : len(layers) - depth + max(0, last)]:
        hidden = layer(hidden, places)
    if task.kind == "token":
        return model.classifier(model.dropout(hidden))
    row = first_row(layers[-1], hidden, places) if depth else hidden[:, :1]
    return model.classifier(model.dropout(model.bert.pooler(row)))


def first_row(layer: torch.nn.Module, hidden: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """One BertLayer's output at the first token only, [windows, 1, d]: the same numbers."""
    attention, first = layer.attention.self, hidden[:, :1]
    size = attention.attention_head_size

    def heads(flat: torch.Tensor) -> torch.Tensor:
        return flat.unflatten(-1, (-1, size)).transpose(1, 2)

    seen = torch.nn.functional.scaled_dot_product_attention(
        heads(attention.query(first)),
        heads(attention.key(hidden)),
        heads(attention.value(hidden)),
        attn_mask=places,
    )
    row = layer.attention.output(seen.transpose(1, 2).flatten(2), first)
    return layer.output(layer.intermediate(row), row)
