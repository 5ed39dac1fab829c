"""A graph of narrow types as a GPU computes it, for ONNX Runtime on a CPU.

Tensor cores multiply sixteen-bit numbers, add up in float32 and round what they give. So each node
computes in float32, and every value of a narrow type is rounded to it: ONNX Runtime has few kernels
of float16 for CPUs, none of bfloat16, and leaves the rounding out where it can. A GPU adds up in
another order and rounds less inside fused kernels; that much this cannot know.
"""

from __future__ import annotations

import os

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper, shape_inference

NARROW = (TensorProto.FLOAT16, TensorProto.BFLOAT16)
THREADS = 4


def rounded(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph in float32, with a rounding wherever a value is narrow."""
    graph = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
    types = {one.name: one.type.tensor_type.elem_type for one in [*graph.value_info, *graph.output]}
    nodes = []
    for node in graph.node:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        for attribute in copy.attribute:
            if attribute.name == "to" and attribute.i in NARROW:
                attribute.i = TensorProto.FLOAT
        nodes.append(copy)
        for at, value in enumerate(node.output):
            type_ = types.get(value)
            if type_ in NARROW:
                copy.output[at] = f"{value}/exact"
                nodes += _round(copy.output[at], value, type_)
    weights = [_wide(one) if one.data_type in NARROW else one for one in graph.initializer]
    return helper.make_model(
        helper.make_graph(nodes, graph.name, graph.input, graph.output, weights),
        opset_imports=model.opset_import,
        ir_version=model.ir_version,
    )


def opened(model: onnx.ModelProto) -> ort.InferenceSession:
    """A session that changes nothing of the graph: optimisers take a cast and its return away."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = min(THREADS, os.cpu_count() or 1)
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _round(value: str, name: str, type_: int) -> list[onnx.NodeProto]:
    short = f"{name}/short"
    return [
        helper.make_node("Cast", [value], [short], to=type_),
        helper.make_node("Cast", [short], [name], to=TensorProto.FLOAT),
    ]


def _wide(weight: onnx.TensorProto) -> onnx.TensorProto:
    return numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float32), weight.name)
