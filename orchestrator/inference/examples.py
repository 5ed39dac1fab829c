"""Banks of example texts, embedded once before traffic, and how close a request's text comes.

The signals that compare by meaning share this (spec/signals.md 2.2, 2.7, 2.11, 2.16): which model
they ask, how much of a long text they read, and what happens when the model changes under them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.config.modules import PrototypeScoring
from orchestrator.errors import InferenceError
from orchestrator.inference import Embeddings, Inference
from orchestrator.inference.attempt import LIMIT, Attempt
from orchestrator.inference.unreadable import missing, require
from orchestrator.matching.prototypes import Score, Stack, Vectors, build, shortened
from orchestrator.matching.samples import sample

MODEL = "text_embedding"  # its name in model_repository/

# Of a text; about 2,000 tokens, nine windows of the model. Reading costs 40 ms a window on one
# CPU thread (2026-11), so that much still fits a deadline of two seconds when others ask too.
MOST_BYTES = 8_192

# Hundreds of examples go in several calls, one after the other: none of them waits longer in the
# server's queue than one request may take, and requests of clients get in between.
MOST_TEXTS = 64
UNREAD = "%s: %d of %d are in no script that %s reads; nothing is like them"
SECONDS_EACH = 0.15  # of preparation, on one slow core with others asking

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Examples:
    """What one bank is built from; `average` scores the mean over all prototypes."""

    texts: tuple[str, ...]
    scoring: PrototypeScoring
    average: bool = False


class Banks:
    """The banks of some rules, in order. `subject` names them in the log.

    `model` embeds the examples. Only the first `dimension` numbers of its vectors count (0: all).
    """

    def __init__(
        self,
        inference: Inference,
        subject: str,
        examples: Sequence[Examples],
        model: str = MODEL,
        dimension: int = 0,
    ) -> None:
        self._inference = inference
        self._model = model
        self._subject = subject
        self._dimension = dimension
        self._examples = tuple(examples)
        self._texts = list(dict.fromkeys(text for one in self._examples for text in one.texts))
        limit = max(LIMIT, SECONDS_EACH * len(self._texts))
        self._stack = Attempt(subject, self._embed, limit=limit)

    async def start(self) -> None:
        """Embed the examples now. A failure of the model server is kept, not raised."""
        if self._examples:
            await self._stack.start()

    async def stack(self) -> Stack:
        """Raises the InferenceError for which there are no embeddings yet."""
        return await self._stack.value()

    async def against(self, vectors: Sequence[Vectors]) -> list[tuple[Score, ...]]:
        """Of each unit vector, its score with each of the banks. Raises InferenceError, also where
        the vectors are of another model than the examples.
        """
        stack = await self.stack()
        queries = [shortened(vector, self._dimension) for vector in vectors]
        for query in queries:
            if len(query) != stack.dimension:
                self.forget()
                raise InferenceError(
                    f"{self._model} gave {stack.dimension} numbers of a text, not {len(query)}"
                )
        return [tuple(stack.score(query)) for query in queries]

    def forget(self) -> None:
        """The model has changed: the next request embeds the examples anew."""
        self._stack.forget()

    async def _embed(self) -> Stack:
        parts = [
            await self._inference.embed(self._model, self._texts[start : start + MOST_TEXTS])
            for start in range(0, len(self._texts), MOST_TEXTS)
        ]
        if len({part.shape[1] for part in parts}) > 1:
            raise InferenceError(f"{self._model} was replaced while it embedded examples")
        every = np.concatenate(parts)
        if lost := missing(every):
            # Close to nothing, as the texts that might be like them are asked nothing.
            every[lost] = 0.0
            log.warning(UNREAD, self._subject, len(lost), len(every), self._model)
        rows = shortened(every, self._dimension)
        row_of = {text: row for row, text in enumerate(self._texts)}
        return Stack(
            [
                build(
                    one.texts,
                    rows[[row_of[text] for text in one.texts]],
                    one.scoring,
                    average=one.average,
                )
                for one in self._examples
            ]
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """`scores[i][j]` is the score of the j-th bank of the i-th `Banks`. `truncated`: of a sample
    of the text."""

    scores: tuple[tuple[Score, ...], ...]
    truncated: bool


async def compare(inference: Inference, text: str, several: Sequence[Banks]) -> Comparison:
    """The text, embedded once, against all of the banks. Raises InferenceError."""
    stacks = await asyncio.gather(*(banks.stack() for banks in several))
    (query,), truncated = await embed(inference, [text])
    for banks, stack in zip(several, stacks, strict=True):
        if len(query) != stack.dimension:
            banks.forget()
    for stack in stacks:
        if len(query) != stack.dimension:
            raise InferenceError(
                f"{MODEL} now answers with {len(query)} numbers and not {stack.dimension}"
            )
    return Comparison(tuple(tuple(stack.score(query)) for stack in stacks), truncated)


async def embed(
    inference: Inference, texts: Sequence[str], model: str = MODEL
) -> tuple[Embeddings, bool]:
    """One call with a sample of each text; and whether any of them was cut. Raises InferenceError,
    also where one of them cannot be read."""
    samples = [sample(text, MOST_BYTES) for text in texts]
    vectors = await inference.embed(model, [text for text, _ in samples])
    return require(model, vectors), any(cut for _, cut in samples)
