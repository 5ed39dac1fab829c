"""The light default: EfficientNet-Lite0, a projection into the text encoder's space, and KNOWN.

    PIXELS ─ affine ─ trunk ─ features ┬─ hidden ─ GELU ─ out ─ length 1 ┬─► EMBEDDING
                                       │                                 └ families ─ softmax ┐
                                       └─ known_hidden ─ GELU ─ known_out ─ sigmoid × best ─┴► KNOWN

The trunk is ImageNet's, as the package brings it; the rest is trained here and read from
`light/projection.safetensors`. Not an open vocabulary: it tells the families it was trained on.
KNOWN is low of what is of none of them, and of what may as well be of one as of another.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

from build_engines import weights
from build_engines.pictures import FAMILIES
from build_engines.vision.lite0 import FEATURES, Lite0
from build_engines.vision.lite0 import load as load_trunk

HIDDEN = 256
DIMENSION = 384  # of all-MiniLM-L6-v2
KNOWN_HIDDEN = 64
KNOWN = tuple(family for family in FAMILIES if family != "other")
# PIXELS are level / 127.5 - 1; the trunk was trained on (level - 127) / 128.
SCALE, SHIFT = 127.5 / 128, 0.5 / 128


# torch has types only where it is installed.
class Projection(nn.Module):  # type: ignore[misc, unused-ignore]
    """Features [n, 3920] to embeddings of length 1 [n, 384] and logits of KNOWN [n, 1].

    Tensors, all float32: hidden.weight [256, 3920], hidden.bias [256], out.weight [384, 256],
    out.bias [384], known_hidden.weight [64, 3920], known_hidden.bias [64], known_out.weight
    [1, 64], known_out.bias [1], families [8, 384]: of each, the mean of its wordings in training
    less what all have in common, of length 1; and sharpness [1] of the softmax over them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(FEATURES, HIDDEN)
        self.out = nn.Linear(HIDDEN, DIMENSION)
        self.known_hidden = nn.Linear(FEATURES, KNOWN_HIDDEN)
        self.known_out = nn.Linear(KNOWN_HIDDEN, 1)
        self.register_buffer("families", torch.zeros(len(KNOWN), DIMENSION))
        self.register_buffer("sharpness", torch.ones(1))

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        gelu = nn.functional.gelu
        embedding = self.out(gelu(self.hidden(features)))
        logit: torch.Tensor = self.known_out(gelu(self.known_hidden(features)))
        return nn.functional.normalize(embedding, dim=-1), logit

    def known(self, embedding: torch.Tensor, logit: torch.Tensor) -> torch.Tensor:
        """[n, 1]: the probability of being of any family, and of the one that is nearest."""
        shares = torch.softmax(self.sharpness * (embedding @ self.families.T), -1)
        found: torch.Tensor = torch.sigmoid(logit) * shares.amax(-1, keepdim=True)
        return found


class LightNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """PIXELS [n, 3, 224, 224] of `image_preprocess` to EMBEDDING [n, 384] and KNOWN [n, 1]."""

    def __init__(self, trunk: Lite0, projection: Projection) -> None:
        super().__init__()
        self.trunk = trunk
        self.projection = projection

    def features(self, pixels: torch.Tensor) -> torch.Tensor:
        """[n, 3920]: what the projection is trained on."""
        found: torch.Tensor = self.trunk(pixels * SCALE + SHIFT)
        return found

    def forward(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        embedding, logit = self.projection(self.features(pixels))
        return embedding, self.projection.known(embedding, logit)


def read_projection(path: Path) -> Projection:
    """Raises WeightsError that names each missing, unexpected or misshapen tensor."""
    projection = Projection()
    weights.fill(projection, weights.tensors_of(path), path)
    projection.train(False)
    return projection


def write_projection(projection: Projection, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = {name: one.detach().contiguous() for name, one in projection.state_dict().items()}
    save_file(tensors, path)


def load(trunk: Path, projection: Path) -> LightNetwork:
    """`trunk`: the package's .pth. Raises WeightsError."""
    network = LightNetwork(load_trunk(trunk), read_projection(projection))
    network.train(False)
    return network
