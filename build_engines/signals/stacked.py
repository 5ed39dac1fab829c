"""The [CLS] rows of several tasks through the last layer at once.

Tasks that differ from their trunk in the last layer only, and are pooled on [CLS], need one row of
it each. Together these rows are one matrix: the layer's weights are read once for all tasks, not
once for each. Keys and values of the tokens stay the trunk's. With K' = K + x D U, where D and U
are a task's low-rank change, q K'^T = q K^T + (q U^T) (x D)^T: what a task adds is as narrow as its
rank.

Axes: n tasks, r rows, t places of a row, h heads, s size of a head, k rank.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from build_engines.signals.adapter import Weights
from build_engines.signals.layout import Layout
from build_engines.signals.nodes import Nodes
from build_engines.signals.trunk import DOWN, KEY, MIX, NORMS, QUERY, UP, VALUE, Trunk

Floats = npt.NDArray[np.float32]


def stackable(trunk: Trunk, weights: Weights) -> bool:
    """Whether a sequence task can be one of the rows."""
    last = len(trunk.layers) - 1
    return weights.first == last and weights.pooler is not None and not weights.embeddings


class Stack:
    """Writes the rows of `tasks`, all of them stackable."""

    def __init__(self, trunk: Trunk, tasks: Sequence[Weights], nodes: Nodes) -> None:
        self._trunk, self._tasks, self._nodes = trunk, tasks, nodes
        self._index = len(trunk.layers) - 1
        self._rank = max(one.down.shape[1] for task in tasks for one in task.low.values())
        self._layout = Layout(trunk, nodes)

    def write(self, output: str) -> None:
        """`output` [n, r, d]: what the pooler makes of each row."""
        nodes, layout = self._nodes, self._layout
        state = layout.flat(self._trunk.layers[self._index].input)
        row = nodes.add("Gather", state, layout.first())
        seen = self._attend(state, self._query(row))
        mixed = nodes.add("Add", self._project(MIX, seen), row)
        state = layout.norm(self._index, NORMS[0], mixed)
        wide = nodes.add("Gelu", self._project(UP, state))
        total = nodes.add("Add", self._project(DOWN, wide), state)
        state = layout.norm(self._index, NORMS[1], total)
        weights, biases = zip(*(task.pooler for task in self._tasks if task.pooler), strict=True)
        product = nodes.add("MatMul", state, nodes.constant(np.stack(weights)))
        bias = nodes.constant(np.stack(biases)[:, None])
        nodes.add("Tanh", nodes.add("Add", product, bias), name=output)

    def _query(self, row: str) -> str:
        """[n, r, h, s]"""
        nodes, trunk = self._nodes, self._trunk
        outputs = trunk.layers[self._index].outputs
        base = nodes.add("Gather", self._layout.flat(outputs[QUERY]), self._layout.first())
        query = self._changed(QUERY, row, base)
        shape = nodes.integers(len(self._tasks), -1, trunk.heads, trunk.size)
        return nodes.add("Reshape", query, shape)

    def _attend(self, state: str, query: str) -> str:
        """What each row sees of its text, [n, r, d]."""
        nodes, trunk, layout = self._nodes, self._trunk, self._layout
        outputs = trunk.layers[self._index].outputs
        keys = nodes.add("Transpose", layout.heads(layout.flat(outputs[KEY])), perm=[0, 2, 3, 1])
        own = nodes.add("Transpose", query, perm=[1, 2, 0, 3])  # r h n s
        shared = nodes.add("MatMul", own, keys)  # r h n t
        by_head = nodes.add("Transpose", query, perm=[2, 0, 1, 3])  # h n r s
        narrow = nodes.add("MatMul", by_head, self._up(KEY, [2, 0, 3, 1]))  # h n r k
        narrow = nodes.add("Transpose", narrow, perm=[2, 1, 0, 3])  # r n h k
        change = nodes.add("MatMul", narrow, self._narrowed(KEY, state, [0, 2, 3, 1]))  # r n h t
        change = nodes.add("Transpose", change, perm=[0, 2, 1, 3])
        scale = nodes.number(trunk.size**-0.5)
        scores = nodes.add("Mul", nodes.add("Add", shared, change), scale)
        shares = nodes.add("Softmax", nodes.add("Add", scores, layout.mask()), axis=-1)

        values = nodes.add(
            "Transpose", layout.heads(layout.flat(outputs[VALUE])), perm=[0, 2, 1, 3]
        )
        shared = nodes.add("MatMul", shares, values)  # r h n s
        by_task = nodes.add("Transpose", shares, perm=[0, 2, 1, 3])  # r n h t
        narrow = nodes.add("MatMul", by_task, self._narrowed(VALUE, state, [0, 2, 1, 3]))
        narrow = nodes.add("Transpose", narrow, perm=[2, 1, 0, 3])  # h n r k
        change = nodes.add("MatMul", narrow, self._up(VALUE, [2, 0, 1, 3]))  # h n r s
        change = nodes.add("Transpose", change, perm=[2, 0, 1, 3])
        seen = nodes.add("Transpose", nodes.add("Add", shared, change), perm=[2, 0, 1, 3])
        return nodes.add("Reshape", seen, nodes.integers(len(self._tasks), -1, trunk.width))

    def _project(self, matrix: str, state: str) -> str:
        """One product for the rows of all tasks, and each task's low-rank change of it."""
        weight, bias = self._layout.stored(self._index, matrix)
        base = self._nodes.add("Add", self._nodes.add("MatMul", state, weight), bias)
        return self._changed(matrix, state, base)

    def _changed(self, matrix: str, state: str, base: str) -> str:
        """`base` and the tasks' low-rank changes, [n, r, out], of `state` [r, in] or [n, r, in]."""
        nodes = self._nodes
        if not any((self._index, matrix) in task.low for task in self._tasks):
            return base
        narrow = nodes.add("MatMul", state, nodes.constant(self._downs(matrix)))
        change = nodes.add("MatMul", narrow, nodes.constant(self._ups(matrix)))
        return nodes.add("Add", base, change)

    def _narrowed(self, matrix: str, state: str, order: list[int]) -> str:
        """x D of every token, from axes r t n k in another order."""
        nodes = self._nodes
        downs = self._downs(matrix).transpose(1, 0, 2).reshape(self._trunk.width, -1)
        narrow = nodes.add("MatMul", state, nodes.constant(downs))
        rows = nodes.add("Gather", narrow, self._layout.places())
        shape = nodes.integers(0, 0, len(self._tasks), self._rank)
        return nodes.add("Transpose", nodes.add("Reshape", rows, shape), perm=order)

    def _up(self, matrix: str, order: list[int]) -> str:
        """U by heads, from axes n k h s in another order."""
        ups = self._ups(matrix)
        ups = ups.reshape(*ups.shape[:2], self._trunk.heads, self._trunk.size)
        return self._nodes.constant(ups.transpose(order))

    def _downs(self, matrix: str) -> Floats:
        """D of all tasks [n, in, k]; a smaller rank and a matrix unchanged are filled with 0."""
        found = [task.low.get((self._index, matrix)) for task in self._tasks]
        size = next((one.down.shape[0] for one in found if one), self._trunk.width)
        stack = np.zeros((len(found), size, self._rank), np.float32)
        for at, one in enumerate(found):
            if one:
                stack[at, :, : one.down.shape[1]] = one.down
        return stack

    def _ups(self, matrix: str) -> Floats:
        """U of all tasks [n, k, out]."""
        found = [task.low.get((self._index, matrix)) for task in self._tasks]
        size = next((one.up.shape[1] for one in found if one), self._trunk.width)
        stack = np.zeros((len(found), self._rank, size), np.float32)
        for at, one in enumerate(found):
            if one:
                stack[at, : one.up.shape[0]] = one.up
        return stack
