"""Nodes that every branch needs: where tokens lie, and the trunk's own weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from build_engines.signals.nodes import Nodes
from build_engines.signals.trunk import PREFIX, Trunk

MASKED = -1e4  # is 0 after a softmax


@dataclass(frozen=True, slots=True)
class Layout:
    trunk: Trunk
    nodes: Nodes

    def flat(self, state: str) -> str:
        """[tokens, d]: the trunk has an axis of 1 before its tokens."""
        return self.nodes.add("Reshape", state, self.nodes.integers(-1, self.trunk.width))

    def first(self) -> str:
        """The index of the first token of every row, [rows]."""
        return self.nodes.add("Gather", "grid", self.nodes.constant(np.array(0)), axis=1)

    def places(self) -> str:
        """The index of every place's token, [rows, longest]; the first where there is none."""
        return self.nodes.add("Max", "grid", self.nodes.integers(0))

    def heads(self, flat: str) -> str:
        """[tokens, d] to [rows, longest, heads, size]."""
        rows = self.nodes.add("Gather", flat, self.places())
        shape = self.nodes.integers(0, 0, self.trunk.heads, self.trunk.size)
        return self.nodes.add("Reshape", rows, shape)

    def mask(self) -> str:
        """Added to scores: 0 at a token, MASKED where a row has ended; [rows, 1, 1, longest]."""
        nodes = self.nodes
        ended = nodes.add("Less", "grid", nodes.integers(0))
        added = nodes.add(
            "Mul", nodes.add("Cast", ended, to=TensorProto.FLOAT), nodes.number(MASKED)
        )
        return nodes.add("Unsqueeze", added, nodes.integers(1, 2))

    def stored(self, index: int, matrix: str) -> tuple[str, str]:
        """The trunk's weight [in, out] and bias."""
        layer = self.trunk.layers[index]
        return layer.weights[matrix], layer.biases[matrix]

    def norm(self, index: int, norm: str, state: str) -> str:
        """The trunk's own normalisation of a layer."""
        weight, bias = (f"{PREFIX}{index}.{norm}.{part}" for part in ("weight", "bias"))
        return self.nodes.add(
            "LayerNormalization", state, weight, bias, axis=-1, epsilon=self.trunk.epsilon
        )
