"""503 for an endpoint that needs a model which does not answer, and how long one waits for it.

Who asks the classify and embedding endpoints wants an answer about all of a text; a request that is
routed goes on without one. So they wait longer than the signals do, the longer the more there is to
read, on a machine that reads for others, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from orchestrator.errors import InferenceError, InferenceTimeout, Unavailable
from orchestrator.inference import Inference, Unhurried

RETRY_S = 5  # about how often a model that is not trusted is looked at

# Of the deadline of one inference: what a text of any length may take, and for how many bytes of
# UTF-8 once more. 50 KB of Chinese took 9 s on two busy CPU cores, and 28 s beside two more such
# texts (2026-11); what is no language at all takes three times as much a byte.
PATIENCE = 5
MORE_BYTES = 2_048
LONG_BYTES = 8_192  # where a model that is too late had much to read


@dataclass(frozen=True, slots=True)
class Served:
    """The model plane of a running router; `models` are those that its policy asks, `deadline`
    (seconds) that of one inference.
    """

    inference: Unhurried
    models: Collection[str]
    deadline: float


Serve = Callable[[], Served]  # raises NotStarted while there is none


@asynccontextmanager
async def patient(
    served: Served, reason: str, model: str, texts: Iterable[str]
) -> AsyncIterator[Inference]:
    """What answers questions about `texts`, as long as all of them together may take.

    An InferenceError within, or that time is over, becomes `Unavailable`. Only the code is told:
    the text of an error names addresses of the model plane.
    """
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    seconds = allowance(served.deadline, size)
    try:
        async with asyncio.timeout(seconds):
            yield served.inference.unhurried(seconds)
    except (TimeoutError, InferenceTimeout) as error:
        raise Unavailable(reason, _late(model, size, seconds), RETRY_S) from error
    except InferenceError as error:
        said = f"{model} does not answer as it should ({error.code}); GET /ready says more"
        raise Unavailable(reason, said, RETRY_S) from error


def allowance(deadline: float, size: int) -> float:
    """Seconds for `size` bytes of text."""
    return deadline * (PATIENCE + size / MORE_BYTES)


def _late(model: str, size: int, seconds: float) -> str:
    code = InferenceTimeout.code
    if size > LONG_BYTES:
        return (
            f"{size} bytes of text are too long for the deadline ({code}): {model} did not read "
            f"them within {seconds:.3g} s; send less at once, or set a longer "
            "global.services.triton.deadline"
        )
    return f"{model} did not answer within {seconds:.3g} s ({code}); GET /ready says more"
