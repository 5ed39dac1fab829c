"""A live text encoder on its golden texts: what the forward pass alone is off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from build_engines.live.pictures import Outcome, finite
from build_engines.live.server import Server, strings
from build_engines.vision.isolation import FORWARD, Floats
from build_engines.vision.isolation import compare as compared

SOME = 8  # texts of a request


@dataclass(frozen=True, slots=True)
class Read:
    """What the reference says of some texts."""

    names: Sequence[str]
    texts: Sequence[str]
    embeddings: Floats  # [texts, d]
    least: float  # cosine that is wanted
    probabilities: Mapping[str, Floats] = field(default_factory=dict)  # task -> [texts, classes]
    most: float = 0.0  # that a probability may be off


def compare(
    server: Server, model: str, read: Read, progress: Callable[[int], None] = lambda _: None
) -> Outcome:
    """Raises InferenceError where the server fails."""
    tasks = sorted(read.probabilities)
    outputs = ["EMBEDDING", *(f"PROBS_{task}" for task in tasks)]
    parts = []
    for at in range(0, len(read.texts), SOME):
        some = [text.encode(errors="replace") for text in read.texts[at : at + SOME]]
        inputs = {"TEXT": strings(some)}
        if tasks:
            inputs["TASKS"] = strings([",".join(tasks).encode()] * len(some))
        parts.append(server.infer(model, inputs, outputs))
        progress(len(some))
    found, *shares = (np.concatenate(each) for each in zip(*parts, strict=True))
    vector = compared(found, read.embeddings)
    off = {
        task: float(np.abs(share - read.probabilities[task]).max())
        for task, share in zip(tasks, shares, strict=True)
    }
    differs = []
    if not vector.cosines.min() >= read.least:
        row = int(vector.cosines.argmin())
        differs.append(f"embedding, least cosine {vector.cosines[row]:.5f} ({read.names[row]!r})")
    differs += [
        f"probabilities of {task}, off by {most:.4f}"
        for task, most in off.items()
        if not most <= read.most
    ]
    summary: dict[str, Any] = {FORWARD: vector.summary()}
    if off:
        summary["probabilities"] = {"max_abs": off}
    document = {
        "summary": summary,
        "texts": [
            {"name": name, FORWARD: {"cosine": float(cosine), "max_abs": float(largest)}}
            for name, cosine, largest in zip(
                read.names, vector.cosines, vector.largest, strict=True
            )
        ],
        "tolerance": {FORWARD: read.least} | ({"probabilities": read.most} if off else {}),
        "differs": differs,
    }
    return Outcome(finite(document), tuple(differs))
