import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the engines environment: make test-engines")

from build_engines.errors import SpecError
from build_engines.gpu.precision import kept, typed
from build_engines.gpu.rounding import opened, rounded
from tests.build_engines.gpu.networks import FLOAT, head, network, node, types_of

X = np.random.default_rng(4).normal(size=(5, 8)).astype(np.float32)


def read_by(model, name):
    """The types that a node reads."""
    types = types_of(model)
    return [types[value] for value in node(model, name).input]


def test_all_stays_as_it_is_in_float32():
    model = head()

    assert typed(model, "fp32") is model


@pytest.mark.parametrize(
    ("precision", "type_"),
    [pytest.param("fp16", "FLOAT16", id="half"), pytest.param("bf16", "BFLOAT16", id="brain")],
)
def test_nodes_compute_narrow_but_for_those_that_a_pattern_keeps(precision, type_):
    model = typed(head(limit=1e-3), precision, ("Softmax/*", "Reduce*/*"))

    assert read_by(model, "MatMul/product") == [type_, type_]
    assert read_by(model, "Softmax/shares") == ["FLOAT"]
    assert read_by(model, "ReduceL2/length") == ["FLOAT", "INT64"]
    assert read_by(model, "Div/unit") == [type_, type_]


def test_inputs_and_outputs_keep_their_types():
    model = typed(head(), "fp16", ())

    assert [one.type.tensor_type.elem_type for one in model.graph.input] == [FLOAT]
    assert [one.type.tensor_type.elem_type for one in model.graph.output] == [FLOAT, FLOAT]
    assert [one.name for one in model.graph.output] == ["shares", "unit"]


def test_a_value_is_cast_once_for_all_that_read_it():
    model = typed(head(), "fp16", ("Softmax/*", "Reduce*/*"))

    casts = [one.input[0] for one in model.graph.node if one.op_type == "Cast"]
    assert sorted(casts).count("product") == 1


def test_a_number_that_float16_does_not_hold_keeps_its_node_in_float32():
    model = head(limit=1e-12)

    assert kept(model, (), "fp16") == {"Max/bounded", "Div/unit"}
    assert read_by(typed(model, "fp16", ()), "Max/bounded") == ["FLOAT", "FLOAT"]
    assert kept(model, (), "bf16") == frozenset()  # it has the range of float32
    assert kept(head(limit=1e-3), (), "fp16") == frozenset()


def test_nothing_is_divided_by_a_limit_that_became_0():
    zeros = {"x": np.zeros((2, 8), np.float32)}
    (_, unit) = opened(rounded(typed(head(), "fp16", ()))).run(None, zeros)

    assert np.isfinite(unit).all()


def test_a_weight_that_float16_does_not_hold_is_refused_with_its_node():
    model = network(
        [("MatMul", ["x", "w"], "y", {})],
        {"w": np.full((8, 4), 70000, np.float32)},
        [("x", FLOAT, ["n", 8])],
        [("y", FLOAT, ["n", 4])],
    )

    with pytest.raises(SpecError, match=r"MatMul/y: w is 70000, .* add 'MatMul/y' to gpu.fp32"):
        typed(model, "fp16", ())
    assert read_by(typed(model, "fp16", ("MatMul/y",)), "MatMul/y") == ["FLOAT", "FLOAT"]


def test_a_pattern_that_matches_nothing_is_refused_unless_every_model_has_it():
    model = head()

    with pytest.raises(SpecError, match="no node is called 'Softmx/"):
        kept(model, ("Softmx/*",), "fp16")
    assert kept(model, ("LayerNormalization/*",), "bf16") == frozenset()


def test_what_onnx_has_not_in_bfloat16_is_refused():
    model = network(
        [("Conv", ["x", "w"], "y", {})],
        {"w": np.ones((2, 3, 1, 1), np.float32)},
        [("x", FLOAT, ["n", 3, 4, 4])],
        [("y", FLOAT, ["n", 2, 4, 4])],
    )

    with pytest.raises(SpecError, match="gpu.precision 'bf16': .*Conv/y"):
        typed(model, "bf16", ())


def test_tests_of_numbers_are_left_alone():
    """A Boolean made of floats, and a float made of a Boolean."""
    model = typed(
        network(
            [
                ("Less", ["x", "one"], "small", {}),
                ("Cast", ["small"], "mask", {"to": FLOAT}),
                ("Mul", ["x", "mask"], "y", {}),
            ],
            {"one": np.float32(1)},
            [("x", FLOAT, ["n", 8])],
            [("y", FLOAT, ["n", 8])],
        ),
        "fp16",
        (),
    )

    assert read_by(model, "Mul/y") == ["FLOAT16", "FLOAT16"]
    (found,) = opened(rounded(model)).run(None, {"x": X})
    np.testing.assert_allclose(found, np.where(X < 1, X, 0), atol=2e-3)
