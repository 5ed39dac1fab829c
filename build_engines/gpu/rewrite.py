"""Changes to a graph that leave its answers as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from build_engines.errors import WeightsError

Names = Mapping[str, str]


def inlined(nodes: Iterable[onnx.NodeProto]) -> list[onnx.NodeProto]:
    """Every `If` as if its condition held: what its branch makes, without the branch."""
    found: list[onnx.NodeProto] = []
    for node in nodes:
        if node.op_type != "If":
            found.append(node)
            continue
        branch = next(one.g for one in node.attribute if one.name == "then_branch")
        own = {inner.name: outer for inner, outer in zip(branch.output, node.output, strict=True)}
        found += inlined(renamed(each, own) for each in branch.node)
    return found


def renamed(node: onnx.NodeProto, names: Names) -> onnx.NodeProto:
    """A copy that reads and makes values of other names."""
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    for values in (copy.input, copy.output):
        values[:] = [names.get(value, value) for value in values]
    return copy


def widened(graph: onnx.GraphProto) -> dict[str, str]:
    """Weights that are stored as float16 become float32, and casts of them go.

    Returns value -> what stands for it now. Computing was float32 before and stays so.
    """
    halves = set()
    for weight in graph.initializer:
        if weight.data_type == TensorProto.FLOAT16:
            halves.add(weight.name)
            wide = numpy_helper.to_array(weight).astype(np.float32)
            weight.CopyFrom(numpy_helper.from_array(wide, weight.name))
    stands: dict[str, str] = {}
    kept = []
    for node in graph.node:
        to = next((one.i for one in node.attribute if one.name == "to"), None)
        if node.op_type == "Cast" and to == TensorProto.FLOAT and node.input[0] in halves:
            stands[node.output[0]] = stands.get(node.input[0], node.input[0])
            continue
        if node.op_type in ("Gather", "Reshape", "Transpose") and node.input[0] in halves:
            halves.add(node.output[0])
        elif halves.intersection(node.input):
            raise WeightsError(f"{node.op_type} computes in float16: {node.output[0]}")
        kept.append(node)
    del graph.node[:]
    graph.node.extend(kept)
    return stands


def substituted(nodes: Iterable[onnx.NodeProto], stands: Names) -> list[onnx.NodeProto]:
    """The nodes, reading in place of each value what stands for it; chains are followed."""

    def last(name: str) -> str:
        while name in stands:
            name = stands[name]
        return name

    names = {name: last(name) for name in stands}
    found = []
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = [names.get(value, value) for value in copy.input]
        found.append(copy)
    return found


def once(nodes: Iterable[onnx.NodeProto]) -> list[onnx.NodeProto]:
    """The same operation on the same values is made once. `nodes` are in order."""
    made: dict[tuple[object, ...], list[str]] = {}
    stands: dict[str, str] = {}
    found = []
    for node in nodes:
        inputs = tuple(stands.get(value, value) for value in node.input)
        attributes = sorted(one.SerializeToString(deterministic=True) for one in node.attribute)
        key = (node.op_type, node.domain, inputs, *attributes)
        if key in made:
            stands |= dict(zip(node.output, made[key], strict=True))
            continue
        made[key] = list(node.output)
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = inputs
        found.append(copy)
    return found


def scaled_before(nodes: list[onnx.NodeProto], numbers: frozenset[str]) -> list[onnx.NodeProto]:
    """A product of two computed matrices times one of `numbers`: the number goes to the first.

    TensorRT fuses attention only where queries are scaled, and scores in sixteen bits stay small
    (its documentation, "Fused Attention", 2026-11).
    """
    readers = Counter(value for node in nodes for value in node.input)
    made = {node.output[0]: node for node in nodes}
    scales = {}
    for node in nodes:
        product = made.get(node.input[0]) if node.op_type == "Mul" else None
        if product is None or product.op_type != "MatMul" or node.input[1] not in numbers:
            continue
        if readers[node.input[0]] == 1 and all(value in made for value in product.input):
            scales[product.output[0]] = node
    found = []
    for node in nodes:
        scale = scales.get(node.output[0])
        if scale is not None:
            rows, columns = node.input
            name = f"{scale.output[0]}/rows"
            found.append(helper.make_node("Mul", [rows, scale.input[1]], [name]))
            found.append(helper.make_node("MatMul", [name, columns], list(scale.output)))
        elif node.op_type != "Mul" or node.input[0] not in scales:
            found.append(node)
    return found


def needed(nodes: list[onnx.NodeProto], outputs: Iterable[str]) -> list[onnx.NodeProto]:
    """Those that `outputs` depend on, in their order."""
    wanted = set(outputs)
    found = []
    for node in reversed(nodes):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            found.append(node)
    return found[::-1]


def named(nodes: Iterable[onnx.NodeProto]) -> list[onnx.NodeProto]:
    """Each is called `<operation>/<its first output>`: what patterns of a spec are written for."""
    found = []
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.name = f"{node.op_type}/{node.output[0]}"
        found.append(copy)
    return found
