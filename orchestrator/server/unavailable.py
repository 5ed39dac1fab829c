"""503 for an endpoint that needs a model which does not answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from orchestrator.errors import InferenceError, RouterError
from orchestrator.inference import Inference

RETRY_S = 5  # about how often a model that is not trusted is looked at


class Unavailable(RouterError):
    """`reason` is the code of the error's body. `retry_after`, in seconds, is None where trying
    again would not help.
    """

    status = 503

    def __init__(self, reason: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Served:
    """The model plane of a running router; `models` are those that its policy asks."""

    inference: Inference
    models: Collection[str]


Serve = Callable[[], Served]  # raises NotStarted while there is none


@contextmanager
def answering(reason: str) -> Iterator[None]:
    """An InferenceError within becomes `Unavailable`."""
    try:
        yield
    except InferenceError as error:
        raise Unavailable(
            reason, f"{error} ({error.code}); GET /ready says more", RETRY_S
        ) from error
