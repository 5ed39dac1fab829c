"""A text encoder in the space of toy_vision: a label is the six numbers of its vector."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

CONFIG = """
name: "image_text_embedding"
backend: "python"
max_batch_size: 8
input [ { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] } ]
output [
  { name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 6 ] },
  { name: "UNREADABLE" data_type: TYPE_FP32 dims: [ 2 ] },
  { name: "WINDOWS" data_type: TYPE_INT32 dims: [ 1 ] },
  { name: "TRUNCATED" data_type: TYPE_BOOL dims: [ 1 ] }
]
instance_group [ { kind: KIND_CPU count: 1 } ]
dynamic_batching { }
"""

MODEL = """
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        texts = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy().ravel()
        rows = np.array([[float(one) for one in text.split()] for text in texts], np.float32)
        found = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return pb_utils.InferenceResponse([
            pb_utils.Tensor("EMBEDDING", found.astype(np.float32)),
            pb_utils.Tensor("UNREADABLE", np.zeros((len(rows), 2), np.float32)),
            pb_utils.Tensor("WINDOWS", np.ones((len(rows), 1), np.int32)),
            pb_utils.Tensor("TRUNCATED", np.zeros((len(rows), 1), bool)),
        ])
"""

TEXTS = ("1 0 0 0 0 0", "1 2 3 4 5 6")


def write(repository: Path) -> Path:
    """Add it to `repository`, with goldens."""
    folder = repository / "image_text_embedding"
    (folder / "1").mkdir(parents=True)
    (folder / "config.pbtxt").write_text(CONFIG)
    (folder / "1" / "model.py").write_text(MODEL)
    rows = np.array([[float(one) for one in text.split()] for text in TEXTS])
    document = {
        "tolerance": {"cosine": 0.9999},
        "texts": list(TEXTS),
        "windows": [1] * len(TEXTS),
        "truncated": [False] * len(TEXTS),
        "embeddings": (rows / np.linalg.norm(rows, axis=1, keepdims=True)).tolist(),
    }
    (folder / "goldens.json").write_text(json.dumps(document))
    return repository
