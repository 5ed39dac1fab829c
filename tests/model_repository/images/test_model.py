"""model.py with a stand-in for Triton's module."""

import importlib
import json
import types

import numpy as np
import pytest
from PIL import Image

from tests.model_repository.images.settings import FOLDER, PARAMETERS
from tests.model_repository.pictures import encoded, painted

# What a damaged file makes Pillow warn of is no defect of ours.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


PLAIN = encoded(Image.new("RGB", (5, 4), "red"))
JPEG = encoded(painted(64, 48), "JPEG")


@pytest.fixture(scope="module")
def model(code):
    """model.py with Triton's module replaced by a small stand-in."""
    backend = types.ModuleType("triton_python_backend_utils")
    backend.get_input_tensor_by_name = lambda request, name: request.tensors[name]
    backend.Tensor = lambda name, array: types.SimpleNamespace(name=name, array=array)
    backend.TritonError = lambda message, code: types.SimpleNamespace(message=message, code=code)
    backend.TritonError.INVALID_ARG, backend.TritonError.CANCELLED = "invalid", "cancelled"
    backend.InferenceResponse = lambda outputs=(), error=None: types.SimpleNamespace(
        outputs=outputs, error=error
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(importlib.sys.modules, "triton_python_backend_utils", backend)
        patch.syspath_prepend(str(FOLDER / "1"))
        served = importlib.import_module("model").TritonPythonModel()
        del importlib.sys.modules["model"]  # it holds the stand-in
        yield served


def start(model, dims):
    parameters = {name: {"string_value": value} for name, value in PARAMETERS.items()}
    config = {"parameters": parameters, "output": [{"name": "PIXELS", "dims": dims}]}
    model.initialize({"model_config": json.dumps(config)})


def request(*rows, cancelled=False):
    array = np.array(rows, object).reshape(-1, 1)
    tensor = types.SimpleNamespace(as_numpy=lambda: array)
    return types.SimpleNamespace(tensors={"IMAGE": tensor}, is_cancelled=lambda: cancelled)


def test_a_bad_request_gets_an_error_and_its_neighbours_pixels(model, preprocessor):
    start(model, ["3", "224", "224"])
    requests = [
        request(PLAIN),
        request(JPEG, b"hello"),
        request(PLAIN, cancelled=True),
        request(JPEG, PLAIN),
    ]

    first, bad, cancelled, last = model.execute(requests)

    assert (bad.error.code, cancelled.error.code) == ("invalid", "cancelled")
    assert bad.error.message.startswith("IMAGE is of no known format")
    wanted = [preprocessor().pixels(data) for data in (PLAIN, JPEG)]
    assert (first.outputs[0].array == wanted[0]).all()
    assert (last.outputs[0].array == wanted[::-1]).all()
    assert last.outputs[0].array.dtype == np.float32


def test_a_size_that_is_not_the_outputs_does_not_load(model):
    with pytest.raises(ValueError, match="by the size they are"):
        start(model, [3, 256, 256])
