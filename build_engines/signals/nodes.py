"""Writes nodes of an ONNX graph: each operation gives the name of what it makes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Attribute = int | float | list[int]


class Nodes:
    """Nodes and constants, in the order of their making. Every name begins with `prefix`."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.made: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._count = 0
        self._known: dict[tuple[Any, ...], str] = {}

    def add(self, operation: str, *inputs: str, name: str = "", **attributes: Attribute) -> str:
        """The output of a new node; the same operation on the same inputs is made once."""
        key = (operation, inputs, tuple(sorted(attributes.items(), key=repr)).__repr__())
        if name or key not in self._known:
            output = name or self._name(operation)
            self.made.append(helper.make_node(operation, list(inputs), [output], **attributes))
            self._known[key] = output
        return self._known[key]

    def constant(self, array: npt.NDArray[Any]) -> str:
        name = self._name("constant")
        self.constants.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def integers(self, *values: int) -> str:
        key = ("integers", values)
        if key not in self._known:
            self._known[key] = self.constant(np.array(values, np.int64))
        return self._known[key]

    def number(self, value: float) -> str:
        key = ("number", value)
        if key not in self._known:
            self._known[key] = self.constant(np.array(value, np.float32))
        return self._known[key]

    @contextmanager
    def only_if(
        self, asked: str, output: str, otherwise: npt.NDArray[np.float32]
    ) -> Iterator[None]:
        """What is made inside runs where the Boolean `asked` holds and must end in `<output>/then`.

        `output` is its name outside, `otherwise` its value where it does not run.
        """
        outside, before = self.made, dict(self._known)
        self.made = []
        yield
        branch = helper.make_graph(
            self.made, f"{output}/run", [], [_free(f"{output}/then", otherwise.ndim)]
        )
        skip = helper.make_graph(
            [
                helper.make_node(
                    "Constant", [], [f"{output}/else"], value=numpy_helper.from_array(otherwise)
                )
            ],
            f"{output}/skip",
            [],
            [_free(f"{output}/else", otherwise.ndim)],
        )
        # Names made inside are unknown outside.
        self.made, self._known = outside, before
        self.made.append(
            helper.make_node("If", [asked], [output], then_branch=branch, else_branch=skip)
        )

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{self.prefix}/{kind.lower()}_{self._count}"


def _free(name: str, dimensions: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * dimensions)
