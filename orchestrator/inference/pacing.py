"""Many texts, or many pieces of one, asked little by little.

All at once they would wait in the model server's queue, each longer than one request may take, and
the requests of clients behind them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from orchestrator.errors import InferenceError
from orchestrator.inference import Classification, Embeddings, Inference, Seen

T = TypeVar("T")

MOST_BYTES = 8_192  # of UTF-8 in one question; a longer text goes alone
MOST_TEXTS = 16
# Questions of one caller that are on their way, each of some requests (rows.py): so that all
# instances of a model work for a lone caller, and what others ask gets in between.
AT_ONCE = 2


class Paced:
    """`Inference` that asks for a few texts at a time."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """See `Inference.embed`. At least one text."""
        found = await little_by_little(texts, lambda few: self._inference.embed(model, few))
        if len({len(vector) for vector in found.values()}) != 1:  # replaced between two questions
            raise InferenceError(f"{model}: its embeddings differ in length")
        return np.stack([found[text] for text in texts])

    async def classify(
        self, model: str, texts: Sequence[str], tasks: Collection[str]
    ) -> list[Classification]:
        """See `Inference.classify`."""
        found = await little_by_little(
            texts, lambda few: self._inference.classify(model, few, tasks)
        )
        return [found[text] for text in texts]

    async def see(self, model: str, pictures: Sequence[bytes]) -> Seen:
        """See `Inference.see`."""
        return await self._inference.see(model, pictures)

    def labels(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """See `Inference.labels`."""
        return self._inference.labels(model)

    def languages(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """See `Inference.languages`."""
        return self._inference.languages(model)


async def little_by_little(
    texts: Iterable[str],
    ask: Callable[[list[str]], Awaitable[Iterable[T]]],
    needed: Callable[[str], bool] = lambda _: True,
) -> dict[str, T]:
    """What `ask` says of each text, each asked once, in order and AT_ONCE questions at a time.

    A text that is not `needed` when its turn comes is left out. Callers that begin at the same
    moment with the same texts stay side by side, so that they keep asking at the same moments.
    The first failure, or a cancelled caller, ends what is on its way.
    """
    groups = [*paced(dict.fromkeys(texts))]
    turn = iter(groups)
    found: dict[str, T] = {}

    async def work() -> None:
        for group in turn:
            if few := [text for text in group if needed(text)]:
                found.update(zip(few, await ask(few), strict=True))

    if len(groups) > 1:
        await together([work() for _ in range(min(AT_ONCE, len(groups)))])
    else:  # without a task of its own: what is asked of a short text leaves as early as can be
        await work()
    return found


async def together(asking: Iterable[Awaitable[T]]) -> list[T]:
    """Begun at the same moment, so that it travels together; the first failure ends all."""
    tasks = [asyncio.ensure_future(one) for one in asking]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def paced(texts: Iterable[str]) -> Iterator[list[str]]:
    """In order, none of them empty."""
    few: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode("utf-8", "replace"))
        if few and (size + length > MOST_BYTES or len(few) == MOST_TEXTS):
            yield few
            few, size = [], 0
        few.append(text)
        size += length
    if few:
        yield few
