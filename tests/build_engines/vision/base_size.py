"""A SigLIP of the published base size whose weights are random, in the layout of the hub."""

from __future__ import annotations

import math
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file

from build_engines.job import sha256
from build_engines.spec import FolderSource, path_of
from build_engines.vision import spec as visions
from build_engines.vision.spec import Vision

# As the config.json of google/siglip-base-patch16-224 leaves them, defaults are 12 layers of 768,
# 12 heads, 3,072 inside, patches of 16 in 224, texts of 64 tokens out of 32,000.
TEXT = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 1}
# What pictures show has to weigh more than where it stands, or all are seen as nearly the same.
GAINS = {"patch_embedding.weight": 4.0, "position_embedding.weight": 0.02, "probe": 4.0}


def write(folder: Path, tokenizer: transformers.PreTrainedTokenizerFast, seed: int = 3) -> Path:
    """`config.json`, `model.safetensors` (812 MB) and the tokenizer."""
    config = transformers.SiglipConfig(text_config=TEXT)
    with torch.device("meta"):
        shapes = transformers.SiglipModel(config).state_dict()
    config.architectures = ["SiglipModel"]
    config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    draw = torch.Generator().manual_seed(seed)
    tensors = {name: _random(name, list(one.shape), draw) for name, one in shapes.items()}
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    return folder


def spec_of(folder: Path) -> Vision:
    """models/siglip_base.toml as it is, but that its weights are those in `folder`."""
    names = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
    own = {
        "sources": (FolderSource(kind="folder", path=str(folder)),),
        "files": {name: sha256(folder / name) for name in names},
    }
    return visions.read(path_of("siglip_base")).model_copy(update=own)


def _random(name: str, shape: list[int], draw: torch.Generator) -> torch.Tensor:
    """Of a size that keeps numbers of about 1 from layer to layer. None is 0 or 1 everywhere."""
    if "norm" in name and name.endswith("weight"):
        return torch.empty(shape).normal_(1.0, 0.05, generator=draw)
    looked_up = "position_embedding" in name or "token_embedding" in name
    inputs = 1 if looked_up else math.prod(shape[1:])  # of a bias none: 1
    gain = next((one for part, one in GAINS.items() if name.endswith(part)), 1.0)
    deviation = gain * (0.05 if name.endswith("bias") else 1.0) / math.sqrt(inputs)
    return torch.empty(shape).normal_(0.0, deviation, generator=draw)
