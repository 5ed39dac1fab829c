"""What a family of encoders exports, and what answers it is compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from efficientnet_lite_pytorch import EfficientNet
from transformers import PreTrainedModel

from build_engines import weights
from build_engines.vision import light, lite0, siglip
from build_engines.vision.job import VisionJob

Floats = npt.NDArray[np.float32]
# PIXELS [n, 3, size, size] to EMBEDDING [n, d], of any length, and KNOWN [n, 1].
Network = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


@dataclass(frozen=True, slots=True)
class Family:
    exported: Callable[[VisionJob, Path], torch.nn.Module]  # the checkpoint's folder
    reference: Callable[[VisionJob, Path], Network]  # shares as little with it as can be


def of(job: VisionJob) -> Family:
    return {"light": Family(_light, _light_reference), "siglip": Family(_tower, _whole)}[
        job.spec.family
    ]


def answers(network: Network, pixels: Floats) -> tuple[Floats, Floats]:
    """Of one picture at a time: embeddings of length 1 [n, d] and KNOWN [n]."""
    embeddings, known = [], []
    with torch.inference_mode():
        for row in torch.from_numpy(pixels):
            embedding, sure = network(row[None])
            embeddings.append(torch.nn.functional.normalize(embedding, dim=-1)[0].numpy())
            known.append(sure.numpy().reshape(()))
    return np.stack(embeddings), np.asarray(known, np.float32)


def _light(job: VisionJob, folder: Path) -> torch.nn.Module:
    network = light.load(trunk_of(job, folder), job.projection)
    network.trunk.fold()
    return network


def trunk_of(job: VisionJob, folder: Path) -> Path:
    """The package's .pth: the one file that a light spec names."""
    (name,) = job.spec.files
    return folder / name


def _light_reference(job: VisionJob, folder: Path) -> Network:
    """The package's own code, and the projection written out."""
    trunk = EfficientNet.from_name("efficientnet-lite0")
    path = trunk_of(job, folder)
    trunk.load_state_dict(torch.load(path, map_location="cpu", weights_only=True), strict=True)
    trunk.train(False)
    own = weights.tensors_of(job.projection)

    def through(features: torch.Tensor, first: str, second: str) -> torch.Tensor:
        inner = torch.nn.functional.gelu(features @ own[f"{first}.weight"].T + own[f"{first}.bias"])
        return inner @ own[f"{second}.weight"].T + own[f"{second}.bias"]

    def network(pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        levels = (pixels + 1) * 127.5
        left: list[torch.Tensor] = []
        hooks = [
            trunk._blocks[at].register_forward_hook(lambda *given: left.append(given[-1]))
            for at in lite0.ENDS
        ]
        trunk.extract_features((levels - 127) / 128)
        for hook in hooks:
            hook.remove()
        features = torch.cat([_pooled(one) for one in left], 1)
        sure = torch.sigmoid(through(features, "known_hidden", "known_out"))
        found = through(features, "hidden", "out")
        scores = own["sharpness"] * (found / found.norm(dim=-1, keepdim=True) @ own["families"].T)
        return found, sure / torch.exp(scores - scores.max(-1, keepdim=True)[0]).sum(
            -1, keepdim=True
        )

    return network


def _pooled(values: torch.Tensor) -> torch.Tensor:
    """Of each channel the means of its quarters, a middle line in both halves; deviations."""
    side = values.shape[-1]
    halves = (slice(0, (side + 1) // 2), slice(side // 2, side))
    quarters = [values[:, :, one, two].mean((2, 3)) for one in halves for two in halves]
    deviations = (values.var((2, 3), correction=0) + lite0.LEAST).sqrt()
    return torch.cat([torch.stack(quarters, 2).flatten(1), deviations], 1)


def _tower(job: VisionJob, folder: Path) -> torch.nn.Module:
    return siglip.VisionTower(siglip.load(job.spec, folder))


def _whole(job: VisionJob, folder: Path) -> Network:
    model: PreTrainedModel = siglip.load(job.spec, folder)

    def network(pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = model.get_image_features(pixel_values=pixels).pooler_output
        return found, torch.ones(len(found), 1)

    return network
