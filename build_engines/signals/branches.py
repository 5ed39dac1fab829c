"""The part of the graph that the tasks add to their trunk.

Which layers a task shares is read off its weights. A sequence task is pooled on [CLS]: of its last
layer only that row is computed, over the keys and values of all tokens; tasks that change no other
layer are computed together (`stacked.py`). Where a layer's input is
the trunk's own, its projections are too, and the task adds its low-rank change to them. Inputs
beside the trunk's: `ask_<task>`, Boolean; a task that is not asked costs nothing and gives no row.
Outputs, float32: `probabilities_<task>`, [rows, classes] of a sequence task, [tokens, classes] of a
token task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper

from build_engines.errors import WeightsError
from build_engines.signals.adapter import Floats, Weights
from build_engines.signals.layout import Layout
from build_engines.signals.nodes import Nodes
from build_engines.signals.stacked import Stack, stackable
from build_engines.signals.trunk import (
    DOWN,
    KEY,
    MIX,
    NORMS,
    PREFIX,
    QUERY,
    UP,
    VALUE,
    Trunk,
)

ROWS = "pooled_rows"  # of the tasks that are computed together, [tasks, rows, d]


@dataclass(frozen=True, slots=True)
class Branch:
    """One task. Logits are divided by `temperature` before the softmax."""

    token: bool
    weights: Weights
    temperature: float
    layers: int | None = None  # of the trunk that it reads, from below; None: all


def added(trunk: Trunk, branches: Mapping[str, Branch]) -> onnx.ModelProto:
    """A message to join to the trunk's bytes; not a model by itself.

    Raises WeightsError where a task's own model has another number of layers.
    """
    for task, branch in branches.items():
        own = {layer for layer, _ in branch.weights.own}
        if own and own != set(range(len(trunk.cut(branch.layers).layers))):
            raise WeightsError(f"{task}: {len(own)} layers, the trunk has {len(trunk.layers)}")
    part = onnx.ModelProto()
    stack = [
        task
        for task, branch in branches.items()
        if not branch.token and branch.layers is None and stackable(trunk, branch.weights)
    ]
    if stack:
        _put(part, _rows(trunk, [branches[task].weights for task in stack], stack))
    for task, branch in branches.items():
        nodes = Nodes(task)
        output = f"probabilities_{task}"
        classes = len(branch.weights.classifier[1])
        with nodes.only_if(f"ask_{task}", output, np.zeros((0, classes), np.float32)):
            writer = _Writer(trunk.cut(branch.layers), branch, nodes)
            if task in stack:
                nth = nodes.constant(np.array(stack.index(task)))
                writer.head(nodes.add("Gather", ROWS, nth), f"{output}/then")
            else:
                writer.write(f"{output}/then")
        asked = helper.make_tensor_value_info(f"ask_{task}", TensorProto.BOOL, [])
        part.graph.input.append(asked)
        _put(part, nodes)
        # As many rows as are asked: 0 where none is, so the axis has no name.
        part.graph.output.append(
            helper.make_tensor_value_info(output, TensorProto.FLOAT, [None, classes])
        )
    return part


def _rows(trunk: Trunk, weights: list[Weights], tasks: list[str]) -> Nodes:
    """The stacked tasks' rows, where one of them is asked."""
    nodes = Nodes(ROWS)
    asked = f"ask_{tasks[0]}"
    for task in tasks[1:]:
        asked = nodes.add("Or", asked, f"ask_{task}")
    with nodes.only_if(asked, ROWS, np.zeros((len(tasks), 0, trunk.width), np.float32)):
        Stack(trunk, weights, nodes).write(f"{ROWS}/then")
    return nodes


def _put(part: onnx.ModelProto, nodes: Nodes) -> None:
    part.graph.node.extend(nodes.made)
    part.graph.initializer.extend(nodes.constants)


