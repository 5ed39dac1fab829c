import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the engines environment: make test-engines")

from build_engines.gpu.precision import typed
from build_engines.gpu.rounding import opened, rounded
from tests.build_engines.gpu.networks import FLOAT, head, network

X = np.random.default_rng(4).normal(size=(5, 8)).astype(np.float32)


def brain(values):
    """To the nearest bfloat16, ties to even."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


def half(values):
    return np.asarray(values, np.float16).astype(np.float32)


@pytest.mark.parametrize(
    ("precision", "round_"),
    [pytest.param("fp16", half, id="half"), pytest.param("bf16", brain, id="brain")],
)
def test_every_narrow_value_is_rounded_and_sums_are_not(precision, round_):
    """x W as tensor cores give it: narrow factors, a float32 sum, a narrow result."""
    weight = np.random.default_rng(5).normal(size=(8, 4)).astype(np.float32)
    model = network(
        [("MatMul", ["x", "w"], "y", {})],
        {"w": weight},
        [("x", FLOAT, ["n", 8])],
        [("y", FLOAT, ["n", 4])],
    )

    (found,) = opened(rounded(typed(model, precision, ()))).run(None, {"x": X})

    np.testing.assert_array_equal(found, round_(round_(X) @ round_(weight)))
    assert (found != X @ weight).all()


def test_what_stays_float32_is_not_rounded():
    exact, _ = opened(head()).run(None, {"x": X})

    found, _ = opened(rounded(typed(head(), "fp16", ("*",)))).run(None, {"x": X})

    np.testing.assert_array_equal(found, exact)
