"""503 for an endpoint that needs a model which does not answer, and how long one waits for it.

Who asks the classify and embedding endpoints wants an answer about all of a text; a request that is
routed goes on without one. So they wait longer than the signals do, the longer the more there is to
read, on a machine that reads for others, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from orchestrator.errors import (
    InferenceError,
    InferenceTimeout,
    Unavailable,
    UnreadableInput,
    UnreadableText,
)
from orchestrator.inference import Inference, Unhurried
from orchestrator.matching.tokens import tokens

RETRY_S = 5  # about how often a model that is not trusted is looked at

# Of the deadline of one inference: what a text of any length may take, for how many tokens once
# more, and how often at most. 17,000 of Chinese took 9 s on two busy CPU cores, and 28 s beside two
# more such texts (2026-11).
PATIENCE = 5
MORE_TOKENS = 512
MOST_MORE = 128
LONG_BYTES, LONG_TOKENS = 8_192, 2_048  # where a model that is too late had much to read

UNREADABLE = (
    "so much of a text is in a script that the model does not read, or in symbols, that nothing "
    "can be said of it"
)


@dataclass(frozen=True, slots=True)
class Served:
    """The model plane of a running router; `models` are those that its policy asks, `deadline`
    (seconds) that of one inference. `stand_ins`: model that is not loaded -> the one that answers
    in its place.
    """

    inference: Unhurried
    models: Collection[str]
    deadline: float
    stand_ins: Mapping[str, str] = field(default_factory=dict)

    def answering(self, model: str) -> str:
        """The one from which the answers of `model` come."""
        return self.stand_ins.get(model, model)


Serve = Callable[[], Served]  # raises NotStarted while there is none


@asynccontextmanager
async def patient(
    served: Served, reason: str, model: str, texts: Iterable[str]
) -> AsyncIterator[Inference]:
    """What answers questions about `texts`, as long as all of them together may take.

    A text that cannot be read becomes `UnreadableInput`; any other InferenceError within, or that
    time is over, `Unavailable`. Only the code is told:
    the text of an error names addresses of the model plane.
    """
    data = "\n".join(texts).encode("utf-8", "replace")
    count = tokens(data)
    long = len(data) > LONG_BYTES or count > LONG_TOKENS
    seconds = allowance(served.deadline, count)
    try:
        async with asyncio.timeout(seconds):
            yield served.inference.unhurried(seconds)
    except UnreadableText as error:
        raise UnreadableInput(UNREADABLE) from error
    except (TimeoutError, InferenceTimeout) as error:
        raise Unavailable(reason, _late(model, len(data) * long, seconds), RETRY_S) from error
    except InferenceError as error:
        said = f"{model} does not answer as it should ({error.code}); GET /ready says more"
        raise Unavailable(reason, said, RETRY_S) from error


def unreadable(fields: Iterable[str]) -> UnreadableInput:
    """Of a body with several texts, those that cannot be read."""
    named = list(fields)
    return UnreadableInput(f"{', '.join(named)}: {UNREADABLE}", named[0])


def allowance(deadline: float, count: int) -> float:
    """Seconds for `count` tokens."""
    return deadline * (PATIENCE + min(count / MORE_TOKENS, MOST_MORE))


def _late(model: str, size: int, seconds: float) -> str:
    """`size` is that of much text, in bytes, or 0."""
    code = InferenceTimeout.code
    if size:
        return (
            f"{size} bytes of text are too long for the deadline ({code}): {model} did not read "
            f"them within {seconds:.3g} s; send less at once, or set a longer "
            "global.services.triton.deadline"
        )
    return f"{model} did not answer within {seconds:.3g} s ({code}); GET /ready says more"
