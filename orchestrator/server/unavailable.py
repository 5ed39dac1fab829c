"""503 for an endpoint that needs a model which does not answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from orchestrator.errors import InferenceError, Unavailable
from orchestrator.inference import Inference

RETRY_S = 5  # about how often a model that is not trusted is looked at


@dataclass(frozen=True, slots=True)
class Served:
    """The model plane of a running router; `models` are those that its policy asks."""

    inference: Inference
    models: Collection[str]


Serve = Callable[[], Served]  # raises NotStarted while there is none


@contextmanager
def answering(reason: str, model: str) -> Iterator[None]:
    """An InferenceError within becomes `Unavailable`.

    Only its code is told: its text names addresses of the model plane.
    """
    try:
        yield
    except InferenceError as error:
        said = f"{model} does not answer as it should ({error.code}); GET /ready says more"
        raise Unavailable(reason, said, RETRY_S) from error
