"""SigLIP and SigLIP 2 (fixed resolution): the towers of one checkpoint as two networks.

Zhai et al., https://arxiv.org/abs/2303.15343; Tschannen et al., https://arxiv.org/abs/2502.14786.
The picture's embedding is that of the attention-pool head, whose probe is one learnt tensor that
all pictures share; a text's is that of its last token, which is why texts are padded and never
masked.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn
from transformers import AutoConfig, PreTrainedModel

from build_engines import weights
from build_engines.errors import WeightsError
from build_engines.vision.spec import Vision

CLASSES = "siglip"  # model_type of both; siglip2 is of pictures of any ratio, which we do not read


# torch has types only where it is installed.
class VisionTower(nn.Module):  # type: ignore[misc, unused-ignore]
    """PIXELS [n, 3, size, size] to EMBEDDING of length 1 [n, d] and KNOWN, 1 of every picture."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.tower = model.vision_model

    def forward(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        pooled = self.tower(pixel_values=pixels).pooler_output
        return nn.functional.normalize(pooled, dim=-1), torch.ones_like(pooled[:, :1])


class TextTower(nn.Module):  # type: ignore[misc, unused-ignore]
    """Token ids [n, length] to embeddings of length 1 [n, d]."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.tower = model.text_model

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        pooled = self.tower(input_ids=input_ids).pooler_output
        return nn.functional.normalize(pooled, dim=-1)


def load(spec: Vision, folder: Path) -> PreTrainedModel:
    """Both towers, every tensor used and none made up. Raises WeightsError."""
    _check_described(spec, folder)
    return weights.load(folder, spec.ignore)


def _check_described(spec: Vision, folder: Path) -> None:
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    if config.model_type != CLASSES:
        raise WeightsError(f"{folder}: a {config.model_type}; what is read is a {CLASSES}")
    vision, text = config.vision_config, config.text_config
    if not getattr(vision, "vision_use_head", True):
        raise WeightsError(f"{folder}: its vision tower has no attention-pool head")
    wanted = {"pixels.size": spec.pixels.size, "dimension": spec.dimension}
    stated = {"pixels.size": vision.image_size, "dimension": text.projection_size}
    if spec.text is not None:
        wanted |= {"text.length": spec.text.length}
        stated |= {"text.length": text.max_position_embeddings}
    wrong = [
        f"{name} is {stated[name]}, the spec says {value}"
        for name, value in wanted.items()
        if stated[name] != value
    ]
    if vision.hidden_size != text.projection_size:
        wrong.append(f"pictures have {vision.hidden_size} dimensions, texts {text.projection_size}")
    if wrong:
        raise WeightsError(f"{folder}: {'; '.join(wrong)}")
