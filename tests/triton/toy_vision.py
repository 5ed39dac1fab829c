"""An encoder of pictures without weights, and the ensemble of it and the real preprocessor.

It says how bright six stripes of the pixels are, so that other pixels show; goldens are made by the
preprocessor's own code outside of Triton.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from orchestrator.inference.repository import default_repository

ENCODER = """
name: "vision_encoder"
backend: "python"
max_batch_size: 8
input [ { name: "PIXELS" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] } ]
output [
  { name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 6 ] },
  { name: "KNOWN" data_type: TYPE_FP32 dims: [ 1 ] }
]
instance_group [ { kind: KIND_CPU count: 3 } ]
dynamic_batching { }
"""

ENSEMBLE = """
name: "image_signals"
platform: "ensemble"
max_batch_size: 4
input [ { name: "IMAGE" data_type: TYPE_STRING dims: [ 1 ] } ]
output [
  { name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 6 ] },
  { name: "KNOWN" data_type: TYPE_FP32 dims: [ 1 ] }
]
ensemble_scheduling { step [
  {
    model_name: "image_preprocess" model_version: -1
    input_map { key: "IMAGE" value: "IMAGE" }
    output_map { key: "PIXELS" value: "PIXELS" }
  },
  {
    model_name: "vision_encoder" model_version: -1
    input_map { key: "PIXELS" value: "PIXELS" }
    output_map { key: "EMBEDDING" value: "EMBEDDING" }
    output_map { key: "KNOWN" value: "KNOWN" }
  }
] }
"""

MODEL = """
import numpy as np
import triton_python_backend_utils as pb_utils


def see(pixels):
    stripes = pixels.reshape(len(pixels), 6, -1).mean(2) + np.float32(1.01)
    return stripes / np.linalg.norm(stripes, axis=1, keepdims=True)


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        pixels = pb_utils.get_input_tensor_by_name(request, "PIXELS").as_numpy()
        known = np.full((len(pixels), 1), 0.75, np.float32)
        return pb_utils.InferenceResponse([
            pb_utils.Tensor("EMBEDDING", see(pixels).astype(np.float32)),
            pb_utils.Tensor("KNOWN", known),
        ])
"""


def vector(pixels: np.ndarray) -> np.ndarray:
    stripes = pixels.reshape(6, -1).mean(1) + np.float32(1.01)
    return stripes / np.linalg.norm(stripes)


def pixels(picture: bytes, **changed: str) -> np.ndarray:
    """By the code of `image_preprocess`, with the settings of its config and what is changed."""
    folder = default_repository() / "image_preprocess"
    rows = (folder / "config.pbtxt").read_text(encoding="utf-8").splitlines()
    parts = [row.split('"') for row in rows if row.startswith("parameters")]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder / "1"))
        module = importlib.import_module("pixels")
    settings = module.Settings.read({part[1]: part[3] for part in parts} | changed)
    made: np.ndarray = module.Preprocessor(settings).pixels(picture)
    return made


def write(
    repository: Path, pictures: Mapping[str, bytes], *, sign: int = 1, **changed: str
) -> Path:
    """Add the three models to `repository`, with goldens of `pictures` by file name. They are of
    another encoder where `sign` is -1, and of another preprocessor where its settings are changed.
    """
    shutil.copytree(
        default_repository() / "image_preprocess",
        repository / "image_preprocess",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for name, config in (("vision_encoder", ENCODER), ("image_signals", ENSEMBLE)):
        (repository / name / "1").mkdir(parents=True)
        (repository / name / "config.pbtxt").write_text(config)
    (repository / "vision_encoder" / "1" / "model.py").write_text(MODEL)
    (repository / "image_signals" / "1" / "README").write_text("")
    folder = repository / "image_signals" / "pictures"
    folder.mkdir()
    made = {name: pixels(content, **changed) for name, content in pictures.items()}
    for name, content in pictures.items():
        (folder / name).write_bytes(content)
    document = {
        "tolerance": {"cosine": 0.9999, "known": 0.01},
        "floor": 0.25,
        "pictures": list(made),
        "pixels": [hashlib.sha256(one.tobytes()).hexdigest() for one in made.values()],
        "embeddings": [(sign * vector(one)).tolist() for one in made.values()],
        "known": [0.75] * len(made),
    }
    (repository / "image_signals" / "goldens.json").write_text(json.dumps(document))
    return repository
