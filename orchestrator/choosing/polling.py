"""What a selector needs to know of one request, asked of the models and of the standing.

The embedding, the cosines and the subject are asked at one moment, so that Triton answers them as
one row. A model that cannot be asked, or is late, costs the selector that value and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from orchestrator.choosing.building import method_of
from orchestrator.choosing.helper import ask
from orchestrator.config.decisions import Decision
from orchestrator.errors import InferenceError, InferenceTimeout
from orchestrator.inference import Embeddings, Inference
from orchestrator.inference.attempt import Attempt
from orchestrator.inference.examples import MODEL, UNREAD, embed
from orchestrator.inference.questions import TEXT_SIGNALS, topic
from orchestrator.inference.unreadable import missing
from orchestrator.protocols.session import IDENTITY, session_of
from orchestrator.selection import SELECTORS, Needs, Selector, Values, Vector
from orchestrator.signals.domain import TASK
from orchestrator.standing import Standing
from orchestrator.types import EMPTY, Request
from orchestrator.upstream import Upstream

DEADLINE = 2.0  # seconds
SUBJECT = "descriptions of models"

log = logging.getLogger(__name__)


class Poll:
    """`texts` are all that selectors compare requests with, embedded once. `deadline` in seconds;
    `identity` names the headers of session and conversation.
    """

    def __init__(
        self,
        inference: Inference,
        standing: Standing,
        upstream: Upstream,
        texts: Sequence[str] = (),
        deadline: float = DEADLINE,
        identity: tuple[str, str] = IDENTITY,
    ) -> None:
        self._inference = inference
        self._standing = standing
        self._upstream = upstream
        self._texts = tuple(dict.fromkeys(texts))
        self._embedded = Attempt(SUBJECT, self._embed)
        self._deadline = deadline
        self._identity = identity

    async def prepare(self) -> None:
        """Embed the texts before traffic. A failure is kept and tried again, not raised."""
        if self._texts:
            await self._embedded.start()

    async def values(self, selector: Selector[Any], request: Request, scope: str) -> Values:
        """What `selector` needs; `scope` is the decision's name for the standing."""
        needs = selector.needs
        session = session_of(request, self._identity) if needs.session else ""
        records = EMPTY
        if needs.standing is not None:
            names = [one.candidate.name for one in selector.contenders]
            records = self._standing.records(names, scope, needs.standing)
        if needs.question is not None:
            answer, unread = await ask(self._upstream, needs.question, request)
            return Values(session=session, standing=records, answer=answer, unread=unread)
        if not needs.models:
            return Values(session=session, standing=records)
        subject, (vector, cosines, unread) = await self._asked(needs, request)
        return Values(session, vector, subject, cosines, records, unread=unread)

    async def _asked(
        self, needs: Needs, request: Request
    ) -> tuple[str, tuple[Vector | None, Mapping[str, float], str]]:
        return await asyncio.gather(
            self._subject(request.text) if needs.topic else _nothing(),
            self._vector(needs, request.text),
        )

    async def _vector(
        self, needs: Needs, text: str
    ) -> tuple[Vector | None, Mapping[str, float], str]:
        if not text.strip():
            return None, EMPTY, "no_text"
        try:
            async with asyncio.timeout(self._deadline):
                (vector,), _ = await embed(self._inference, [text])
                rows = await self._embedded.value() if needs.texts else None
        except TimeoutError:
            return None, EMPTY, InferenceTimeout.code
        except InferenceError as error:
            return None, EMPTY, error.code
        if rows is None:
            return vector, EMPTY, ""
        if rows.shape[1] != len(vector):
            self._embedded.forget()  # the model has changed under us
            return vector, EMPTY, InferenceError.code
        return vector, dict(zip(self._texts, map(float, rows @ vector), strict=True)), ""

    async def _subject(self, text: str) -> str:
        """Empty where nobody knows: trained selectors have a place for that."""
        if not text.strip():
            return ""
        try:
            async with asyncio.timeout(self._deadline):
                said = await topic(self._inference, text, TASK)
        except (TimeoutError, InferenceError):
            return ""
        return max(said.probabilities, key=lambda subject: said.probabilities[subject])

    async def _embed(self) -> Embeddings:
        rows = await self._inference.embed(MODEL, list(self._texts))
        if lost := missing(rows):  # their cosines stay NaN, which `Values` gives a meaning
            log.warning(UNREAD, SUBJECT, len(lost), len(rows), MODEL)
        return np.asarray(rows, np.float32)


async def _nothing() -> str:
    return ""


def models_of(decision: Decision) -> tuple[str, ...]:
    """The Triton models that the selector of `decision` may ask."""
    method = method_of(decision)
    if method not in SELECTORS or len(decision.modelRefs) < 2:
        return ()
    kind = SELECTORS[method]
    return (*((MODEL,) * kind.embeds), *((TEXT_SIGNALS,) * kind.classifies))
