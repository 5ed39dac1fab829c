"""A float32 graph into one whose types say where it computes in sixteen bits.

TensorRT 11 takes precision from nowhere else (its networks are strongly typed); TensorRT 10 may.
Nodes whose name a pattern matches stay float32; between the two there are casts. Inputs and outputs
of the graph keep their types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

from build_engines.errors import SpecError
from build_engines.gpu.spec import FP32, Precision

TYPES: Mapping[Precision, int] = {
    "fp16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16,
    "fp32": TensorProto.FLOAT,
}
# Give what they are given, in another shape.
SAME = frozenset({"Expand", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
LARGEST_HALF = float(np.finfo(np.float16).max)
# The least that float16 holds with all its digits; what is smaller vanishes or is coarse.
SMALLEST_HALF = float(np.finfo(np.float16).tiny)


def kept(model: onnx.ModelProto, patterns: Sequence[str], precision: Precision) -> frozenset[str]:
    """The names of the nodes that stay float32: those of the patterns, and of float16 those that
    read one number which it does not hold (the 1e-12 below which nothing is divided), or what may
    be that number (the division).

    Raises SpecError where a pattern that the spec states matches nothing.
    """
    names = [node.name for node in model.graph.node]
    if precision == "fp32":
        return frozenset(names)
    found: set[str] = set()
    for pattern in patterns:
        matched = {name for name in names if fnmatchcase(name, pattern)}
        if not matched and pattern not in FP32:
            raise SpecError(f"gpu.fp32: no node is called {pattern!r}, for example {names[-1]!r}")
        found |= matched
    if precision == "fp16":
        found |= _beyond_half(model.graph)
    return frozenset(found)


def typed(
    model: onnx.ModelProto, precision: Precision, patterns: Sequence[str] = FP32
) -> onnx.ModelProto:
    """The graph with casts and with its weights in the type that they are read in.

    Raises SpecError for a pattern that matches nothing, where a weight does not fit sixteen bits
    (with the pattern that keeps its node), and where ONNX has no such operation in the precision.
    """
    if precision == "fp32":
        return model
    writer = _Typing(model, TYPES[precision], kept(model, patterns, precision))
    try:
        return writer.written()
    except shape_inference.InferenceError as error:
        raise SpecError(f"gpu.precision {precision!r}: {error}; add its node to gpu.fp32") from None


class _Typing:
    """One conversion. A value has two forms at most: as it is made, and cast."""

    def __init__(self, model: onnx.ModelProto, narrow: int, wide: frozenset[str]) -> None:
        self._model, self._narrow, self._wide = model, narrow, wide
        self._weights = {one.name: one for one in model.graph.initializer}
        self._types = _types(model)
        self._made: dict[str, int] = {one.name: self._types[one.name] for one in model.graph.input}
        self._nodes: list[onnx.NodeProto] = []
        self._stored: dict[str, onnx.TensorProto] = {}
        self._cast: set[str] = set()

    def written(self) -> onnx.ModelProto:
        outputs = {one.name for one in self._model.graph.output}
        for node in self._model.graph.node:
            self._write(node, outputs)
        graph = helper.make_graph(
            self._nodes,
            self._model.graph.name,
            self._model.graph.input,
            self._model.graph.output,
            list(self._stored.values()),
        )
        model = helper.make_model(
            graph, opset_imports=self._model.opset_import, ir_version=self._model.ir_version
        )
        onnx.checker.check_model(model, full_check=True)
        return model

    def _write(self, node: onnx.NodeProto, outputs: Iterable[str]) -> None:
        type_ = TensorProto.FLOAT if node.name in self._wide else self._narrow
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = [self._read(value, type_, node.name) for value in node.input]
        for attribute in copy.attribute:
            if attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = type_
        ends = []
        for at, value in enumerate(node.output):
            if self._types[value] != TensorProto.FLOAT:
                self._made[value] = self._types[value]
                continue
            self._made[value] = type_
            if value in outputs and type_ != TensorProto.FLOAT:
                copy.output[at] = f"{value}/narrow"
                ends.append(_cast(copy.output[at], value, TensorProto.FLOAT))
                self._made[value] = TensorProto.FLOAT
        self._nodes += [copy, *ends]

    def _read(self, value: str, type_: int, node: str) -> str:
        """The name of `value` in the type that a node computes in."""
        if value in self._weights:
            return self._weight(value, type_, node)
        if not value or self._made[value] == type_ or self._types[value] != TensorProto.FLOAT:
            return value
        name = f"{value}/{'wide' if type_ == TensorProto.FLOAT else 'narrow'}"
        if name not in self._cast:
            self._cast.add(name)
            self._nodes.append(_cast(value, name, type_))
        return name

    def _weight(self, value: str, type_: int, node: str) -> str:
        weight = self._weights[value]
        if weight.data_type != TensorProto.FLOAT or type_ == TensorProto.FLOAT:
            self._stored[value] = weight
            return value
        name = f"{value}/narrow"
        if name not in self._stored:
            array = numpy_helper.to_array(weight)
            if type_ == TensorProto.FLOAT16:
                _fits(array, value, node)
            self._stored[name] = _narrowed(array, name, type_)
        return name


def _types(model: onnx.ModelProto) -> dict[str, int]:
    """Value -> its type in the float32 graph."""
    graph = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
    values = [*graph.input, *graph.value_info, *graph.output]
    return {one.name: one.type.tensor_type.elem_type for one in values}


def _cast(value: str, name: str, type_: int) -> onnx.NodeProto:
    return helper.make_node("Cast", [value], [name], name=f"Cast/{name}", to=type_)


def _narrowed(array: npt.NDArray[np.generic], name: str, type_: int) -> onnx.TensorProto:
    if type_ == TensorProto.FLOAT16:
        return numpy_helper.from_array(array.astype(np.float16), name)
    bits = array.astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16  # to the nearest, ties to even
    raw = rounded.astype(np.uint16).tobytes()
    return helper.make_tensor(name, type_, array.shape, raw, raw=True)


def _fits(array: npt.NDArray[np.generic], value: str, node: str) -> None:
    largest = float(np.abs(array.astype(np.float64)).max(initial=0))
    if largest > LARGEST_HALF:
        raise SpecError(
            f"{node}: {value} is {largest:g}, which float16 does not hold; "
            f"add {node!r} to gpu.fp32, or a pattern that matches it"
        )


def _beyond_half(graph: onnx.GraphProto) -> set[str]:
    strange = {one.name for one in graph.initializer if _vanishes(one)}
    limits = set(strange)
    found = set()
    for node in graph.node:
        if strange.intersection(node.input):
            found.add(node.name)
            if node.op_type in SAME or limits.intersection(node.input):
                strange.update(node.output)
    return found


def _vanishes(weight: onnx.TensorProto) -> bool:
    """Whether it is one number, a limit or a scale: of many, a few may well be nearly 0."""
    if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) != 1:
        return False
    size = float(np.abs(numpy_helper.to_array(weight)).max())
    return size > LARGEST_HALF or 0 < size < SMALLEST_HALF
