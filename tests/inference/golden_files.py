"""Model repositories with right answers for the models that a FakeTriton serves."""

import hashlib
import json
from pathlib import Path

from tests.inference.fake_models import TASKS, known, pixels, probabilities, spans, vector


def write_pictures(repository: Path, model: str, **changes) -> Path:
    """A model repository with right answers for `model`, which sees pictures."""
    files = {"a.png": b"one", "b.jpg": b"two", "c.gif": b"drei", "d.webp": b"vier", "e.png": b"5"}
    document = {
        "model": model,
        "tolerance": {"cosine": 0.9999, "known": 0.01},
        "floor": 0.25,
        "pictures": list(files),
        "pixels": [hashlib.sha256(pixels(one).tobytes()).hexdigest() for one in files.values()],
        "embeddings": [vector(one).tolist() for one in files.values()],
        "known": [known(one) for one in files.values()],
    }
    (repository / model / "pictures").mkdir(parents=True)
    for name, content in files.items():
        (repository / model / "pictures" / name).write_bytes(content)
    (repository / model / "goldens.json").write_text(json.dumps(document | changes))
    return repository


def write_goldens(repository: Path, model: str) -> Path:
    """A model repository with right answers for `model`, which only embeds."""
    texts = ["one", "two", "", "vier"]
    return _write(repository, model, texts, {"tolerance": {"cosine": 0.999}})


def write_classifier(repository: Path, model: str) -> Path:
    """A model repository with right answers for `model` with all of TASKS."""
    texts = ["one", "two", "", "I am 42: call 5550123"]
    sequence = [name for name, task in TASKS.items() if not task.spans]
    document = {
        "tolerance": {"cosine": 0.999, "probability": 0.01, "span_score": 0.05},
        "names": [f"text {number}" for number in range(len(texts))],
        "probabilities": {
            name: [probabilities(text.encode(), name).tolist() for text in texts]
            for name in sequence
        },
        "entities": {"pii": [spans(text.encode()) for text in texts]},
    }
    _write(repository, model, texts, document)
    kinds = {
        name: {"kind": "token" if task.spans else "sequence", "labels": task.labels}
        for name, task in TASKS.items()
    }
    (repository / model / "labels.json").write_text(json.dumps(kinds))
    return repository


def _write(repository, model, texts, document):
    document = document | {
        "texts": texts,
        "windows": [1] * len(texts),
        "truncated": [False] * len(texts),
        "embeddings": [vector(text.encode()).tolist() for text in texts],
    }
    (repository / model).mkdir()
    (repository / model / "goldens.json").write_text(json.dumps(document))
    return repository
