"""A tiny random encoder as a checkpoint on disk, and a spec that describes it."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from build_engines import spec as specs
from build_engines.job import ROOT, Job

WORDS = "a b c d e f g h he the river rises by two metres every spring and floods ##s ##ing"
TEXTS = [
    {"name": "empty", "text": ""},
    {"name": "one word", "text": "river"},
    {"name": "unknown", "text": "zzz ?"},
    {"name": "sentence", "text": "the river rises by two metres every spring"},
    {"name": "one window", "text": "a " * 14},
    {"name": "two windows", "text": "a b " * 12},
    {"name": "more than is read", "text": "the river floods " * 20},
]


def pytest_configure(config):
    # PEFT asks transformers 5 by a name that goes in 6.
    config.addinivalue_line(
        "filterwarnings", "ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"
    )


@dataclass(frozen=True)
class Tiny:
    """The parts of a build, each of which a test may spoil."""

    checkpoint: Path
    spec: dict
    root: Path

    def job(self) -> Job:
        path = self.root / "tiny.json"
        path.write_text(json.dumps(TEXTS))
        return Job(
            spec=specs.Spec.model_validate(self.spec),
            root=self.root,
            build=self.root / "build",
            code=ROOT / "model_repository" / "text_embedding" / "1",
            target=self.root / "models" / "tiny",
            texts=path,
        )


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory):
    torch = pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    folder = tmp_path_factory.mktemp("tiny")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: at for at, word in enumerate([*special, *dict.fromkeys(WORDS.split())])}
    tokenizer = tokenizers.BertWordPieceTokenizer(vocabulary)
    tokenizer.enable_truncation(5)  # as published checkpoints have it
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]"})
    )
    torch.set_num_threads(1)  # so small a network only waits for more
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=32,
    )
    model = transformers.BertModel(config)
    # Fresh biases are all 0: nothing could go wrong with them.
    for name, parameter in model.named_parameters():
        torch.nn.init.normal_(parameter, float(name.endswith("LayerNorm.weight")), std=0.3)
    model.save_pretrained(folder)
    return folder


def spec_of(checkpoint):
    """What models/tiny.toml would say."""
    pins = {
        name: hashlib.sha256((checkpoint / name).read_bytes()).hexdigest()
        for name in ("config.json", "model.safetensors", "tokenizer.json")
    }
    return {
        "name": "tiny",
        "task": "embedding",
        "summary": "A tiny random encoder",
        "licence": "none",
        "dimension": 64,
        "pooling": "mean",
        "sources": [{"kind": "folder", "path": str(checkpoint)}],
        "files": pins,
        "text": {
            "window": 16,
            "overlap": 4,
            "max_windows": 3,
            "max_characters": 1000,
            "max_bytes": 4000,
        },
        "onnx": {"opset": 20, "storage": "float32"},
        "tolerance": {"cosine": 0.999, "export": 0.99999},
        "serving": {
            "max_batch_size": 8,
            "instances": 1,
            "threads": 1,
            "padding": 0.1,
            "max_tokens": 64,
        },
    }


@pytest.fixture
def tiny(tiny_checkpoint, tmp_path):
    return Tiny(checkpoint=tiny_checkpoint, root=tmp_path, spec=spec_of(tiny_checkpoint))
