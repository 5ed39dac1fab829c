"""The image preprocessor without Triton."""

import importlib

import numpy as np
import pytest

from tests.model_repository.images.settings import BYTES, FOLDER, PARAMETERS, PIXELS


@pytest.fixture(scope="module", autouse=True)
def code():
    """The modules beside model.py, by name, imported as Triton imports them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER / "1"))
        yield {name: importlib.import_module(name) for name in ("headers", "pixels")}


@pytest.fixture
def preprocessor(code):
    def build(**changes):
        module = code["pixels"]
        return module.Preprocessor(module.Settings.read({**PARAMETERS, **changes}))

    return build


@pytest.fixture
def decode(code):
    def decoded(data, max_bytes=BYTES, max_pixels=PIXELS):
        picture = code["pixels"].decode(data, max_bytes, max_pixels)
        assert picture.mode == "RGB"
        return np.asarray(picture)

    return decoded
