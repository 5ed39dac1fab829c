"""A graph that takes packed tokens (export_onnx.py), fed with a rectangle that is full.

Where every row has as many places as the longest, token and place are the same, and looking one up
by the other is a reshape: TensorRT fuses attention over a reshape, not over a gather. What is no
token is masked as before. A use of `grid` or `place` that is not known stays, and gets the tensor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper

from build_engines.signals.nodes import Nodes

IDS, GRID, PLACE = "input_ids", "grid", "place"
Constants = dict[str, npt.NDArray[np.generic]]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Names of values in the new graph."""

    shape: str  # rows, places
    real: str  # [rows, places], Boolean: a token is there
    columns: str  # [rows * places]: the place within its row


@dataclass(slots=True)
class Dense:
    """Rewrites nodes one after another; `stands` grows with what needs no node."""

    rectangle: Rectangle
    constants: Constants
    nodes: Nodes
    stands: dict[str, str] = field(default_factory=dict)
    _indices: set[str] = field(default_factory=lambda: {PLACE})  # equal to `place`
    _rows: set[str] = field(default_factory=set)  # equal to `grid`, 0 where it is -1
    _firsts: set[str] = field(default_factory=set)  # the first token of every row

    def write(self, nodes: Iterable[onnx.NodeProto]) -> None:
        for node in nodes:
            if not self._rewritten(node):
                self.nodes.made.append(node)

    def _rewritten(self, node: onnx.NodeProto) -> bool:
        if node.input and node.input[0] == GRID:
            return self._of_grid(node)
        if node.op_type == "Reshape" and node.input[0] in self._indices:
            return self._is_index(node)
        if node.op_type == "Mod" and node.input[0] == PLACE:
            return self._stands(node, self.rectangle.columns)
        if node.op_type == "Gather" and _axis(node) == 0:
            return self._looked_up(node)
        return False

    def _of_grid(self, node: onnx.NodeProto) -> bool:
        output, real = node.output[0], self.rectangle.real
        at_zero = len(node.input) > 1 and self._is_zero(node.input[1])
        if node.op_type == "Shape":
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.input[:] = [real]
            self.nodes.made.append(copy)
            return True
        if node.op_type == "GreaterOrEqual" and at_zero:
            return self._stands(node, real)
        if node.op_type == "Less" and at_zero:
            return self._stands(node, self.nodes.add("Not", real))
        if node.op_type in ("Clip", "Max") and at_zero:
            self._rows.add(output)
        if node.op_type == "Gather" and _axis(node) == 1 and at_zero:
            self._firsts.add(output)
        return False  # the node itself is dropped where nothing else needs it

    def _is_index(self, node: onnx.NodeProto) -> bool:
        shape = self.constants.get(node.input[1])
        if shape is not None and shape.tolist() == [-1]:
            self._indices.add(node.output[0])
        return False

    def _looked_up(self, node: onnx.NodeProto) -> bool:
        data, index = node.input
        if index in self._indices:
            return self._stands(node, data)
        if index in self._rows:
            return self._stands(node, self._by_rows(data))
        if index in self._firsts:
            first = self.nodes.integers(0)
            row = self.nodes.add("Gather", self._by_rows(data), first, axis=1)
            return self._stands(node, self.nodes.add("Squeeze", row, self.nodes.integers(1)))
        return False

    def _by_rows(self, flat: str) -> str:
        """[tokens, d] as [rows, places, d]"""
        shape = self.nodes.add("Concat", self.rectangle.shape, self.nodes.integers(-1), axis=0)
        return self.nodes.add("Reshape", self.stands.get(flat, flat), shape)

    def _stands(self, node: onnx.NodeProto, value: str) -> bool:
        self.stands[node.output[0]] = self.stands.get(value, value)
        return True

    def _is_zero(self, name: str) -> bool:
        value = self.constants.get(name)
        return value is not None and value.size == 1 and not value.any()


def _axis(node: onnx.NodeProto) -> int:
    return next((int(one.i) for one in node.attribute if one.name == "axis"), 0)


def full(nodes: Nodes, ids: str, lengths: str) -> Rectangle:
    """Writes what the packed graph reads, from `ids` [b, w, s] and `lengths` [b, w].

    A window of length 0 counts as one token long, so that nothing is divided by 0.
    """
    nodes.made.append(helper.make_node("Reshape", [ids, nodes.integers(-1)], [IDS]))
    size = nodes.add("Shape", ids, start=2)
    shape = nodes.add("Concat", nodes.integers(-1), size, axis=0)
    counts = nodes.add("Reshape", lengths, nodes.integers(-1, 1))
    counts = nodes.add("Cast", counts, to=onnx.TensorProto.INT64)
    counts = nodes.add("Max", counts, nodes.integers(1))
    zero, one = nodes.constant(np.array(0)), nodes.constant(np.array(1))
    row = nodes.add("Range", zero, nodes.add("Squeeze", size, nodes.integers(0)), one)
    real = nodes.add("Less", row, counts)
    wide = nodes.add("Expand", row, nodes.add("Shape", real))
    columns = nodes.add("Reshape", wide, nodes.integers(-1))
    tokens = nodes.add("Squeeze", nodes.add("Shape", IDS), nodes.integers(0))
    nodes.made.append(helper.make_node("Range", [zero, tokens, one], [PLACE]))
    places = nodes.add("Reshape", PLACE, shape)
    ended = nodes.constant(np.array(-1))
    nodes.made.append(helper.make_node("Where", [real, places, ended], [GRID]))
    return Rectangle(nodes.add("Shape", real), real, columns)
