"""The names of an engine's tensors, which the steps before and after it share."""

from __future__ import annotations

INPUT_IDS, LENGTHS, EMBEDDING = "INPUT_IDS", "LENGTHS", "EMBEDDING_W"
PIXELS = "PIXELS"


def logits(task: str) -> str:
    """The output of a task of a text model."""
    return f"LOGITS_{task}"


def engine_of(model: str) -> str:
    """The model in the repository that holds the engine: a picture's encoder is one itself."""
    return model if model == "vision_encoder" else f"{model}_encoder"
