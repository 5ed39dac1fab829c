"""A model with the tensors of `text_embedding`, ready in a second, for tests of faults.

Its vectors are hashes, so that a wrong row shows; a text `sleep:SECONDS` takes that long.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

CONFIG = """
backend: "python"
max_batch_size: 8
input [ { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] } ]
output [
  { name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 8 ] },
  { name: "WINDOWS" data_type: TYPE_INT32 dims: [ 1 ] },
  { name: "TRUNCATED" data_type: TYPE_BOOL dims: [ 1 ] }
]
instance_group [ { count: 2 kind: KIND_CPU } ]
dynamic_batching { }
"""

# What the source of every toy begins with.
BEGINNING = """
import hashlib

import numpy as np
import triton_python_backend_utils as pb_utils


def vector(text):
    raw = np.frombuffer(hashlib.sha256(text).digest(), np.uint32).astype(np.float32)
    raw = raw / np.float32(2**31) - 1
    return raw / np.linalg.norm(raw)
"""

MODEL = """
import time


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        texts = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy().ravel()
        for text in texts:
            if text.startswith(b"sleep:"):
                open("BEGUN", "w").close()
                deadline = time.monotonic() + float(text[6:])
                while time.monotonic() < deadline and not request.is_cancelled():
                    time.sleep(0.01)
                if request.is_cancelled():
                    open("CANCELLED", "w").close()
        rows = np.stack([SIGN * vector(text) for text in texts]).astype(np.float32)
        return pb_utils.InferenceResponse([
            pb_utils.Tensor("EMBEDDING", rows),
            pb_utils.Tensor("WINDOWS", np.ones((len(texts), 1), np.int32)),
            pb_utils.Tensor("TRUNCATED", np.zeros((len(texts), 1), bool)),
        ])
"""

TEXTS = ("one", "two", "", "vier")


def vector(text: bytes) -> np.ndarray:
    raw = np.frombuffer(hashlib.sha256(text).digest(), np.uint32).astype(np.float32)
    raw = raw / np.float32(2**31) - 1
    return raw / np.linalg.norm(raw)


def write(repository: Path, name: str = "toy", *, sign: int = 1) -> Path:
    """Add the model to `repository` with goldens; `sign` -1 makes it answer inverted."""
    version = repository / name / "1"
    version.mkdir(parents=True)
    (repository / name / "config.pbtxt").write_text(f'name: "{name}"{CONFIG}')
    source = BEGINNING + MODEL.replace("SIGN", str(sign))
    for told in ("BEGUN", "CANCELLED"):
        source = source.replace(told, str(repository / told.lower()))
    (version / "model.py").write_text(source)
    document = {
        "tolerance": {"cosine": 0.999},
        "texts": TEXTS,
        "windows": [1] * len(TEXTS),
        "truncated": [False] * len(TEXTS),
        "embeddings": [vector(text.encode()).tolist() for text in TEXTS],
    }
    (repository / name / "goldens.json").write_text(json.dumps(document))
    return repository
