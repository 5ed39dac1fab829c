"""An exported tiny encoder, and classifiers over it as PEFT and transformers save them."""

import json
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import torch
from peft import LoraConfig, get_peft_model

from build_engines import export_onnx
from build_engines.job import ROOT
from build_engines.signals.job import Labels, SignalsJob
from build_engines.spec import Serving, Spec
from build_engines.tasks import Signals, Task, Tolerance, Training
from build_engines.train import network
from tests.build_engines.conftest import TEXTS, spec_of


@dataclass(frozen=True)
class Kind:
    """One way to make a classifier. `depth` None: all layers and the embeddings are its own."""

    kind: str
    classes: int
    depth: int | None
    rank: int = 8
    targets: tuple[str, ...] = ()  # instead of every matrix

    def task(self):
        training = Training(depth=self.depth or 0, rank=self.rank, alpha=2 * self.rank, seed=5)
        return Task(kind=self.kind, training=training)


KINDS = {
    "last": Kind("sequence", 2, 1),
    "last_wide": Kind("sequence", 14, 1, rank=4),
    "last_few": Kind("sequence", 3, 1, targets=("query", "value")),
    "two": Kind("sequence", 2, 2),
    "full": Kind("sequence", 4, 3),
    "own": Kind("sequence", 2, None),
    "head": Kind("sequence", 2, 0),
    "last_token": Kind("token", 11, 1),
    "two_token": Kind("token", 3, 2),
    "full_token": Kind("token", 3, 3),
    "own_token": Kind("token", 11, None),
    "head_token": Kind("token", 3, 0),
}


def made(kind, checkpoint, folder, seed):
    """Save a classifier with random weights in `folder`; give the network that was saved."""
    task = kind.task()
    model = network.bare(checkpoint, (), task, kind.classes)
    if kind.targets:
        config = LoraConfig(
            task_type=network.KINDS[kind.kind][1],
            r=kind.rank,
            target_modules=list(kind.targets),
            layers_to_transform=[2],
            layers_pattern="layer",
            modules_to_save=["classifier", "pooler"],
        )
        model = get_peft_model(model, config)
    elif kind.depth is not None:
        model = network.adapted(model, task)
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                # A head that tells classes apart, whatever is below it.
                size = 2 if "classifier" in name else 0.1
                parameter.add_(torch.randn_like(parameter) * size)
    model.train(False)
    model.save_pretrained(folder)
    return model


@pytest.fixture(scope="session")
def trunk_folder(tiny_checkpoint, tmp_path_factory):
    """The tiny encoder as it would be published."""
    folder = tmp_path_factory.mktemp("trunk")
    export_onnx.export(Spec.model_validate(spec_of(tiny_checkpoint)), tiny_checkpoint, folder / "1")
    (folder / "1" / "tokenizer.json").rename(folder / "tokenizer.json")
    return folder


@pytest.fixture(scope="session")
def saved(tiny_checkpoint, tmp_path_factory):
    """Name -> its folder and its network in PyTorch, for each of KINDS."""
    root = tmp_path_factory.mktemp("saved")
    return {
        name: (root / name, made(kind, tiny_checkpoint, root / name, seed))
        for seed, (name, kind) in enumerate(KINDS.items(), start=5)
    }


class Toy(Signals):
    """Signals over an encoder that no file describes."""

    described: Spec

    def encoder(self):
        return self.described


# task -> (which of KINDS, its labels, over_windows, positive)
TASKS = {
    "mood": ("last", ("glad", "sad"), "max", ("sad",)),
    "topic": ("last_few", ("river", "spring", "metre"), "mean", ()),
    "place": ("last_token", ("A", "B", "C", "D", "E"), "mean", ()),
    "name": ("full_token", ("NAME",), "mean", ()),
    "voice": ("own", ("active", "passive"), "mean", ()),
}


@pytest.fixture
def labels_of_data(monkeypatch):
    """The data of the toy tasks, of which the build reads LABELS alone."""
    for name, (_, labels, *_) in TASKS.items():
        module = types.ModuleType(f"build_engines.data.{name}")
        module.LABELS = labels
        monkeypatch.setitem(sys.modules, module.__name__, module)


def toml(canaries):
    sections = []
    for task, texts in canaries.items():
        rows = [f"{json.dumps(label)} = {json.dumps(text)}" for label, text in texts.items()]
        sections.append("\n".join([f"[{task}]", *rows]))
    return "\n\n".join(sections)


@pytest.fixture
def job(labels_of_data, tiny_checkpoint, trunk_folder, saved, tmp_path):
    """A build of five tasks; tests may spoil its files."""
    adapters = tmp_path / "adapters"
    for name, (source, labels, *_) in TASKS.items():
        copied(saved[source][0], adapters / name)
        Labels(labels, 1.5).write(adapters / name)
    spec = spec_of(tiny_checkpoint)
    texts = tmp_path / "texts.json"
    texts.write_text(json.dumps(TEXTS))
    return SignalsJob(
        spec=Toy(
            name="toy",
            trunk="tiny",
            summary="Toy tasks",
            tasks={
                name: Task(kind=KINDS[source].kind, over_windows=over, positive=positive)
                for name, (source, _, over, positive) in TASKS.items()
            },
            tolerance=Tolerance(
                cosine=0.999, probability=0.01, span_score=0.05, export=0.001, export_span=0.002
            ),
            serving=Serving(**spec["serving"]),
            described=Spec.model_validate(spec),
        ),
        root=tmp_path,
        build=tmp_path / "build",
        code=ROOT / "model_repository" / "text_signals" / "1",
        target=tmp_path / "models" / "toy",
        texts=texts,
        trunk=copied(trunk_folder, tmp_path / "trunk"),
        adapters=adapters,
        canaries=tmp_path / "canaries.toml",
    )


def copied(source: Path, target: Path) -> Path:
    for path in source.rglob("*"):
        if path.is_file():
            (target / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
            (target / path.relative_to(source)).write_bytes(path.read_bytes())
    return target
