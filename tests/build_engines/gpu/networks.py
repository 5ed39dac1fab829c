"""Small graphs, written by hand."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


def network(nodes, weights, inputs, outputs):
    """`nodes`: (operation, inputs, output, attributes); a node is called as the graphs' are."""
    made = [
        helper.make_node(kind, reads, [output], name=f"{kind}/{output}", **attributes)
        for kind, reads, output, attributes in nodes
    ]
    graph = helper.make_graph(
        made,
        "small",
        [helper.make_tensor_value_info(name, type_, shape) for name, type_, shape in inputs],
        [helper.make_tensor_value_info(name, type_, shape) for name, type_, shape in outputs],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    return model


def head(limit=1e-12):
    """x W, its softmax, and x over its length: what an encoder ends with."""
    draw = np.random.default_rng(3)
    return network(
        [
            ("MatMul", ["x", "w"], "product", {}),
            ("Softmax", ["product"], "shares", {"axis": -1}),
            ("ReduceL2", ["product", "axes"], "length", {"keepdims": 1}),
            ("Max", ["length", "limit"], "bounded", {}),
            ("Div", ["product", "bounded"], "unit", {}),
        ],
        {
            "w": draw.normal(size=(8, 4)).astype(np.float32),
            "axes": np.array([-1]),
            "limit": np.float32(limit),
        },
        [("x", FLOAT, ["n", 8])],
        [("shares", FLOAT, ["n", 4]), ("unit", FLOAT, ["n", 4])],
    )


def types_of(model):
    """Value -> the name of its type."""
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    values = [*graph.input, *graph.value_info, *graph.output]
    found = {one.name: one.type.tensor_type.elem_type for one in values}
    found |= {one.name: one.data_type for one in graph.initializer}
    return {name: TensorProto.DataType.Name(type_) for name, type_ in found.items()}


def node(model, name):
    return next(one for one in model.graph.node if one.name == name)