class _Writer:
    """Writes one task's nodes."""

    def __init__(self, trunk: Trunk, branch: Branch, nodes: Nodes) -> None:
        self._trunk, self._branch, self._nodes = trunk, branch, nodes
        self._weights = branch.weights
        self._layout = Layout(trunk, nodes)
        self._entry = ""  # the state that is the trunk's own, at the first layer of the task

    def write(self, output: str) -> None:
        nodes, layers = self._nodes, self._trunk.layers
        first = self._weights.first
        last = len(layers) - 1
        if first is None:
            state = self._layout.flat(self._trunk.output)
        elif self._weights.embeddings:
            state = self._embedded()
        else:
            state = self._entry = self._layout.flat(layers[first].input)
        if first is not None:
            for index in range(first, last):
                state = self._layer(index, state)
            if self._branch.token:
                state = self._layer(last, state)
        if not self._branch.token:
            row = nodes.add("Gather", state, self._layout.first())
            state = row if first is None else self._row(last, state, row)
            if self._weights.pooler is not None:
                state = nodes.add("Tanh", self._product(state, *self._weights.pooler))
        self.head(state, output)

    def head(self, state: str, output: str) -> None:
        """Probabilities from what the head reads."""
        nodes = self._nodes
        logits = self._product(state, *self._weights.classifier)
        cooled = nodes.add("Div", logits, nodes.number(self._branch.temperature))
        nodes.add("Softmax", cooled, axis=-1, name=output)

    def _layer(self, index: int, state: str) -> str:
        """All tokens through one layer."""
        nodes = self._nodes
        query, key, value = (
            self._layout.heads(self._matrix(index, m, state)) for m in (QUERY, KEY, VALUE)
        )
        query = nodes.add("Transpose", query, perm=[0, 2, 1, 3])
        seen = nodes.add("Transpose", self._attend(query, key, value), perm=[0, 2, 1, 3])
        flat = nodes.add("Reshape", seen, nodes.integers(-1, self._trunk.width))
        return self._rest(index, state, nodes.add("Gather", flat, "place"))

    def _row(self, index: int, state: str, row: str) -> str:
        """The first token of every row through one layer, [rows, d]."""
        nodes, trunk = self._nodes, self._trunk
        shared = self._shared(index, QUERY, state)
        base = nodes.add("Gather", shared, self._layout.first()) if shared else None
        query = nodes.add(
            "Reshape",
            self._matrix(index, QUERY, row, base),
            nodes.integers(-1, trunk.heads, 1, trunk.size),
        )
        key, value = (self._layout.heads(self._matrix(index, m, state)) for m in (KEY, VALUE))
        seen = self._attend(query, key, value)
        return self._rest(index, row, nodes.add("Reshape", seen, nodes.integers(-1, trunk.width)))

    def _attend(self, query: str, key: str, value: str) -> str:
        """`query` [rows, heads, n, size]; keys and values [rows, longest, heads, size]."""
        nodes = self._nodes
        turned = nodes.add("Transpose", key, perm=[0, 2, 3, 1])
        scale = nodes.number(self._trunk.size**-0.5)
        scores = nodes.add("Mul", nodes.add("MatMul", query, turned), scale)
        shares = nodes.add("Softmax", nodes.add("Add", scores, self._layout.mask()), axis=-1)
        return nodes.add("MatMul", shares, nodes.add("Transpose", value, perm=[0, 2, 1, 3]))

    def _rest(self, index: int, state: str, seen: str) -> str:
        """What follows attention: the output matrix and the feed-forward part."""
        nodes = self._nodes
        mixed = nodes.add("Add", self._matrix(index, MIX, seen), state)
        state = self._norm(index, NORMS[0], mixed)
        wide = nodes.add("Gelu", self._matrix(index, UP, state))
        return self._norm(index, NORMS[1], nodes.add("Add", self._matrix(index, DOWN, wide), state))

    def _matrix(self, index: int, matrix: str, state: str, base: str | None = None) -> str:
        """A projection of `state`; `base` is the trunk's own projection where that is known."""
        nodes = self._nodes
        base = base or self._shared(index, matrix, state)
        if base is None:
            weight, bias = (self._stored(index, f"{matrix}.{part}") for part in ("weight", "bias"))
            base = nodes.add("Add", nodes.add("MatMul", state, weight), bias)
        low = self._weights.low.get((index, matrix))
        if low is None:
            return base
        small = nodes.add("MatMul", state, nodes.constant(low.down))
        return nodes.add("Add", base, nodes.add("MatMul", small, nodes.constant(low.up)))

    def _shared(self, index: int, matrix: str, state: str) -> str | None:
        if state != self._entry or matrix not in (QUERY, KEY, VALUE):
            return None
        return self._layout.flat(self._trunk.layers[index].outputs[matrix])

    def _stored(self, index: int, name: str) -> str:
        if self._weights.own:
            return self._nodes.constant(self._weights.own[index, name])
        matrix, _, part = name.rpartition(".")
        layer = self._trunk.layers[index]
        names = layer.weights if part == "weight" else layer.biases
        return names.get(matrix) or f"{PREFIX}{index}.{name}"

    def _norm(self, index: int, norm: str, state: str) -> str:
        weight, bias = (self._stored(index, f"{norm}.{part}") for part in ("weight", "bias"))
        return self._nodes.add(
            "LayerNormalization", state, weight, bias, axis=-1, epsilon=self._trunk.epsilon
        )

    def _embedded(self) -> str:
        """A separate model's own embeddings of the tokens."""
        nodes, tables = self._nodes, self._weights.embeddings
        longest = nodes.add("Gather", nodes.add("Shape", "grid"), nodes.integers(1))
        words = nodes.add("Gather", nodes.constant(tables["word_embeddings.weight"]), "input_ids")
        places = nodes.add("Mod", "place", longest)
        order = nodes.add("Gather", nodes.constant(tables["position_embeddings.weight"]), places)
        kind = nodes.constant(tables["token_type_embeddings.weight"][0])
        total = nodes.add("Add", nodes.add("Add", words, order), kind)
        weight, bias = (nodes.constant(tables[f"LayerNorm.{part}"]) for part in ("weight", "bias"))
        return nodes.add(
            "LayerNormalization", total, weight, bias, axis=-1, epsilon=self._trunk.epsilon
        )

    def _product(self, state: str, weight: Floats, bias: Floats) -> str:
        nodes = self._nodes
        return nodes.add(
            "Add", nodes.add("MatMul", state, nodes.constant(weight)), nodes.constant(bias)
        )
