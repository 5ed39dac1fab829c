"""Asks the methods of a guard about texts: as they are written, and once more what is in disguise.

A piece in disguise is read as a reader would read it (`matching/disguise.py`). Knows no thresholds
but the one from which on the classifier reads no further; what scores mean is the signal's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from orchestrator.errors import InferenceError
from orchestrator.inference import Inference
from orchestrator.inference.contrast import Contrast, Scores, Sides, Starts
from orchestrator.inference.evidence import Evidence, risks
from orchestrator.matching.disguise import plainly, undisguised
from orchestrator.matching.phrases import Phrases
from orchestrator.matching.pieces import Cut

# Characters of the current text, and of all others together, that are searched out of disguise. The
# most artful took 2.5 s on one core (2026-11); a body may have 32 MiB.
MOST_SEARCHED = 1_048_576
LONG = 4 * 1024  # characters; a search in more of them would hold the event loop


@dataclass(frozen=True, slots=True)
class Asker:
    """A rule, whether it reads earlier texts too, and its examples."""

    name: str
    history: bool
    examples: Sides


@dataclass(frozen=True, slots=True)
class Risk:
    """The probability of `labels` by `task`; a text of which a piece reaches `enough` is read no
    further. `askers` are the rules that weigh it."""

    task: str
    labels: tuple[str, ...]
    enough: float
    askers: tuple[Asker, ...]


class Inquiry:
    """Keeps nothing of a request: any number may run at once.

    `alike` are the rules that weigh how near a text is to their examples, `worded` those that look
    for them word for word. `subject` names the examples in the log.
    """

    def __init__(
        self,
        inference: Inference,
        subject: str,
        risk: Risk,
        alike: Sequence[Asker],
        worded: Sequence[Asker],
    ) -> None:
        self._inference = inference
        self._risk = risk
        self._alike = tuple(alike)
        self._worded = tuple(worded)
        self._contrast = Contrast(inference, subject, [one.examples for one in alike])
        self._phrases = {
            one.name: Phrases(one.examples.towards, one.examples.away) for one in worded
        }

    async def start(self) -> None:
        """Embed the examples now. A failure of the model server is kept, not raised."""
        await self._contrast.start()

    async def evidence(
        self, texts: Sequence[str], written: Sequence[Cut]
    ) -> tuple[Evidence, Evidence]:
        """Of `texts`, the current one first, as `written`; and of what in them is in disguise."""
        beside = asyncio.create_task(self._plain(written))
        try:
            found, again = await self._asked(written), await beside
        finally:
            beside.cancel()
        return await self.with_hits(texts, written, found, again)

    async def with_hits(
        self, texts: Sequence[str], read: Sequence[Cut], found: Evidence, again: Evidence
    ) -> tuple[Evidence, Evidence]:
        """With what phrases hit in whole texts; and out of disguise, where that is MOST_SEARCHED or
        less, or else in what the models read."""
        sizes = [len(text) for text in texts]
        whole = [sizes[0] <= MOST_SEARCHED, *[sum(sizes[1:]) <= MOST_SEARCHED] * len(sizes[1:])]

        def search() -> tuple[Evidence, Evidence]:
            written = self._hits([[text] for text in texts])
            parts = [
                (text,) if done else tuple(piece.text for piece in cut.pieces)
                for text, cut, done in zip(texts, read, whole, strict=True)
            ]
            plain = self._hits([[undisguised(part) for part in some] for some in parts])
            lost = [cut.truncated and not done for cut, done in zip(read, whole, strict=True)]
            return replace(found, hits=written), replace(again, hits=plain, unsearched=tuple(lost))

        if not self._phrases:
            return found, again
        return await asyncio.to_thread(search) if sum(sizes) > LONG else search()

    async def _asked(self, read: Sequence[Cut]) -> Evidence:
        """Of the models."""
        beside = asyncio.create_task(self._cosines(read))
        try:
            # At once, so that it travels with what other signals ask about the same text.
            return _beside(await self._risks(read), await beside)
        finally:
            beside.cancel()

    async def _plain(self, written: Sequence[Cut]) -> Evidence:
        """The same of what is in disguise."""
        long = sum(len(piece.text) for cut in written for piece in cut.pieces) > LONG
        read = await asyncio.to_thread(plainly, written) if long else plainly(written)
        return await self._asked(read) if any(cut.pieces for cut in read) else Evidence()

    async def _risks(self, read: Sequence[Cut]) -> Evidence:
        risk = self._risk
        if not risk.askers:
            return Evidence(cut=tuple(one.truncated for one in read))
        needed = _needed(read, risk.askers)
        return await risks(self._inference, needed, risk.task, risk.labels, risk.enough)

    async def _cosines(self, read: Sequence[Cut]) -> Evidence:
        try:
            found = await self._contrast.scores(_needed(read, self._alike))
        except InferenceError as error:
            return Evidence(cosines=error.code)
        scores = {one.name: score for one, score in zip(self._alike, found.scores, strict=True)}
        return Evidence(cosines=scores, read=found.read, illegible=found.illegible)

    def _hits(self, texts: Sequence[Sequence[str]]) -> dict[str, Scores]:
        """By rule; each text in pieces."""
        return {
            one.name: [
                float(any(map(self._phrases[one.name].found, pieces)))
                for pieces in (texts if one.history else texts[:1])
            ]
            for one in self._worded
        }


def _needed(read: Sequence[Cut], askers: Sequence[Asker]) -> Sequence[Cut]:
    return read if any(one.history for one in askers) else read[:1]


def _beside(risks: Evidence, cosines: Evidence) -> Evidence:
    """Both read the same pieces, or one of them none."""

    def either(some: Starts, others: Starts) -> Starts:
        pairs = zip_longest(some, others, fillvalue=frozenset[int]())
        return tuple(one | other for one, other in pairs)

    return replace(
        risks,
        cosines=cosines.cosines,
        read=either(risks.read, cosines.read),
        illegible=either(risks.illegible, cosines.illegible),
    )
