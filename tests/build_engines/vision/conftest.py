"""The light default with a random projection, and tiny random SigLIPs as checkpoints on disk."""

import hashlib
import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
pytest.importorskip("efficientnet_lite_pytorch")

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from build_engines.job import ROOT
from build_engines.kinds import job_of
from build_engines.vision import export, light, parity
from build_engines.vision.job import VisionJob
from build_engines.vision.spec import Vision

# One of each: a photograph that is shrunk, an icon that is enlarged, alpha, a palette, EXIF.
PICTURES = ("badge.png", "card.jpg", "chart.gif", "icon.png", "panorama.webp", "turned.jpg")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def few_pictures(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in PICTURES:
        shutil.copy(job_of("vision_encoder").pictures / name, folder)
    return folder


def random_projection(path, seed=4):
    torch.manual_seed(seed)
    projection = light.Projection()
    torch.nn.init.normal_(projection.known_out.weight, std=0.5)
    torch.nn.init.normal_(projection.families, std=0.05)
    projection.sharpness.fill_(5.0)
    light.write_projection(projection, path)
    return path


def relocated(job, folder):
    """The job with folders of its own."""
    return replace(
        job,
        root=folder,
        build=folder / "build",
        target=folder / "models" / job.target.name,
        pictures=few_pictures(folder / "pictures"),
    )


@pytest.fixture(scope="session")
def light_built(tmp_path_factory):
    """The job of the light default, exported and compared; not to be changed."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("light")
    job = replace(
        relocated(job_of("vision_encoder"), folder),
        projection=random_projection(folder / "projection.safetensors"),
    )
    export.run(job)
    parity.run(job)
    return job


@dataclass(frozen=True)
class Kind:
    """In what the checkpoints of SigLIP and of SigLIP 2 differ."""

    resample: str
    punctuation: bool
    pad: str


KINDS = {"siglip": Kind("bicubic", False, "</s>"), "siglip2": Kind("bilinear", True, "<pad>")}


def tokenizer_of(kind):
    """Characters as tokens; lower case as the checkpoint's own class has it."""
    vocabulary = {token: at for at, token in enumerate(["<pad>", "</s>", "<unk>", "!", *LETTERS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    steps = [normalizers.Lowercase()]
    if not kind.punctuation:
        steps.append(normalizers.Replace("!", ""))
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Split("", "isolated")]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=kind.pad, eos_token="</s>", unk_token="<unk>"
    )


def checkpoint(folder, kind, seed=3):
    """A random SiglipModel, with its tokenizer, as `save_pretrained` leaves it."""
    torch.manual_seed(seed)
    shared = {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2}
    shared |= {"num_attention_heads": 3}
    config = transformers.SiglipConfig(
        vision_config={**shared, "image_size": 32, "patch_size": 8},
        text_config={
            **shared,
            "vocab_size": 4 + len(LETTERS),
            "max_position_embeddings": 16,
            "projection_size": 48,
            "pad_token_id": 1,
            "bos_token_id": 0,
            "eos_token_id": 1,
        },
    )
    model = transformers.SiglipModel(config)
    # Fresh biases are all 0: nothing could go wrong with them.
    for name, parameter in model.named_parameters():
        torch.nn.init.normal_(parameter, float("norm" in name and name.endswith("weight")), 0.3)
    model.save_pretrained(folder)
    tokenizer_of(kind).save_pretrained(folder)
    return folder


def siglip_spec(folder, kind):
    """What a models/<model>.toml would say of it."""
    names = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
    pins = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    return {
        "name": "tiny_siglip",
        "task": "vision",
        "family": "siglip",
        "summary": "picture embeddings by a tiny random SigLIP",
        "licence": "none",
        "dimension": 48,
        "floor": 0.0,
        "sources": [{"kind": "folder", "path": str(folder)}],
        "files": pins,
        "pixels": {"size": 32, "resample": kind.resample, "mean": "0.5", "std": "0.5"},
        "text": {
            "length": 16,
            "lower": True,
            "punctuation": kind.punctuation,
            "max_characters": 100,
            "max_bytes": 4000,
        },
        "onnx": {"opset": 20, "storage": "float32"},
        "tolerance": {"cosine": 0.9999, "export": 0.99999, "known": 0.01},
        "serving": {"max_batch_size": 4, "instances": 1, "threads": 1},
    }


def siglip_job(folder, found, kind, **changes):
    """A job over a checkpoint in `found`, its spec changed by `changes`."""
    committed = job_of("vision_encoder")
    spec = Vision.model_validate(siglip_spec(found, kind) | changes)
    prompts = folder / "prompts.json"
    texts = ["", "receipt", "A Photo of an ID!", "identity documents of many kinds", "a\tb\nc"]
    prompts.write_text(json.dumps([{"name": one, "text": one} for one in texts]))
    return VisionJob(
        spec=spec,
        root=folder,
        build=folder / "build",
        code=committed.code,
        target=folder / "models" / "vision_encoder",
        pictures=few_pictures(folder / "pictures"),
        prompts=prompts,
    )


def built_siglip(name, folder):
    torch.set_num_threads(1)
    kind = KINDS[name]
    job = siglip_job(folder, checkpoint(folder / "checkpoint", kind), kind)
    export.run(job)
    parity.run(job)
    return job


@pytest.fixture(scope="session")
def siglip_one(tmp_path_factory):
    """The job of a tiny SigLIP, exported and compared; not to be changed."""
    return built_siglip("siglip", tmp_path_factory.mktemp("siglip"))


@pytest.fixture(scope="session")
def siglip_two(tmp_path_factory):
    """As `siglip_one`, of a SigLIP 2."""
    return built_siglip("siglip2", tmp_path_factory.mktemp("siglip2"))


@pytest.fixture
def own(tmp_path):
    """A copy of a build that a test may spoil."""

    def copy(job: VisionJob) -> VisionJob:
        # As deep as what is copied: the receipts name the served code from there.
        assert len(tmp_path.parts) == len(job.root.parts)
        shutil.copytree(job.root, tmp_path, dirs_exist_ok=True)
        places = {
            name: tmp_path / path.relative_to(job.root)
            for name in ("build", "target", "pictures", "projection", "prompts")
            if (path := getattr(job, name)).is_relative_to(job.root)
        }
        return replace(job, root=tmp_path, **places)

    return copy


def placed(job, folder: Path) -> Path:
    """What is published of a job, with the Python that serves it, one process a model."""
    shutil.copytree(job.target.parent, folder)
    for name in ("image_preprocess", "vision_encoder", "image_text_embedding"):
        for path in (ROOT / "model_repository" / name / "1").glob("*.py"):
            shutil.copy(path, folder / name / "1")
    (folder / "image_signals" / "1").mkdir(exist_ok=True)
    for path in folder.rglob("*.pbtxt"):
        path.write_text(path.read_text().replace("count: 2", "count: 1"))
    return folder


def files_of(job: VisionJob) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in job.shown()}


def spread(rows: int, size: int, seed: int = 2) -> np.ndarray:
    """Random PIXELS."""
    draw = np.random.default_rng(seed)
    return draw.uniform(-1, 1, (rows, 3, size, size)).astype(np.float32)


def folder_of(job: VisionJob) -> Path:
    """Where its checkpoint is."""
    from_path = job.spec.sources[0]
    return Path(from_path.path)
