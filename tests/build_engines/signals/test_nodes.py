import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the engines environment: make test-engines")

import onnxruntime as ort
from onnx import TensorProto, helper

from build_engines.signals.nodes import Nodes


def test_the_same_operation_on_the_same_inputs_is_made_once():
    nodes = Nodes("task")

    first = nodes.add("Softmax", "x", axis=-1)

    assert nodes.add("Softmax", "x", axis=-1) == first
    assert nodes.add("Softmax", "x", axis=0) != first
    assert nodes.add("Softmax", "y", axis=-1) != first
    assert [node.op_type for node in nodes.made] == ["Softmax"] * 3


def test_numbers_are_stored_once_and_all_names_have_the_prefix():
    nodes = Nodes("task")

    names = {nodes.integers(0), nodes.integers(0), nodes.number(0), nodes.integers(0, 0)}

    assert len(names) == len(nodes.constants) == 3
    assert all(name.startswith("task/") for name in names)


@pytest.fixture
def conditional():
    """y = 2x where it is asked; twice is known inside only."""
    nodes = Nodes("task")
    two = nodes.number(2)
    with nodes.only_if("asked", "y", np.zeros((0, 3), np.float32)):
        inside = nodes.add("Mul", "x", two)
        nodes.add("Identity", inside, name="y/then")
    outside = nodes.add("Mul", "x", two)
    nodes.add("Identity", outside, name="z")
    graph = helper.make_graph(
        nodes.made,
        "conditional",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3]),
            helper.make_tensor_value_info("asked", TensorProto.BOOL, []),
        ],
        [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 3]),
            helper.make_tensor_value_info("z", TensorProto.FLOAT, [None, 3]),
        ],
        nodes.constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return ort.InferenceSession(model.SerializeToString())


@pytest.mark.parametrize(
    ("asked", "rows"), [pytest.param(False, 0, id="not asked"), pytest.param(True, 2, id="asked")]
)
def test_a_part_runs_only_where_it_is_asked(conditional, asked, rows):
    values = np.arange(6, dtype=np.float32).reshape(2, 3)

    y, z = conditional.run(None, {"x": values, "asked": np.array(asked)})

    assert y.shape == (rows, 3)
    np.testing.assert_array_equal(y, 2 * values[:rows])
    np.testing.assert_array_equal(z, 2 * values)
