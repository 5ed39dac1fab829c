"""How much closer a text is to some examples than to others (spec/signals.md 2.14).

The score is the highest cosine with an example of one side, less the highest with one of the other;
without another side it is the former alone. Of a text in pieces, the highest piece counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.config.modules import PrototypeScoring
from orchestrator.errors import InferenceError
from orchestrator.inference import Inference
from orchestrator.inference.examples import MODEL, Banks, Examples
from orchestrator.inference.pacing import Paced
from orchestrator.matching.pieces import Cut, pieces

# What is meant by one sentence is lost in the mean of a long text: pieces of some 384 tokens.
MOST_BYTES, OVERLAP = 1_536, 256
EVERY = PrototypeScoring(enabled=False)  # each example is compared

Scores = Sequence[float | None]  # one for each text; None: it is blank


@dataclass(frozen=True, slots=True)
class Sides:
    towards: tuple[str, ...]
    away: tuple[str, ...] = ()


class Contrast:
    """Several pairs of sides, in order. `subject` names the examples in the log."""

    def __init__(self, inference: Inference, subject: str, sides: Sequence[Sides]) -> None:
        self._inference = inference
        self._sides = tuple(sides)
        every = [texts for one in sides for texts in (one.towards, one.away) if texts]
        self._banks = Banks(inference, subject, [Examples(texts, EVERY) for texts in every])

    async def start(self) -> None:
        """Embed the examples now. A failure of the model server is kept, not raised."""
        await self._banks.start()

    async def scores(self, texts: Sequence[Cut]) -> list[Scores]:
        """Of each pair, the score of each text. Raises InferenceError."""
        read = [[small for c in one.pieces for small in _fine(c.text)] for one in texts]
        distinct = list(dict.fromkeys(piece for one in read for piece in one))
        if not self._sides or not distinct:
            return [[None] * len(texts) for _ in self._sides]
        stack = await self._banks.stack()
        vectors = await Paced(self._inference).embed(MODEL, distinct)
        if vectors.shape[1] != stack.dimension:
            self._banks.forget()
            raise InferenceError(
                f"{MODEL} now answers with {vectors.shape[1]} numbers and not {stack.dimension}"
            )
        rows = [[score.best for score in stack.score(vector)] for vector in vectors]
        of = dict(zip(distinct, map(self._differences, rows), strict=True))
        return [
            [max((of[piece][pair] for piece in one), default=None) for one in read]
            for pair in range(len(self._sides))
        ]

    def _differences(self, best: Sequence[float]) -> list[float]:
        """Of each pair, given the highest cosine with each side that there is."""
        cosines = iter(best)
        return [next(cosines) - (next(cosines) if one.away else 0.0) for one in self._sides]


def _fine(text: str) -> list[str]:
    return [piece.text for piece in pieces(text, MOST_BYTES, OVERLAP).pieces]
