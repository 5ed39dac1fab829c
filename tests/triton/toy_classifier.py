"""A model with the tensors of `text_signals`, ready in a second.

`mood` is sad by the share of `s` in a text; `numbers` finds runs of digits.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.triton import toy

CONFIG = """
name: "signals"
backend: "python"
max_batch_size: 8
input [
  { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] },
  { name: "TASKS" data_type: TYPE_STRING dims: [ 1 ] }
]
output [
  { name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 8 ] },
  { name: "UNREADABLE" data_type: TYPE_FP32 dims: [ 2 ] },
  { name: "WINDOWS" data_type: TYPE_INT32 dims: [ 1 ] },
  { name: "TRUNCATED" data_type: TYPE_BOOL dims: [ 1 ] },
  { name: "PROBS_mood" data_type: TYPE_FP32 dims: [ 2 ] },
  { name: "SPANS_numbers" data_type: TYPE_INT32 dims: [ -1, 3 ] },
  { name: "SPAN_SCORES_numbers" data_type: TYPE_FP32 dims: [ -1 ] }
]
instance_group [ { count: 1 kind: KIND_CPU } ]
dynamic_batching { }
"""

MODEL = """
import re


class TritonPythonModel:
    def execute(self, requests):
        with open("REQUESTS", "a") as file:
            file.write(f"{len(requests)}\\n")
        return [self.answer(request) for request in requests]

    def answer(self, request):
        texts, tasks = (
            pb_utils.get_input_tensor_by_name(request, name).as_numpy().ravel()
            for name in ("TEXT", "TASKS")
        )
        asked = [row.decode().split(",") for row in tasks]
        moods, found = [], []
        for text, names in zip(texts, asked):
            sad = text.count(b"s") / max(len(text), 1)
            moods.append([1 - sad, sad] if "mood" in names else [np.nan, np.nan])
            matches = re.finditer(r"\\d+", text.decode()) if "numbers" in names else ()
            found.append([(m.start(), m.end(), int(len(m[0]) > 2)) for m in matches])
        most = max(map(len, found))
        spans = np.full((len(texts), most, 3), -1, np.int32)
        scores = np.zeros((len(texts), most), np.float32)
        for row, some in enumerate(found):
            for place, span in enumerate(some):
                spans[row, place], scores[row, place] = span, 0.75
        tensors = {
            "EMBEDDING": np.stack([vector(text) for text in texts]).astype(np.float32),
            "UNREADABLE": np.zeros((len(texts), 2), np.float32),
            "WINDOWS": np.ones((len(texts), 1), np.int32),
            "TRUNCATED": np.zeros((len(texts), 1), bool),
            "PROBS_mood": np.array(moods, np.float32)[:, ::ORDER],
            "SPANS_numbers": spans,
            "SPAN_SCORES_numbers": scores,
        }
        names = request.requested_output_names()
        return pb_utils.InferenceResponse([pb_utils.Tensor(name, tensors[name]) for name in names])
"""

TEXTS = ("less", "", "I am 42: call 5550123")
LABELS = {
    "mood": {"kind": "sequence", "labels": ["glad", "sad"]},
    "numbers": {"kind": "token", "labels": ["SHORT", "LONG"]},
}


def mood(text: str) -> list[float]:
    sad = text.count("s") / max(len(text), 1)
    return [1 - sad, sad]


def numbers(text: str) -> list[tuple[int, int, int, float]]:
    found = re.finditer(r"\d+", text)
    return [(m.start(), m.end(), int(len(m[0]) > 2), 0.75) for m in found]


def write(repository: Path, *, order: int = 1) -> Path:
    """Add the model `signals` with goldens; `order` -1 exchanges its moods. It notes how many
    requests each batch has in `requests`."""
    version = repository / "signals" / "1"
    version.mkdir(parents=True)
    (repository / "signals" / "config.pbtxt").write_text(CONFIG)
    source = MODEL.replace("ORDER", str(order)).replace("REQUESTS", str(repository / "requests"))
    source = toy.BEGINNING + source
    (version / "model.py").write_text(source)
    document = {
        "tolerance": {"cosine": 0.999, "probability": 0.01, "span_score": 0.05},
        "names": ["canary sad", "empty", "canary SHORT and LONG"],
        "texts": TEXTS,
        "windows": [1] * len(TEXTS),
        "truncated": [False] * len(TEXTS),
        "embeddings": [toy.vector(text.encode()).tolist() for text in TEXTS],
        "probabilities": {"mood": [mood(text) for text in TEXTS]},
        "entities": {"numbers": [numbers(text) for text in TEXTS]},
    }
    (repository / "signals" / "goldens.json").write_text(json.dumps(document))
    (repository / "signals" / "labels.json").write_text(json.dumps(LABELS))
    return repository
