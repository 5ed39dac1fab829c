"""Classifiers as the reference project publishes them, over a tiny mmBERT: by LoRA, and merged."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path

import torch
import transformers
from peft import LoraConfig, TaskType, get_peft_model

from build_engines import export_onnx
from build_engines.job import ROOT
from build_engines.signals import classifiers, export
from build_engines.signals.adopt import adopt
from build_engines.signals.job import SignalsJob
from build_engines.spec import Spec
from build_engines.tasks import Signals, Task, Tolerance
from tests.build_engines.encoders import checkpoints
from tests.build_engines.encoders.checkpoints import put

TARGETS = ["attn.Wqkv", "attn.Wo", "mlp.Wi", "mlp.Wo"]
# task -> kind, labels, the classes in the order in which they were published, its mapping
TASKS = {
    "mood": (
        "sequence",
        ("glad", "sad", "calm"),
        ("sad", "calm", "glad"),
        ("category_mapping.json", "idx_to_category"),
    ),
    "place": (
        "token",
        ("NAME", "TOWN"),
        ("B-NAME", "B-TOWN", "I-NAME", "I-TOWN", "O"),
        ("label_mapping.json", "id_to_label"),
    ),
    "voice": (
        "sequence",
        ("active", "passive"),
        ("passive", "active"),
        ("label_mapping.json", "id_to_label"),
    ),
}
MERGED = "voice"


class Toy(Signals):
    """Signals over an encoder that no file describes."""

    described: Spec

    def encoder(self) -> Spec:
        return self.described


def base(folder: Path) -> Path:
    """A masked language model, as mmbert-32k-yarn is one: `model.`, `head.` and `decoder.`"""
    checkpoints.write("mmbert", folder)
    config = transformers.AutoConfig.from_pretrained(folder)
    torch.manual_seed(4)
    model = transformers.ModernBertForMaskedLM(config)
    for name, one in model.named_parameters():
        torch.nn.init.normal_(one, float("norm" in name), std=0.3)
    rounded(model).save_pretrained(folder)
    for name in ("modules.json", "sentence_bert_config.json"):
        (folder / name).unlink()
    shutil.rmtree(folder / "1_Pooling")
    put(folder, "modules.json", [])
    return folder


def rounded(model: torch.nn.Module) -> torch.nn.Module:
    """To numbers that float16 has: stored so they are the same, and every difference is a fault."""
    with torch.no_grad():
        for one in model.parameters():
            one.copy_(one.half().float())
    return model


def published(folder: Path, checkpoint: Path, task: str) -> None:
    """PEFT's files, or merged ones, and the mapping."""
    kind, _, classes, (mapping, key) = TASKS[task]
    config = transformers.AutoConfig.from_pretrained(checkpoint, num_labels=len(classes))
    model = classifiers.KINDS[kind].from_pretrained(checkpoint, config=config)
    kinds = {"sequence": TaskType.SEQ_CLS, "token": TaskType.TOKEN_CLS}
    network = get_peft_model(
        model, LoraConfig(task_type=kinds[kind], r=4, lora_alpha=8, target_modules=TARGETS)
    )
    torch.manual_seed(len(task))
    with torch.no_grad():
        for name, one in network.named_parameters():
            if one.requires_grad:
                one.normal_(std=2.0 if "classifier" in name else 0.2)
    network = network.eval()
    if task == MERGED:
        network = network.merge_and_unload()
    rounded(network).save_pretrained(folder)
    put(folder, mapping, {key: {str(at): name for at, name in enumerate(classes)}})


def adopted(root: Path) -> Path:
    """`base`, and over it what was `published` and its `adapters`."""
    checkpoint = base(root / "base")
    for task, (kind, *_) in TASKS.items():
        published(root / "published" / task, checkpoint, task)
        adopt(task, kind, root / "published" / task, root / "adapters" / task)
    return root


def exported(adopted: Path, root: Path, storage: str, tasks: Collection[str] = TASKS) -> SignalsJob:
    """The tasks over a trunk that is published."""
    checkpoint = adopted / "base"
    spec = checkpoints.spec_of(
        "mmbert",
        checkpoint,
        ignore=["head.*", "decoder.*"],
        dimensions=[],
        onnx={"opset": 20, "storage": storage},
    )
    trunk = root / "models" / spec.name
    export_onnx.export(spec, checkpoint, trunk / "1")
    (trunk / "1" / "tokenizer.json").rename(trunk / "tokenizer.json")
    made = SignalsJob(
        spec=Toy(
            name="toy",
            trunk=spec.name,
            summary="Toy tasks",
            tasks={name: Task(kind=TASKS[name][0]) for name in tasks},
            tolerance=Tolerance(
                cosine=0.999, probability=0.01, span_score=0.05, export=0.02, export_span=0.05
            ),
            serving=spec.serving,
            described=spec,
        ),
        root=root,
        build=root / "build",
        code=ROOT / "model_repository" / "text_signals" / "1",
        target=root / "models" / "toy",
        texts=root / "texts.json",
        trunk=trunk,
        adapters=adopted / "adapters",
        brings_code=True,
    )
    export.run(made)
    return made
