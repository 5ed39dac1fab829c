"""Networks of SigLIP that answer wrongly, and one that would in half precision."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from build_engines.vision import export, siglip
from build_engines.vision.isolation import Encode, Seen
from build_engines.vision.job import VisionJob
from tests.build_engines.vision.broken import BREAKS

Floats = np.ndarray


class Pooled(torch.nn.Module):
    """The mean over patches where SigLIP has an attention head, as a network to export."""

    def __init__(self, tower: torch.nn.Module) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean = self.tower(pixel_values=pixels).last_hidden_state.mean(1)
        known = torch.ones_like(mean[:, :1])
        return torch.nn.functional.normalize(mean, dim=-1), known


def pooled_graph(job: VisionJob, checkpoint: Path) -> bytes:
    """`model.onnx` of a SigLIP that was exported with the mean for its head."""
    size = job.spec.pixels.size
    network = Pooled(siglip.load(job.spec, checkpoint).vision_model).eval()
    outputs = ["EMBEDDING", "KNOWN"]
    graph = export.to_onnx(network, torch.rand(3, 3, size, size), "PIXELS", outputs, job.spec)
    return bytes(graph.SerializeToString())


def damage(repository: Path, fault: str, job: VisionJob, checkpoint: Path) -> None:
    """A copy of what the job has published, so that it is wrong by one of `broken.FAULTS`."""
    if fault in BREAKS:
        BREAKS[fault](repository)
    else:
        graph = pooled_graph(job, checkpoint)
        (repository / "vision_encoder" / "1" / "model.onnx").write_bytes(graph)


def sure(rows: Floats) -> Seen:
    """Embeddings of a SigLIP: KNOWN is 1 of every picture."""
    return Seen(rows, np.ones(len(rows), np.float32))


def mean_pooled(model: object) -> Encode:
    """An encoder over a SiglipModel that pools by the mean. PIXELS to embeddings of length 1."""

    def encode(pixels: Floats) -> Seen:
        with torch.inference_mode():
            hidden = model.vision_model(pixel_values=torch.from_numpy(pixels)).last_hidden_state
        rows = hidden.numpy().mean(1)
        return sure(rows / np.linalg.norm(rows, axis=1, keepdims=True))

    return encode


def widened(model: object, factor: float = 1e6) -> object:
    """A SiglipModel of the same answers whose attention holds an outlier, as real ones do.

    Values of attention grow by `factor` and shrink again in the next product. In float32 nothing
    changes; float16 ends at 65,504.
    """
    attention = model.vision_model.encoder.layers[0].self_attn
    with torch.no_grad():
        attention.v_proj.weight.mul_(factor)
        attention.v_proj.bias.mul_(factor)
        attention.out_proj.weight.div_(factor)
    return model


def overflowing(model: object) -> Encode:
    """A SiglipModel run in float16 as far as numbers go: each layer's answer is rounded to it."""

    def encode(pixels: Floats) -> Seen:
        leaves = [part for part in model.modules() if not list(part.children())]
        hooks = [
            part.register_forward_hook(lambda _, __, out: out.to(torch.float16).to(torch.float32))
            for part in leaves
        ]
        try:
            with torch.inference_mode():
                rows = model.vision_model(pixel_values=torch.from_numpy(pixels)).pooler_output
        finally:
            for hook in hooks:
                hook.remove()
        return sure(torch.nn.functional.normalize(rows, dim=-1).numpy())

    return encode
