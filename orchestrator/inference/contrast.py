"""How much closer a text is to some examples than to others (spec/signals.md 2.14).

The score is the highest cosine with an example of one side, less the highest with one of the other;
without another side it is the former alone. Of a text in pieces, the highest piece counts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from orchestrator.config.modules import PrototypeScoring
from orchestrator.errors import InferenceError
from orchestrator.inference import Inference
from orchestrator.inference.examples import MODEL, Banks, Examples
from orchestrator.inference.pacing import Paced
from orchestrator.inference.unreadable import missing
from orchestrator.matching.packs import Place, packed
from orchestrator.matching.pieces import Cut, pieces

# What is meant by one sentence is lost in the mean of a long text: pieces of some 384 tokens.
MOST_BYTES, OVERLAP = 1_536, 256
EVERY = PrototypeScoring(enabled=False)  # each example is compared

Scores = Sequence[float | None]  # one for each text; None: it is blank, or was not read
Starts = tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class Sides:
    towards: tuple[str, ...]
    away: tuple[str, ...] = ()


class Contrasted(NamedTuple):
    """`scores`: of each pair, that of each text. Of each text, `read` are the places where its
    pieces start, and `illegible` those of which a part is in no script that the model reads."""

    scores: list[Scores]
    read: Starts = ()
    illegible: Starts = ()


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

    async def scores(self, texts: Sequence[Cut]) -> Contrasted:
        """Of each of `contents`, cut. Raises InferenceError."""
        read = [[small for c in one.pieces for small in _fine(c.text)] for one in texts]
        current, *earlier = read or [[]]
        own = {piece: Place(piece) for piece in current}
        # `packed`: see `questions.ask`.
        places = own | packed(p for one in earlier for p in one if p not in own)
        distinct = list(dict.fromkeys(place.text for place in places.values()))
        if not self._sides or not distinct:
            return Contrasted([[None] * len(texts) for _ in self._sides])
        stack = await self._banks.stack()
        vectors = await Paced(self._inference).embed(MODEL, distinct)
        if vectors.shape[1] != stack.dimension:
            self._banks.forget()
            raise InferenceError(
                f"{MODEL} now answers with {vectors.shape[1]} numbers and not {stack.dimension}"
            )
        lost = {distinct[row] for row in missing(vectors)}
        of = {
            text: self._differences([score.best for score in stack.score(vector)])
            for text, vector in zip(distinct, vectors, strict=True)
            if text not in lost
        }
        asked = [[text for p in one if (text := places[p].text) in of] for one in read]
        return Contrasted(
            [
                [max((of[text][pair] for text in one), default=None) for one in asked]
                for pair in range(len(self._sides))
            ],
            *_starts(texts, {piece for piece, place in places.items() if place.text in lost}),
        )

    def _differences(self, best: Sequence[float]) -> list[float]:
        """Of each pair, given the highest cosine with each side that there is."""
        cosines = iter(best)
        return [next(cosines) - (next(cosines) if one.away else 0.0) for one in self._sides]


def _starts(texts: Sequence[Cut], lost: Collection[str]) -> tuple[Starts, Starts]:
    """Where the pieces of each text start, and those of which a part is `lost`."""
    illegible = [
        frozenset(c.start for c in one.pieces if any(piece in lost for piece in _fine(c.text)))
        for one in texts
    ]
    return tuple(frozenset(c.start for c in one.pieces) for one in texts), tuple(illegible)


def _fine(text: str) -> list[str]:
    return [piece.text for piece in pieces(text, MOST_BYTES, OVERLAP).pieces]
