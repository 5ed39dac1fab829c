"""Where the layers of an exported BERT are in its graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from build_engines.errors import WeightsError

PREFIX = "encoder.encoder.layer."
# The matrices of one layer, as the checkpoint names them.
QUERY, KEY, VALUE = (f"attention.self.{name}" for name in ("query", "key", "value"))
MIX, UP, DOWN = "attention.output.dense", "intermediate.dense", "output.dense"
MATRICES = (QUERY, KEY, VALUE, MIX, UP, DOWN)
NORMS = ("attention.output.LayerNorm", "output.LayerNorm")


@dataclass(frozen=True, slots=True)
class Layer:
    """Names of values in the graph."""

    input: str  # [tokens, d]
    weights: dict[str, str]  # matrix -> [in, out]
    biases: dict[str, str]
    outputs: dict[str, str]  # matrix -> what it makes of its input, bias added


@dataclass(frozen=True, slots=True)
class Trunk:
    """An encoder whose graph is fed with packed tokens (export_onnx.py)."""

    layers: tuple[Layer, ...]
    output: str  # of the last layer, [tokens, d]
    heads: int
    size: int  # of a head
    epsilon: float

    @property
    def width(self) -> int:
        return self.heads * self.size

    def cut(self, layers: int | None) -> Trunk:
        """The trunk as it is below layer `layers`; None is all of it."""
        if layers is None or layers == len(self.layers):
            return self
        return replace(self, layers=self.layers[:layers], output=self.layers[layers].input)


def read(path: Path, heads: int) -> Trunk:
    """The layers in the ONNX file at `path`. Raises WeightsError where it is built otherwise."""
    graph = onnx.load(path).graph
    makers = {output: node for node in graph.node for output in node.output}
    sums = {node.input[1]: node for node in graph.node if node.op_type == "Add"}
    norms = {node.input[1]: node for node in graph.node if node.op_type == "LayerNormalization"}
    layers: list[Layer] = []
    while f"{PREFIX}{len(layers)}.{QUERY}.bias" in sums:
        layers.append(_layer(f"{PREFIX}{len(layers)}.", sums, makers))
    if not layers:
        raise WeightsError(f"{path}: no layer named {PREFIX}0 in the graph")
    last = norms[f"{PREFIX}{len(layers) - 1}.{NORMS[1]}.weight"]
    (epsilon,) = (one.f for one in last.attribute if one.name == "epsilon")
    (width,) = next(one.dims for one in graph.initializer if one.name == last.input[1])
    return Trunk(tuple(layers), last.output[0], heads, int(width) // heads, float(epsilon))


def _layer(
    prefix: str, sums: dict[str, onnx.NodeProto], makers: dict[str, onnx.NodeProto]
) -> Layer:
    products = {name: makers[sums[f"{prefix}{name}.bias"].input[0]] for name in MATRICES}
    return Layer(
        input=products[QUERY].input[0],
        weights={name: product.input[1] for name, product in products.items()},
        biases={name: f"{prefix}{name}.bias" for name in MATRICES},
        outputs={name: sums[f"{prefix}{name}.bias"].output[0] for name in MATRICES},
    )


def constants(graph: onnx.GraphProto) -> dict[str, npt.NDArray[np.generic]]:
    """The graph's stored arrays, by name."""
    return {one.name: numpy_helper.to_array(one) for one in graph.initializer}
